#include "sim/options/replay_options.h"

#include "sim/options/option_values.h"

#define LIST_WORD(id, name, help) name,
#define HELP_WORD(id, word, help) word ": " help "; "

static const char *const flow_words[] = {SS_FLOWS_LIST(LIST_WORD) NULL};
static const char *const fold_words[] = {SS_FOLD_LIST(LIST_WORD) NULL};

static ss_status set_seed(const ss_option *row, void *target, char *text, ss_error *error)
{
  ss_replay_choice *choice = target;
  choice->has_seed = true;
  return ss_option_set_count(row, &choice->seed, text, error);
}

const ss_option ss_replay_option_rows[] = {
    {.name = "flows",
     .argument = "WHICH",
     .help = "What the replay turns into flows - " SS_FLOWS_LIST(HELP_WORD) "default shared",
     .commands = SS_ON_PLAYED,
     .set = ss_option_set_word,
     .words = flow_words,
     .target = offsetof(ss_replay_choice, flows)},
    {.name = "fold",
     .argument = "HOW",
     .help = "What the replay simulates - " SS_FOLD_LIST(HELP_WORD) "default auto",
     .commands = SS_ON_PLAYED,
     .set = ss_option_set_word,
     .words = fold_words,
     .target = offsetof(ss_replay_choice, fold)},
    {.name = "seed",
     .argument = "S",
     .help = "Seed of noise, stalls and documents; default 1",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_seed,
     .most = INT64_MAX},
    {.name = "max-seconds",
     .argument = "S",
     .help = "Stop and fail when replays take longer than this",
     .commands = SS_ON_PLAYED & ~SS_ON(SS_COMMAND_SEARCH),
     .set = ss_option_set_seconds,
     .target = offsetof(ss_replay_choice, budget.max_s)},
    {.name = "max-seconds",
     .argument = "S",
     .help = "End a search with the best so far when it takes longer than this; stop and fail when its replays do",
     .commands = SS_ON(SS_COMMAND_SEARCH),
     .set = ss_option_set_seconds,
     .target = offsetof(ss_replay_choice, budget.max_s)},
    {.name = "max-memory",
     .argument = "CAPACITY",
     .help = "Stop and fail when a replay uses more memory than this, such as 8GiB",
     .commands = SS_ON_PLAYED,
     .set = ss_option_set_bytes,
     .target = offsetof(ss_replay_choice, budget.max_bytes)},
    {.name = NULL},
};

ss_replay_options ss_replay_options_of(const ss_replay_choice *choice)
{
  return (ss_replay_options){
      .flows = choice->flows, .fold = choice->fold, .seed = (uint64_t)choice->seed, .budget = choice->budget};
}
