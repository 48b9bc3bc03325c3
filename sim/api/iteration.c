/* Estimates and replays of the library, and what both say. */
#include <math.h>
#include <stdlib.h>

#include "sim/api/api.h"
#include "sim/report/figures.h"
#include "sim/report/report.h"

#define SAME(name, of)                                                                                                 \
  _Static_assert((int)STEPSIM_PART_##name == (int)SS_PART_##of, "parts of the library are those of a breakdown")
SAME(COMPUTE, compute_s);
SAME(MEMORY, memory_s);
SAME(TENSOR_PARALLEL, tp_comm_s);
SAME(CONTEXT_PARALLEL, cp_comm_s);
SAME(EXPERT_PARALLEL, ep_comm_s);
SAME(DATA_PARALLEL, dp_comm_s);
SAME(PIPELINE_PARALLEL, pp_comm_s);
SAME(BUBBLE, bubble_s);
SAME(OPTIMIZER, optimizer_s);
SAME(OFFLOAD, offload_s);
SAME(HOST, host_s);
SAME(OTHER, other_s);
_Static_assert(SS_PART_COUNT == STEPSIM_PART_OTHER + 1, "all parts are above");

ss_status ss_api_iteration_create(const stepsim_job *job, const ss_options *options, ss_api_iteration **iteration,
                                  ss_error *error)
{
  ss_api_iteration *made = calloc(1, sizeof *made);
  *iteration = NULL;
  if (made == NULL) return ss_api_refuse_memory("a prediction", error);
  made->estimate.of = made->replay.of = made;
  ss_api_job_session(job, &made->run.session);
  const ss_status status = ss_run_open(&made->run, options, error);
  made->estimate.prediction = made->run.prediction;
  if (status == SS_OK)
    *iteration = made;
  else
    ss_api_iteration_destroy(made);
  return status;
}

void ss_api_iteration_destroy(ss_api_iteration *iteration)
{
  if (iteration == NULL) return;
  ss_run_close(&iteration->run);
  free(iteration->estimate.json);
  ss_history_free(&iteration->replay.history);
  free(iteration->replay.stage_s);
  free(iteration->replay.json);
  free(iteration);
}

ss_status ss_api_estimate_make_json(stepsim_estimate *estimate, ss_error *error)
{
  return ss_report_json_text(&estimate->prediction, &estimate->json, error);
}

ss_status ss_api_replay_make_json(stepsim_replay *replay, ss_error *error)
{
  return ss_report_json_text(&replay->of->run.prediction, &replay->json, error);
}

stepsim_status stepsim_estimate_create(const stepsim_job *job, const char *const *options, stepsim_estimate **estimate,
                                       stepsim_error *error)
{
  ss_error why = {0};
  ss_api_question *question;
  ss_api_iteration *iteration = NULL;
  if (estimate != NULL) *estimate = NULL;
  if (job == NULL || estimate == NULL) return ss_api_misuse(error, "stepsim_estimate_create: job or estimate is NULL");
  ss_status status = ss_api_question_create(job, SS_COMMAND_ESTIMATE, options, &question, &why);
  if (status == SS_OK) status = ss_api_iteration_create(job, &question->options, &iteration, &why);
  if (status == SS_OK) status = ss_api_estimate_make_json(&iteration->estimate, &why);
  if (status == SS_OK)
    *estimate = &iteration->estimate;
  else
    ss_api_iteration_destroy(iteration);
  ss_api_question_destroy(question);
  return ss_api_return(status, &why, error);
}

void stepsim_estimate_destroy(stepsim_estimate *estimate)
{
  if (estimate != NULL) ss_api_iteration_destroy(estimate->of);
}

void stepsim_replay_destroy(stepsim_replay *replay)
{
  if (replay != NULL) ss_api_iteration_destroy(replay->of);
}

const stepsim_estimate *stepsim_replay_estimate(const stepsim_replay *replay)
{
  return replay != NULL ? &replay->of->estimate : NULL;
}

const char *stepsim_estimate_json(const stepsim_estimate *estimate)
{
  return estimate != NULL ? estimate->json : NULL;
}

const char *stepsim_replay_json(const stepsim_replay *replay)
{
  return replay != NULL ? replay->json : NULL;
}

static const ss_prediction *prediction_of_estimate(const stepsim_estimate *estimate)
{
  return estimate != NULL ? &estimate->prediction : NULL;
}

static const ss_prediction *prediction_of_replay(const stepsim_replay *replay)
{
  return replay != NULL ? &replay->of->run.prediction : NULL;
}

/* A number of which 0 says that it is unknown. */
static double known(double value)
{
  return value > 0.0 ? value : NAN;
}

/* The ends of the interval are shares of the iteration. */
static double end_s(const ss_prediction *p, double share)
{
  return p->as_published ? NAN : ss_prediction_iteration(p)->iteration_s * share;
}

static double number(const ss_prediction *prediction, int64_t column)
{
  size_t count;
  const ss_figure *figures = ss_figures(&count);
  return prediction != NULL && column >= 0 && column < (int64_t)count ? figures[column].value(prediction) : NAN;
}

static double part_s(const ss_prediction *prediction, stepsim_part part)
{
  const int index = (int)part;
  if (prediction == NULL || index < 0 || index >= SS_PART_COUNT) return NAN;
  return ss_breakdown_part(ss_prediction_iteration(prediction), (ss_part)index);
}

/* What both say: X(kind, name, the value of a prediction p). */
/* clang-format off */
#define FOR_BOTH(X, kind) \
  X(kind, iteration_s, ss_prediction_iteration(p)->iteration_s) \
  X(kind, low_s, end_s(p, p->interval.low)) \
  X(kind, high_s, end_s(p, p->interval.high)) \
  X(kind, mfu, p->metrics.mfu) \
  X(kind, hfu, p->metrics.hfu) \
  X(kind, tokens_per_s, p->metrics.tokens_per_s_per_gpu * (double)p->gpus) \
  X(kind, days, known(p->metrics.days)) \
  X(kind, iteration_dollars, known(p->outlay.iteration_dollars)) \
  X(kind, run_dollars, known(p->outlay.run_dollars))
/* clang-format on */
#define DEFINE(kind, name, value)                                                                                      \
  double stepsim_##kind##_##name(const stepsim_##kind *kind)                                                           \
  {                                                                                                                    \
    const ss_prediction *p = prediction_of_##kind(kind);                                                               \
    return p != NULL ? (value) : NAN;                                                                                  \
  }
FOR_BOTH(DEFINE, estimate)
FOR_BOTH(DEFINE, replay)

double stepsim_estimate_part_s(const stepsim_estimate *estimate, stepsim_part part)
{
  return part_s(prediction_of_estimate(estimate), part);
}

double stepsim_replay_part_s(const stepsim_replay *replay, stepsim_part part)
{
  return part_s(prediction_of_replay(replay), part);
}

double stepsim_estimate_number(const stepsim_estimate *estimate, int64_t column)
{
  return number(prediction_of_estimate(estimate), column);
}

double stepsim_replay_number(const stepsim_replay *replay, int64_t column)
{
  return number(prediction_of_replay(replay), column);
}

int64_t stepsim_estimate_gpus(const stepsim_estimate *estimate)
{
  return estimate != NULL ? estimate->prediction.gpus : 0;
}

double stepsim_estimate_parameters(const stepsim_estimate *estimate)
{
  return estimate != NULL ? estimate->prediction.metrics.parameters : NAN;
}

int64_t stepsim_estimate_stages(const stepsim_estimate *estimate)
{
  return estimate != NULL ? estimate->prediction.stages : 0;
}

double stepsim_estimate_memory_bytes(const stepsim_estimate *estimate, int64_t stage, stepsim_memory kind)
{
  if (estimate == NULL || stage < STEPSIM_FULLEST_STAGE || stage >= estimate->prediction.stages) return NAN;
  const ss_prediction *p = &estimate->prediction;
  const ss_memory *memory = stage == STEPSIM_FULLEST_STAGE ? &p->memory : &p->stage_memory[stage];
  switch (kind) {
  case STEPSIM_MEMORY_WEIGHTS: return memory->weights_bytes;
  case STEPSIM_MEMORY_GRADIENTS: return memory->gradients_bytes;
  case STEPSIM_MEMORY_OPTIMIZER: return memory->optimizer_bytes;
  case STEPSIM_MEMORY_ACTIVATIONS: return memory->activations_bytes;
  case STEPSIM_MEMORY_TOTAL: return memory->total_bytes;
  default: return NAN;
  }
}

int stepsim_estimate_fits(const stepsim_estimate *estimate)
{
  return estimate != NULL && ss_prediction_fits(&estimate->prediction) ? 1 : 0;
}
