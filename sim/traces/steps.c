#include "sim/traces/steps.h"

#include <stdlib.h>

#include "model/base/grow.h"
#include "model/base/number.h"

/* A trace of more steps is no trace of a few iterations. */
enum { STEPS_MAX = 4096 };

static ss_status append(ss_trace_steps *steps, ss_trace_step step, ss_error *error)
{
  if (steps->count == STEPS_MAX)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "has more than %d steps", STEPS_MAX);
  ss_trace_step *grown = ss_grown(steps->step, steps->count, &steps->room, sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the steps of a trace");
  steps->step = grown;
  steps->step[steps->count++] = step;
  return SS_OK;
}

/* Annotations of a step follow one another, so that the last steps are the ones to look at. */
ss_status ss_trace_steps_add(ss_trace_steps *steps, int64_t number, ss_window window, ss_error *error)
{
  for (int64_t i = steps->count - 1; i >= 0; --i) {
    ss_trace_step *step = &steps->step[i];
    if (step->number != number) continue;
    step->window.start_s = ss_min(step->window.start_s, window.start_s);
    step->window.end_s = ss_max(step->window.end_s, window.end_s);
    return SS_OK;
  }
  return append(steps, (ss_trace_step){number, window}, error);
}

void ss_trace_steps_free(ss_trace_steps *steps)
{
  free(steps->step);
  *steps = (ss_trace_steps){.count = 0};
}

static int by_start(const void *a, const void *b)
{
  const ss_trace_step *x = a, *y = b;
  if (x->window.start_s != y->window.start_s) return x->window.start_s < y->window.start_s ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

void ss_trace_steps_join(ss_trace_steps *steps)
{
  if (steps->count > 0) qsort(steps->step, (size_t)steps->count, sizeof *steps->step, by_start);
  for (int64_t i = 0; i + 1 < steps->count; ++i) steps->step[i].window.end_s = steps->step[i + 1].window.start_s;
}

static bool has_class(const ss_work_log *log, ss_kernel_class kind)
{
  for (int64_t i = 0; i < log->count; ++i)
    if (log->edge[i].kind == (int8_t)kind) return true;
  return false;
}

ss_status ss_trace_steps_repeats(ss_trace_steps *steps, const ss_work_log *log, ss_error *error)
{
  const ss_kernel_class work = has_class(log, SS_CLASS_ATTENTION) ? SS_CLASS_ATTENTION : SS_CLASS_PRODUCT;
  double cut_s = 0.0, ended_s = 0.0;
  bool has_cut = false, has_ended = false;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < log->count; ++i) {
    const ss_work_edge *edge = &log->edge[i];
    const bool optimizes = edge->kind == SS_CLASS_OPTIMIZER, is_last = i + 1 == log->count;
    if (optimizes && !edge->begins) ended_s = edge->time_s;
    has_ended = has_ended || (optimizes && !edge->begins);
    if (!has_ended || !((edge->kind == (int8_t)work && edge->begins) || is_last)) continue;
    if (has_cut) status = append(steps, (ss_trace_step){steps->count, {cut_s, ended_s}}, error);
    cut_s = ended_s;
    has_cut = true;
    has_ended = false;
  }
  return status;
}

static int by_length(const void *a, const void *b)
{
  const ss_trace_step *x = a, *y = b;
  const double lengths[] = {x->window.end_s - x->window.start_s, y->window.end_s - y->window.start_s};
  if (lengths[0] != lengths[1]) return lengths[0] < lengths[1] ? -1 : 1;
  return by_start(a, b);
}

static double length_s(const ss_trace_step *step)
{
  return step->window.end_s - step->window.start_s;
}

static const ss_trace_step *of_number(const ss_trace_steps *steps, int64_t number)
{
  for (int64_t i = 0; i < steps->count; ++i)
    if (steps->step[i].number == number) return &steps->step[i];
  return NULL;
}

ss_status ss_trace_steps_choose(const ss_trace_steps *steps, int64_t number, ss_trace_step *chosen,
                                ss_measurement *measurement, ss_error *error)
{
  const int64_t count = steps->count;
  const ss_trace_step *wanted = of_number(steps, number);
  if (number >= 0 && wanted == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "has no step %lld; allowed: %lld to %lld", (long long)number,
                        (long long)steps->step[0].number, (long long)steps->step[count - 1].number);
  ss_trace_step *sorted = malloc((size_t)count * sizeof *sorted);
  if (sorted == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the steps of a trace");
  for (int64_t i = 0; i < count; ++i) sorted[i] = steps->step[i];
  qsort(sorted, (size_t)count, sizeof *sorted, by_length);
  *chosen = wanted != NULL ? *wanted : sorted[(count - 1) / 2];
  measurement->step = chosen->number;
  measurement->steps = count;
  measurement->shortest_s = length_s(&sorted[0]);
  measurement->median_s = length_s(&sorted[(count - 1) / 2]);
  measurement->longest_s = length_s(&sorted[count - 1]);
  free(sorted);
  return SS_OK;
}
