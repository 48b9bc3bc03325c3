#include "model/result/prediction.h"

#include <math.h>

#include <stddef.h>
#include <string.h>

static const struct {
  size_t offset;
  const char *field, *label;
} parts[SS_PART_COUNT] = {
#define SS_PART_ROW(field, label, help) {offsetof(ss_breakdown, field), #field, label},
    SS_PART_LIST(SS_PART_ROW)
#undef SS_PART_ROW
};

double ss_breakdown_part(const ss_breakdown *breakdown, ss_part part)
{
  double part_s;
  memcpy(&part_s, (const char *)breakdown + parts[part].offset, sizeof part_s);
  return part_s;
}

const char *ss_part_field(ss_part part)
{
  return parts[part].field;
}

const char *ss_part_label(ss_part part)
{
  return parts[part].label;
}

double ss_breakdown_sum(const ss_breakdown *breakdown)
{
  double sum_s = 0.0;
#define SS_PART_ADD(field, label, help) sum_s += breakdown->field;
  SS_PART_LIST(SS_PART_ADD)
#undef SS_PART_ADD
  return sum_s;
}

double ss_stability_change(const ss_stability *stability, double iteration_s)
{
  return (stability->shaken_s - iteration_s) / iteration_s;
}

bool ss_stability_is_stable(const ss_stability *stability, double iteration_s)
{
  return fabs(ss_stability_change(stability, iteration_s)) <= SS_SHAKE_MATTERS;
}

const ss_breakdown *ss_prediction_iteration(const ss_prediction *prediction)
{
  return prediction->simulated ? &prediction->simulation : &prediction->estimate;
}

bool ss_prediction_fits(const ss_prediction *prediction)
{
  for (int64_t stage = 0; stage < prediction->stages; ++stage)
    if (!prediction->stage_memory[stage].fits) return false;
  return true;
}
