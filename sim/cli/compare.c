/* compare: an iteration that a profiler measured, beside its prediction. */
#include <stdio.h>
#include <stdlib.h>

#include "model/input/workload.h"
#include "model/profile/comparison.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/inputs.h"
#include "sim/engine/replay.h"
#include "sim/io/io.h"
#include "sim/io/shipped.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/progress.h"
#include "sim/session/session.h"
#include "sim/traces/traces.h"

#define SHIPPED_RULES "kernels"

enum { FIRST_TRACE = 2 };

/* What the command has. */
typedef struct comparing {
  const ss_options *options;
  ss_session session;
  ss_rules rules;
  ss_comparison comparison;
  ss_compared_trace trace[SS_RECORDED_RANKS];
} comparing;

/* Rules of one's own stand before those that are shipped, so that they count. */
static ss_status load_rules(comparing *c, ss_error *error)
{
  const char *const names[] = {c->options->compare.rules, SHIPPED_RULES};
  ss_status status = SS_OK;
  for (size_t i = 0; status == SS_OK && i < sizeof names / sizeof names[0]; ++i) {
    char path[SS_PATH_SIZE];
    if (names[i] == NULL) continue;
    status = ss_shipped_find(SS_SHIPPED_RULES, names[i], path, error);
    if (status == SS_OK) status = ss_rules_load(path, &c->rules, error);
  }
  return status;
}

static int64_t index_of(ss_option_index option)
{
  return option.is_given ? option.value : -1;
}

/* The rank of a trace: the one that it names; where it names none, its place among the traces. */
static ss_status find_rank(comparing *c, int64_t place, ss_error *error)
{
  ss_compared_trace *trace = &c->trace[place];
  const int64_t gpus = c->comparison.gpus;
  const ss_measurement *measured = &trace->measured;
  trace->rank = measured->rank >= 0 ? measured->rank : place;
  if (measured->world_size > 0 && measured->world_size != gpus)
    return ss_error_set(error, SS_ERROR_INPUT, trace->path, 0,
                        "is of a job on %lld GPUs, and the workload is of one on %lld; allowed: a workload with the "
                        "strategy of the job",
                        (long long)measured->world_size, (long long)gpus);
  if (trace->rank >= gpus)
    return ss_error_set(error, SS_ERROR_INPUT, trace->path, 0, "is of rank %lld; allowed: 0 to %lld",
                        (long long)trace->rank, (long long)gpus - 1);
  for (int64_t i = 0; i < place; ++i)
    if (c->trace[i].rank == trace->rank)
      return ss_error_set(error, SS_ERROR_INPUT, trace->path, 0,
                          "is of rank %lld, as %s is; allowed: one trace of each", (long long)trace->rank,
                          c->trace[i].path);
  return SS_OK;
}

static ss_status measure(comparing *c, ss_error *error)
{
  const ss_options *options = c->options;
  const ss_measurement_request request = {.rules = &c->rules,
                                          .groups = ss_job_groups_of(&c->session.job),
                                          .step = index_of(options->compare.step),
                                          .device = index_of(options->compare.device)};
  ss_status status = SS_OK;
  c->comparison.count = options->argument_count - FIRST_TRACE;
  if (c->comparison.count > SS_RECORDED_RANKS)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "%lld traces; allowed: at most %d",
                        (long long)c->comparison.count, SS_RECORDED_RANKS);
  for (int64_t i = 0; status == SS_OK && i < c->comparison.count; ++i) {
    ss_compared_trace *trace = &c->trace[i];
    trace->path = options->argument[FIRST_TRACE + i];
    status = ss_outputs_check_input(&options->output, trace->path, error);
    if (status == SS_OK) status = ss_trace_measure(trace->path, &request, &trace->measured, error);
    if (status == SS_OK) status = find_rank(c, i, error);
  }
  return status;
}

/* What a rank does in the replay, over all of the iteration; where a trace has no steps, from its first work to its
 * last, as there. */
static ss_status profile(comparing *c, ss_recorder *recorder, double iteration_s, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < c->comparison.count; ++i) {
    ss_compared_trace *trace = &c->trace[i];
    ss_work_log log = {.count = 0};
    status = ss_recorder_log(recorder, trace->rank, &log, error);
    const bool whole = trace->measured.found == SS_FOUND_ALL;
    const ss_window window = whole ? ss_work_log_window(&log) : (ss_window){0.0, iteration_s};
    ss_profile_of(&log, window, &trace->predicted);
    ss_work_log_free(&log);
  }
  return status;
}

static ss_status predict(comparing *c, ss_error *error)
{
  int64_t rank[SS_RECORDED_RANKS];
  ss_timeline timeline;
  ss_recorder *recorder = NULL;
  ss_replay_result result = {.flows = 0};
  for (int64_t i = 0; i < c->comparison.count; ++i) rank[i] = c->trace[i].rank;
  ss_status status = ss_recorder_create(rank, c->comparison.count, &timeline, &recorder, error);
  if (status == SS_OK) {
    ss_replay_options replay = ss_replay_options_of(&c->options->replay);
    replay.timelines = &timeline;
    replay.timeline_count = 1;
    replay.title = c->comparison.workload;
    replay.progress = ss_progress_of(&c->options->common);
    status = ss_replay(&c->session.job, &replay, &result, error);
    ss_progress_clear(&c->options->common);
  }
  if (status == SS_OK) status = profile(c, recorder, result.breakdown.iteration_s, error);
  ss_recorder_destroy(recorder);
  return status;
}

static ss_status report(const comparing *c, ss_error *error)
{
  const ss_output_options *output = &c->options->output;
  if (!ss_option_is_standard_output(output->json)) ss_report_comparison_text(stdout, &c->comparison);
  return output->json != NULL ? ss_report_comparison_json(output->json, &c->comparison, error) : SS_OK;
}

static ss_status compare(comparing *c, ss_error *error)
{
  const ss_common_options *common = &c->options->common;
  const char *const inputs[] = {common->workload, common->platform};
  ss_status status = ss_inputs_session(common, &c->session, error);
  if (status == SS_OK) status = ss_session_complete(&c->session, common, error);
  if (status == SS_OK) status = ss_outputs_check(&c->options->output, inputs, 2, error);
  c->comparison = (ss_comparison){.workload = c->session.workload.model.name,
                                  .platform = c->session.machine.name,
                                  .gpus = status == SS_OK ? ss_workload_gpus(&c->session.workload) : 0,
                                  .trace = c->trace};
  if (status == SS_OK) status = load_rules(c, error);
  if (status == SS_OK) status = measure(c, error);
  if (status == SS_OK) status = predict(c, error);
  if (status != SS_OK) return status;
  ss_comparison_average(&c->comparison);
  return report(c, error);
}

int ss_command_compare(const ss_options *options)
{
  ss_error error = {0};
  comparing *c = calloc(1, sizeof *c);
  if (c == NULL) {
    (void)ss_error_set(&error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a comparison");
    return ss_fail(&error);
  }
  c->options = options;
  const ss_status status = compare(c, &error);
  ss_session_close(&c->session);
  free(c);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
