/* search: the best strategies and placements. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/plan/job_setup.h"
#include "model/plan/workload_check.h"
#include "model/search/search.h"
#include "sim/cli/commands.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/cli/search_size.h"
#include "sim/crew/crew.h"
#include "sim/report/report.h"

static ss_status check_gpus(const ss_choice_options *options, const ss_machine *machine, ss_error *error)
{
  for (int64_t i = 0; i < options->gpus_count; ++i)
    if (options->gpus[i] > machine->gpus)
      return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                          "\"%lld\": is more than the GPUs of %s; allowed: up to %lld", (long long)options->gpus[i],
                          machine->name, (long long)machine->gpus);
  return SS_OK;
}

static ss_status open_session(ss_session *session, ss_outputs *outputs, const ss_options *options, ss_error *error)
{
  ss_status status = ss_session_read(session, &options->common, error);
  if (status == SS_OK) status = ss_workload_check_machine(&session->workload, &session->machine, error);
  if (status == SS_OK) status = ss_session_check_unplaced(session, "a search", error);
  if (status == SS_OK) status = check_gpus(&options->choice, &session->machine, error);
  if (status == SS_OK && ss_choice_asks_prices(&options->choice)) status = ss_session_check_priced(session, error);
  return status == SS_OK ? ss_outputs_open(outputs, &options->output, &options->common, session, error) : status;
}

/* What the replays of the best strategies of a search have in common. */
typedef struct contest {
  ss_result_cache *cache;
  const ss_session *session;
  const ss_options *options;
  ss_search *search;
} contest;

/* One of the best, as a workload that its replay runs. */
static ss_workload workload_of(const contest *c, int64_t item)
{
  ss_workload workload = c->session->workload;
  ss_candidate_apply(&c->search->top[item].candidate, &workload);
  return workload;
}

static ss_question question_of(const contest *c, const ss_workload *workload)
{
  return (ss_question){.kind = "replay",
                       .workload = workload,
                       .machine = &c->session->machine,
                       .number = {c->options->common.cost, c->options->replay.flows}};
}

static ss_status recall(void *context, int64_t item, void *outcome, bool *is_known, ss_error *error)
{
  const contest *c = context;
  const ss_workload workload = workload_of(c, item);
  const ss_question question = question_of(c, &workload);
  void *bytes = NULL;
  size_t size = 0;
  const ss_status status = ss_result_cache_find(c->cache, &question, &bytes, &size, error);
  *is_known = bytes != NULL && size == sizeof(ss_breakdown);
  if (*is_known) memcpy(outcome, bytes, size);
  free(bytes);
  return status;
}

/* Sizes and placement of a strategy; its knobs are among the parts. */
static void label_of(const ss_candidate *c, char *label, size_t size)
{
  const char *layout = ss_word(SS_AT_parallelism_tensor, (int)c->tensor);
  (void)snprintf(label, size,
                 "%s tp=%" PRId64 " tp2=%" PRId64 " cp=%" PRId64 " pp=%" PRId64 " dp=%" PRId64 " micro-batch=%" PRId64
                 ", in a domain tp=%" PRId64 " cp=%" PRId64 " dp=%" PRId64 " pp=%" PRId64,
                 layout, c->tp, c->tp2, c->cp, c->pp, c->dp, c->micro_batch, c->inside.tp, c->inside.cp, c->inside.dp,
                 c->inside.pp);
}

static ss_status remember(const contest *c, int64_t item, ss_error *error)
{
  const ss_strategy *strategy = &c->search->top[item];
  const ss_workload workload = workload_of(c, item);
  const ss_question question = question_of(c, &workload);
  ss_record record = ss_record_empty();
  char label[SS_TEXT_SIZE];
  label_of(&strategy->candidate, label, sizeof label);
  record.label = label;
  record.gpus = c->search->gpus;
  ss_status status = ss_result_cache_describe(
      &record, strategy, 1, true,
      ss_knob_unique(ss_choice_knobs(&c->options->choice, &c->session->workload, c->options->common.cost)), error);
  if (status == SS_OK)
    status =
        ss_result_cache_keep(c->cache, &question, record, &strategy->simulation, sizeof strategy->simulation, error);
  free((char *)record.parts);
  return status;
}

/* Replays one of the best; the outcome is a breakdown. The job refers to the workload, so that both live here. */
static ss_status replay(void *context, int64_t item, void *outcome, ss_error *error)
{
  const contest *c = context;
  ss_breakdown *simulation = outcome;
  const ss_workload workload = workload_of(c, item);
  ss_job *job = calloc(1, sizeof *job);
  if (job == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  const ss_replay_options replay_options = ss_replay_options_of(&c->options->replay);
  ss_replay_result result;
  ss_status status =
      ss_job_init(job, &workload, &c->session->machine, (ss_job_options){.cost = c->options->common.cost}, error);
  if (status == SS_OK) status = ss_replay(job, &replay_options, &result, error);
  if (status == SS_OK) *simulation = result.breakdown;
  ss_job_free(job);
  free(job);
  return status;
}

static ss_status keep_replay(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  const contest *c = context;
  ss_strategy *strategy = &c->search->top[item];
  strategy->simulation = *(const ss_breakdown *)outcome;
  strategy->simulated = true;
  return was_known || !ss_result_cache_keeps(c->cache) ? SS_OK : remember(c, item, error);
}

static double shortest_replay_s(const ss_search *search, int64_t count)
{
  double least_s = search->top[0].simulation.iteration_s;
  for (int64_t i = 1; i < count; ++i)
    if (search->top[i].simulation.iteration_s < least_s) least_s = search->top[i].simulation.iteration_s;
  return least_s;
}

/* Orders by the replay; of equals, the one that the closed form prefers comes first. */
static int compare_replays(const void *a, const void *b)
{
  const ss_strategy *x = a, *y = b;
  const double x_s = x->simulation.iteration_s, y_s = y->simulation.iteration_s;
  if (x_s != y_s) return x_s < y_s ? -1 : 1;
  if (x->estimate.iteration_s != y->estimate.iteration_s)
    return x->estimate.iteration_s < y->estimate.iteration_s ? -1 : 1;
  const bool earlier = x->sizes != y->sizes ? x->sizes < y->sizes : x->variant < y->variant;
  return earlier ? -1 : 1;
}

/* Replays the best ones, as many at a time as there are threads: each is a process of its own. */
static ss_status replay_best(contest *c, ss_findings *findings, ss_error *error)
{
  const ss_options *options = c->options;
  ss_search *search = c->search;
  const int64_t count = search->count < options->search.replay ? search->count : options->search.replay;
  const ss_crew_work work = {.count = count,
                             .outcome_size = sizeof(ss_breakdown),
                             .known = recall,
                             .work = replay,
                             .done = keep_replay,
                             .context = c,
                             .progress = ss_progress_of(&options->common)};
  if (count == 0) return SS_OK;
  const ss_status status = ss_crew_run(&work, error);
  ss_progress_clear(&options->common);
  if (status != SS_OK) return status;
  findings->replayed = count;
  findings->regret = search->top[0].simulation.iteration_s / shortest_replay_s(search, count) - 1.0;
  if (!options->search.pareto) qsort(search->top, (size_t)count, sizeof *search->top, compare_replays);
  return SS_OK;
}

static ss_status report(const ss_session *session, const ss_options *options, const ss_findings *findings,
                        int64_t count, ss_error *error)
{
  const ss_search_report all = {
      .workload = &session->workload,
      .machine = &session->machine,
      .cost = options->common.cost,
      .objective = options->choice.objective,
      .pareto = options->search.pareto,
      .priced = ss_choice_asks_prices(&options->choice),
      .knobs = ss_knob_unique(ss_choice_knobs(&options->choice, &session->workload, options->common.cost)),
      .findings = findings,
      .count = count};
  const char *json = options->output.json;
  const ss_status status = json != NULL ? ss_report_search_json(json, &all, error) : SS_OK;
  if (!ss_option_is_standard_output(json)) ss_report_search_text(stdout, &all);
  return status;
}

/* Searches on one number of GPUs and replays the best. */
static ss_status find(contest *c, int64_t gpus, ss_findings *findings, ss_error *error)
{
  ss_status status = SS_OK;
  findings->search = c->search;
  const double budget = c->options->choice.budget;
  if (budget > 0.0) status = ss_session_afford(c->session, budget, &gpus, error);
  if (status == SS_OK) status = ss_search_size(c->cache, c->session, c->options, gpus, c->search, error);
  return status == SS_OK ? replay_best(c, findings, error) : status;
}

int ss_command_search(const ss_options *options)
{
  ss_session session;
  ss_result_cache cache = {.path = NULL};
  ss_outputs outputs = {.count = 0};
  ss_search search[SS_MAX_SIZES] = {{0}};
  ss_findings findings[SS_MAX_SIZES] = {{0}};
  ss_error error = {0};
  const ss_choice_options *choice = &options->choice;
  const int64_t count = choice->gpus_count > 0 ? choice->gpus_count : 1;
  bool any_fits = false;
  ss_status status = open_session(&session, &outputs, options, &error);
  if (status == SS_OK) status = ss_result_cache_open(&cache, options->output.db, &error);
  for (int64_t i = 0; status == SS_OK && i < count; ++i) {
    contest c = {.cache = &cache, .session = &session, .options = options, .search = &search[i]};
    status = find(&c, choice->gpus_count > 0 ? choice->gpus[i] : session.machine.gpus, &findings[i], &error);
    any_fits = any_fits || search[i].count > 0;
  }
  if (status == SS_OK) ss_result_cache_tell(&cache, options->common.quiet, "results");
  if (status == SS_OK) status = report(&session, options, findings, count, &error);
  for (int64_t i = 0; i < count; ++i) ss_search_free(&search[i]);
  ss_result_cache_close(&cache);
  ss_outputs_close(&outputs);
  ss_session_close(&session);
  if (status != SS_OK) return ss_fail(&error);
  return any_fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}
