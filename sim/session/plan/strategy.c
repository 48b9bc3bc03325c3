#include "sim/session/plan/strategy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/report/strategies/strategy_name.h"
#include "sim/session/search_all.h"

/* A search of its own. */
typedef struct hunt {
  ss_session session;
  ss_search_all found;
} hunt;

/* On `gpus` GPUs, without a budget: that of a plan is of the run. */
static ss_status search(hunt *h, const ss_options *options, int64_t gpus, ss_error *error)
{
  ss_options own = *options;
  ss_result_cache cache = {.path = NULL}; /* keeps nothing */
  own.choice.budget = 0.0;
  ss_status status = ss_search_all_prepare(&h->session, &own, error); /* all numbers of GPUs have to be there */
  own.choice.gpus_count = 1;
  own.choice.gpus[0] = gpus;
  if (status == SS_OK) status = ss_search_all_run(&h->found, &cache, &h->session, &own, error);
  if (status == SS_OK && !h->found.any_fits)
    status = ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "no strategy that was tried fits on %" PRId64 " GPUs", gpus);
  return status;
}

ss_status ss_plan_strategy(const ss_options *options, const ss_machine *machine, int64_t gpus, ss_workload *workload,
                           char words[SS_TEXT_SIZE], ss_error *error)
{
  char name[SS_STRATEGY_NAME_SIZE];
  hunt *h = calloc(1, sizeof *h);
  if (h == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a search");
  ss_session_init(&h->session, workload, machine);
  const ss_status status = search(h, options, gpus, error);
  if (status == SS_OK) {
    const ss_strategy *best = &h->found.search[0].top[0];
    const ss_knob_set knobs = ss_choice_named_knobs(&options->choice, &h->session.workload);
    *workload = ss_search_all_workload(&h->session, best);
    (void)snprintf(words, SS_TEXT_SIZE, "%s", ss_strategy_name(best, knobs, name));
  }
  ss_search_all_free(&h->found);
  ss_session_close(&h->session);
  free(h);
  return status;
}
