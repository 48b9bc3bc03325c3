#include "model/run/power_curve.h"

#include <math.h>
#include <stdlib.h>

/* What a stage is in, innermost first. */
typedef enum state { IN_DATA, IN_HOST, IN_OPTIMIZER, IN_PASS, STATES } state;

/* A stage enters a state, or leaves it. */
typedef struct event {
  double time_s;
  int32_t stage;
  state state;
  int change;
} event;

static int compare(const void *a, const void *b)
{
  const event *x = a, *y = b;
  return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

static state of_wait(ss_activity activity)
{
  return activity == SS_WAIT_DATA || activity == SS_WAIT_OFFLOAD ? IN_DATA : IN_HOST;
}

static event *add(event *to, int32_t stage, state in, double start_s, double end_s)
{
  *to++ = (event){start_s, stage, in, 1};
  *to++ = (event){end_s, stage, in, -1};
  return to;
}

/* All that happens, in order of time; [2 (passes + waits)]. NULL where there is no memory. */
static event *list_events(const ss_history *history, int64_t *count)
{
  *count = 2 * (history->pass_count + history->wait_count);
  event *events = malloc((size_t)(*count + 1) * sizeof *events), *next = events;
  if (events == NULL) return NULL;
  for (int64_t i = 0; i < history->pass_count; ++i) {
    const ss_history_pass *pass = &history->pass[i];
    next =
        add(next, pass->stage, pass->activity == SS_OP_OPTIMIZER ? IN_OPTIMIZER : IN_PASS, pass->start_s, pass->end_s);
  }
  for (int64_t i = 0; i < history->wait_count; ++i) {
    const ss_history_wait *wait = &history->wait[i];
    next = add(next, wait->stage, of_wait(wait->activity), wait->start_s, wait->end_s);
  }
  qsort(events, (size_t)*count, sizeof *events, compare);
  return events;
}

/* Watts at the meter of a GPU in each state. In passes kernels, of which the optimizer's are others, and collectives.
 */
static void draw_states(const ss_power_curve_question *q, double watts[STATES + 1])
{
  const ss_breakdown *b = q->iteration;
  const double kernels_s = b->compute_s + b->memory_s + b->other_s,
               moving_s = b->tp_comm_s + b->cp_comm_s + b->ep_comm_s;
  const double share = kernels_s + moving_s > 0.0 ? kernels_s / (kernels_s + moving_s) : 1.0;
  const double computing_w = ss_power_at_meter_w(q->power, SS_DRAWS_COMPUTING);
  watts[IN_DATA] = ss_power_at_meter_w(q->power, SS_DRAWS_MOVING);
  watts[IN_HOST] = watts[STATES] = ss_power_at_meter_w(q->power, SS_DRAWS_WAITING);
  watts[IN_OPTIMIZER] = computing_w;
  watts[IN_PASS] = share * computing_w + (1.0 - share) * watts[IN_DATA];
}

static double draw_of(const int in[STATES], const double watts[STATES + 1])
{
  int first = 0;
  while (first < STATES && in[first] == 0) ++first;
  return watts[first];
}

/* Times, and watts, that differ by less of the whole are one. */
#define SAME 1e-9

/* Appends what is drawn from a time on, over what the same time had before, where that is a change. */
static void append(ss_power_curve *curve, double time_s, double watts)
{
  if (curve->count > 0 && time_s - curve->time_s[curve->count - 1] <= SAME * curve->end_s) --curve->count;
  if (curve->count > 0 && fabs(watts - curve->watts[curve->count - 1]) <= SAME * watts) return;
  curve->time_s[curve->count] = curve->count > 0 ? time_s : 0.0;
  curve->watts[curve->count++] = watts;
}

static void sum_up(ss_power_curve *curve)
{
  double joules = 0.0;
  curve->most_w = curve->least_w = curve->watts[0];
  for (int64_t i = 0; i < curve->count; ++i) {
    const double until_s = i + 1 < curve->count ? curve->time_s[i + 1] : curve->end_s;
    joules += curve->watts[i] * (until_s - curve->time_s[i]);
    curve->most_w = fmax(curve->most_w, curve->watts[i]);
    curve->least_w = fmin(curve->least_w, curve->watts[i]);
    if (i > 0) curve->swing_w = fmax(curve->swing_w, fabs(curve->watts[i] - curve->watts[i - 1]));
  }
  curve->mean_w = joules / curve->end_s;
}

/* Goes through the events; `in` [stages][STATES] counts what each stage is in. */
static void go_through(const ss_power_curve_question *q, const event *events, int64_t count, int (*in)[STATES],
                       ss_power_curve *curve)
{
  const double stage_gpus = q->gpus / (double)q->stages;
  double watts[STATES + 1];
  draw_states(q, watts);
  double sum_w = q->gpus * watts[STATES] + q->spare_gpus * ss_power_idle_w(q->power);
  append(curve, 0.0, sum_w);
  for (int64_t i = 0; i < count; ++i) {
    int *const of_stage = in[events[i].stage];
    const double before_w = draw_of(of_stage, watts);
    of_stage[events[i].state] += events[i].change;
    sum_w += stage_gpus * (draw_of(of_stage, watts) - before_w);
    if (events[i].time_s < q->history->end_s) append(curve, events[i].time_s, sum_w);
  }
}

ss_status ss_power_curve_of(const ss_power_curve_question *q, ss_power_curve *curve, ss_error *error)
{
  int64_t count = 0;
  event *events = list_events(q->history, &count);
  int(*in)[STATES] = calloc((size_t)q->stages, sizeof *in);
  *curve = (ss_power_curve){.time_s = malloc((size_t)(count + 1) * sizeof *curve->time_s),
                            .watts = malloc((size_t)(count + 1) * sizeof *curve->watts),
                            .end_s = q->history->end_s};
  const bool room = events != NULL && in != NULL && curve->time_s != NULL && curve->watts != NULL;
  if (room) {
    go_through(q, events, count, in, curve);
    sum_up(curve);
  }
  free(events);
  free(in);
  return room ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for power over time");
}

void ss_power_curve_free(ss_power_curve *curve)
{
  free(curve->time_s);
  free(curve->watts);
  *curve = (ss_power_curve){.time_s = NULL};
}
