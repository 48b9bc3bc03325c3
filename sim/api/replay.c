/* Replays of the library: run, and summed up by stage. */
#include <math.h>
#include <stdlib.h>

#include "sim/api/api.h"

/* Seconds of a pass in which its stage stood still. `first` is the first wait that may be in it, and goes on: both
 * lists are in order of time. */
static double still_s(const ss_history *history, const ss_history_pass *pass, int64_t *first)
{
  double sum_s = 0.0;
  while (*first < history->wait_count && (history->wait[*first].stage != pass->stage || /* of another one */
                                          history->wait[*first].end_s <= pass->start_s))
    ++*first;
  for (int64_t i = *first; i < history->wait_count; ++i) {
    const ss_history_wait *wait = &history->wait[i];
    if (wait->stage != pass->stage) continue;
    if (wait->start_s >= pass->end_s) break;
    sum_s += fmin(wait->end_s, pass->end_s) - fmax(wait->start_s, pass->start_s);
  }
  return sum_s;
}

/* Adds up the passes of a stage of the replica that the history is of. */
static void add_passes(const ss_history *history, int64_t stage, double part_s[SS_API_STAGE_PARTS])
{
  int64_t first = 0;
  for (int64_t i = 0; i < history->pass_count; ++i) {
    const ss_history_pass *pass = &history->pass[i];
    if (pass->stage != stage) continue;
    const int part = pass->activity == SS_OP_OPTIMIZER ? STEPSIM_STAGE_OPTIMIZER : STEPSIM_STAGE_PASSES;
    part_s[part] += pass->end_s - pass->start_s - still_s(history, pass, &first);
  }
}

/* Adds up what the stages of the replica did that the history is of. */
static ss_status sum_up(stepsim_replay *replay, ss_error *error)
{
  const ss_history *history = &replay->history;
  const size_t stages = (size_t)replay->of->run.prediction.stages;
  replay->stage_s = calloc(stages * SS_API_STAGE_PARTS, sizeof *replay->stage_s);
  if (replay->stage_s == NULL) return ss_api_refuse_memory("the stages of a replay", error);
  for (size_t i = 0; i < stages; ++i) add_passes(history, (int64_t)i, replay->stage_s + i * SS_API_STAGE_PARTS);
  for (int64_t i = 0; i < history->wait_count; ++i) {
    const ss_history_wait *wait = &history->wait[i];
    if (wait->activity != SS_WAIT_DATA && wait->activity != SS_WAIT_PIPELINE) continue;
    const int part = wait->activity == SS_WAIT_DATA ? STEPSIM_STAGE_WAIT_DATA : STEPSIM_STAGE_WAIT_STAGES;
    replay->stage_s[wait->stage * SS_API_STAGE_PARTS + part] += wait->end_s - wait->start_s;
  }
  return SS_OK;
}

ss_status ss_api_replay_make(stepsim_replay *replay, ss_outputs *outputs, ss_api_replay_extras extras,
                             const ss_options *options, ss_error *error)
{
  ss_run *run = &replay->of->run;
  const ss_run_writers writers = {.timelines = outputs->timeline,
                                  .timeline_count = outputs->count,
                                  .links = options->output.links != NULL ? &outputs->links : NULL,
                                  .history = extras.history ? &replay->history : NULL,
                                  .upgrades = extras.upgrades};
  if (!options->common.quiet) ss_outputs_say(outputs, &options->output, &run->session);
  return ss_run_simulate(run, options, &writers, error);
}

/* Replays with the files that the options name, and says what each stage did. */
static ss_status simulate(stepsim_replay *replay, const ss_options *options, ss_error *error)
{
  ss_outputs outputs;
  ss_status status = ss_outputs_open(&outputs, &options->output, &options->common, &replay->of->run.session, error);
  if (status == SS_OK)
    status = ss_api_replay_make(replay, &outputs, (ss_api_replay_extras){.history = true}, options, error);
  ss_outputs_close(&outputs);
  if (status == SS_OK) status = sum_up(replay, error);
  ss_history_free(&replay->history);
  return status == SS_OK ? ss_api_replay_make_json(replay, error) : status;
}

stepsim_status stepsim_replay_create(const stepsim_job *job, const char *const *options, stepsim_replay **replay,
                                     stepsim_error *error)
{
  ss_error why = {0};
  ss_api_question *question;
  ss_api_iteration *iteration = NULL;
  if (replay != NULL) *replay = NULL;
  if (job == NULL || replay == NULL) return ss_api_misuse(error, "stepsim_replay_create: job or replay is NULL");
  ss_status status = ss_api_question_create(job, SS_COMMAND_RUN, options, &question, &why);
  if (status == SS_OK) status = ss_api_iteration_create(job, &question->options, &iteration, &why);
  if (status == SS_OK) status = ss_api_estimate_make_json(&iteration->estimate, &why);
  if (status == SS_OK) status = simulate(&iteration->replay, &question->options, &why);
  if (status == SS_OK)
    *replay = &iteration->replay;
  else
    ss_api_iteration_destroy(iteration);
  ss_api_question_destroy(question);
  return ss_api_return(status, &why, error);
}

double stepsim_replay_stage_s(const stepsim_replay *replay, int64_t stage, stepsim_stage_part part)
{
  const int index = (int)part;
  if (replay == NULL || replay->stage_s == NULL || index < 0 || index >= SS_API_STAGE_PARTS) return NAN;
  if (stage < 0 || stage >= replay->of->run.prediction.stages) return NAN;
  return replay->stage_s[stage * SS_API_STAGE_PARTS + index];
}
