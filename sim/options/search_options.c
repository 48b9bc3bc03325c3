#include "sim/options/search_options.h"

#include "sim/options/choice_options.h"
#include "sim/options/option_values.h"

enum { DEFAULT_TOP = 10, REPLAY_ROUNDS = 8 };

const ss_option ss_search_option_rows[] = {
    {.name = "top",
     .argument = "K",
     .help = "List the K best; default 10",
     .commands = SS_ON(SS_COMMAND_SEARCH),
     .set = ss_option_set_count,
     .target = offsetof(ss_search_list_options, top),
     .most = SS_MAX_TOP},
    {.name = "pareto",
     .help = "List every candidate that no other beats in both time and memory",
     .commands = SS_ON(SS_COMMAND_SEARCH),
     .set = ss_option_set_flag,
     .target = offsetof(ss_search_list_options, pareto)},
    {.name = "replay",
     .argument = "K",
     .help = "Replay the K best candidates, then K more, up to 8 K in all, as long as others are faster by the closed "
             "form than the best replay; rank them by their replay",
     .commands = SS_ON(SS_COMMAND_SEARCH),
     .set = ss_option_set_count,
     .target = offsetof(ss_search_list_options, replay),
     .most = SS_MAX_TOP},
    {.name = NULL},
};

int64_t ss_search_top(const ss_search_list_options *options)
{
  return options->top > 0 ? options->top : DEFAULT_TOP;
}

int64_t ss_search_replays(const ss_search_list_options *options)
{
  return options->pareto ? options->replay : REPLAY_ROUNDS * options->replay;
}

int64_t ss_search_kept(const ss_search_list_options *options)
{
  const int64_t top = ss_search_top(options), replays = ss_search_replays(options);
  return replays >= top ? replays + 1 : top;
}
