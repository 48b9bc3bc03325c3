#include "sim/cli/plan_strategy.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/figure/strategy_name.h"
#include "sim/session/search_all.h"
#include "sim/session/search_size.h"

/* A search of its own, whose budget is none: that of a plan is of the run. */
static ss_status search(ss_session *session, const ss_options *options, int64_t gpus, ss_search *found, ss_error *error)
{
  ss_options own = *options;
  ss_result_cache cache = {.path = NULL};
  own.choice.budget = 0.0;
  ss_status status = ss_search_all_prepare(session, &own, error);
  if (status == SS_OK) status = ss_result_cache_open(&cache, NULL, error);
  if (status == SS_OK) status = ss_search_size(&cache, session, &own, gpus, found, error);
  ss_result_cache_close(&cache);
  return status;
}

ss_status ss_plan_strategy(const ss_options *options, const ss_machine *machine, int64_t gpus, ss_workload *workload,
                           char words[SS_TEXT_SIZE], ss_error *error)
{
  char name[SS_STRATEGY_NAME_SIZE];
  ss_search found = {.count = 0};
  ss_session *session = calloc(1, sizeof *session);
  if (session == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a search");
  session->workload = *workload;
  session->machine = *machine;
  ss_status status = search(session, options, gpus, &found, error);
  if (status == SS_OK && found.count == 0)
    status = ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "no strategy that was tried fits on %" PRId64 " GPUs", gpus);
  if (status == SS_OK) {
    const ss_knob_set knobs = ss_choice_named_knobs(&options->choice, &session->workload);
    *workload = ss_search_all_workload(session, &found.top[0]);
    (void)snprintf(words, SS_TEXT_SIZE, "%s", ss_strategy_name(&found.top[0], knobs, name));
  }
  ss_search_free(&found);
  ss_session_close(session);
  free(session);
  return status;
}
