#include "model/run/plan.h"

const ss_plan_phase *ss_plan_longest(const ss_plan *plan)
{
  const ss_plan_phase *longest = &plan->phase[0];
  for (int64_t i = 1; i < plan->phases; ++i)
    if (plan->phase[i].mean.total_s > longest->mean.total_s) longest = &plan->phase[i];
  return longest;
}
