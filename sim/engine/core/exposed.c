#include "sim/engine/core/exposed.h"

double ss_exposed_sum(const ss_exposed *parts)
{
  double sum_s = 0.0;
#define SS_ADD(field, label, help) sum_s += parts->field;
  SS_EXPOSED_LIST(SS_ADD)
#undef SS_ADD
  return sum_s;
}

void ss_exposed_add(ss_exposed *exposed, double time_s, const ss_exposed *parts)
{
  const double sum_s = ss_exposed_sum(parts);
  if (sum_s <= 0.0) return;
#define SS_ADD(field, label, help) exposed->field += time_s * parts->field / sum_s;
  SS_EXPOSED_LIST(SS_ADD)
#undef SS_ADD
}
