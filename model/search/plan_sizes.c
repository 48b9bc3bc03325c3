#include "model/search/plan_sizes.h"

#include "model/base/error.h"

static double seconds(const ss_plan_size *size)
{
  return size->mean.total_s;
}

static double gpu_seconds(const ss_plan_size *size)
{
  return size->bill.gpu_s;
}

static double dollars(const ss_plan_size *size)
{
  return ss_bill_dollars(&size->bill);
}

static double joules(const ss_plan_size *size)
{
  return size->bill.energy_j;
}

bool ss_plan_sizes_affords(const ss_plan_sizes *sizes, const ss_plan_size *size)
{
  return sizes->budget_dollars == 0.0 || dollars(size) <= sizes->budget_dollars;
}

int64_t ss_plan_sizes_best(const ss_plan_sizes *sizes)
{
  static double (*const values[SS_OBJECTIVE_COUNT])(const ss_plan_size *size) = {
      [SS_OBJECTIVE_TIME] = seconds,
      [SS_OBJECTIVE_GPU_HOURS] = gpu_seconds,
      [SS_OBJECTIVE_COST] = dollars,
      [SS_OBJECTIVE_ENERGY] = joules,
  };
  double (*const value)(const ss_plan_size *size) = values[sizes->objective];
  int64_t best = -1;
  SS_ASSERT(value != NULL);
  for (int64_t i = 0; i < sizes->count; ++i) {
    const ss_plan_size *size = &sizes->size[i];
    if (size->refusal[0] != '\0' || !ss_plan_sizes_affords(sizes, size)) continue;
    if (best < 0 || value(size) < value(&sizes->size[best])) best = i;
  }
  return best;
}
