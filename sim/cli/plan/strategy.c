#include "sim/cli/plan/strategy.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/api/api.h"
#include "sim/figure/strategy_name.h"

/* A search of its own on `gpus` GPUs, whose budget is none: that of a plan is of the run. */
static ss_status search(const stepsim_job *job, const ss_options *options, int64_t gpus, stepsim_search **found,
                        ss_error *error)
{
  ss_options own = *options;
  ss_result_cache cache = {.path = NULL}; /* keeps nothing */
  own.choice.budget = 0.0;
  ss_status status = ss_api_search_create(job, &own, found, error); /* all numbers of GPUs have to be there */
  own.choice.gpus_count = 1;
  own.choice.gpus[0] = gpus;
  if (status == SS_OK) status = ss_api_search_run(*found, &cache, &own, error);
  if (status == SS_OK && !(*found)->all.any_fits)
    status = ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "no strategy that was tried fits on %" PRId64 " GPUs", gpus);
  return status;
}

ss_status ss_plan_strategy(const ss_options *options, const ss_machine *machine, int64_t gpus, ss_workload *workload,
                           char words[SS_TEXT_SIZE], ss_error *error)
{
  char name[SS_STRATEGY_NAME_SIZE];
  stepsim_search *found = NULL;
  stepsim_job *job = malloc(sizeof *job);
  if (job == NULL) return ss_api_refuse_memory("a search", error);
  *job = (stepsim_job){.workload = *workload, .machine = {.of = *machine}};
  const ss_status status = search(job, options, gpus, &found, error);
  if (status == SS_OK) {
    const ss_strategy *best = &found->all.search[0].top[0];
    const ss_knob_set knobs = ss_choice_named_knobs(&options->choice, &found->session.workload);
    *workload = ss_search_all_workload(&found->session, best);
    (void)snprintf(words, SS_TEXT_SIZE, "%s", ss_strategy_name(best, knobs, name));
  }
  stepsim_search_destroy(found);
  stepsim_job_destroy(job);
  return status;
}
