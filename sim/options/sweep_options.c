#include "sim/options/sweep_options.h"

#include "sim/options/choice_options.h"
#include "sim/options/option_values.h"

static ss_status set_vary(const ss_option *row, void *target, char *text, ss_error *error)
{
  ss_sweep_options *options = target;
  return ss_option_append(row->name, options->vary, &options->vary_count, SS_SWEEP_AXES, text, error);
}

#define BEST_WORD(id, word, help) word,
static const char *const best_words[] = {SS_BEST_LIST(BEST_WORD) NULL};

static ss_status set_replay(const ss_option *row, void *target, char *text, ss_error *error)
{
  int64_t *replay = target;
  *replay = 1;
  return text != NULL ? ss_option_set_count(row, target, text, error) : SS_OK;
}

#define BEST_HELP(id, word, help) word ": " help "; "

const ss_option ss_sweep_option_rows[] = {
    {.name = "vary",
     .argument = "NAME=LIST",
     .help = "Values of ELEMENT.ATTRIBUTE, platform.PROPERTY, gpus or platform, such as parallelism.pp=1,2,4 or "
             "parallelism.pp=1..64*2; once or twice",
     .commands = SS_ON(SS_COMMAND_SWEEP),
     .set = set_vary,
     .repeats = true},
    {.name = "best",
     .argument = "WHAT",
     .help = "What to choose at every point - " SS_BEST_LIST(BEST_HELP) "default nothing",
     .commands = SS_ON(SS_COMMAND_SWEEP),
     .set = ss_option_set_word,
     .words = best_words,
     .target = offsetof(ss_sweep_options, best)},
    {.name = "best",
     .argument = "WHAT",
     .help = "strategy: every phase has the best of a search; default: that of the workload",
     .commands = SS_ON(SS_COMMAND_PLAN),
     .set = ss_option_set_word,
     .words = best_words,
     .target = offsetof(ss_sweep_options, best)},
    {.name = "fewer",
     .help = "With --best strategy, also try fewer GPUs, one domain less at a time",
     .commands = SS_ON(SS_COMMAND_SWEEP),
     .set = ss_option_set_flag,
     .target = offsetof(ss_sweep_options, fewer)},
    {.name = "replay",
     .argument = "K",
     .help = "Replay every point; with --best, replay the K best of every point and choose by their replay",
     .commands = SS_ON(SS_COMMAND_SWEEP),
     .set = set_replay,
     .target = offsetof(ss_sweep_options, replay),
     .most = SS_MAX_TOP,
     .is_optional = true},
    {.name = "replay",
     .argument = "K",
     .help = "Iterations take what their replay does, which also says what is drawn over time; K is 1",
     .commands = SS_ON(SS_COMMAND_PLAN),
     .set = set_replay,
     .target = offsetof(ss_sweep_options, replay),
     .most = SS_MAX_TOP,
     .is_optional = true},
    {.name = NULL},
};
