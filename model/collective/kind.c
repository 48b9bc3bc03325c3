#include "model/collective/kind.h"

#include <string.h>

static const struct {
  double passes;
  ss_activity activity;
  bool keeps;
  ss_attribute_index given;
} collectives[] = {
#define SS_COLLECTIVE_ROW(id, activity, passes, keeps, given) {passes, activity, keeps, given},
    SS_COLLECTIVE_LIST(SS_COLLECTIVE_ROW)
#undef SS_COLLECTIVE_ROW
};

ss_activity ss_collective_activity(ss_collective kind)
{
  return collectives[kind].activity;
}

double ss_collective_passes(ss_collective kind)
{
  return collectives[kind].passes;
}

double ss_collective_ring_share(ss_collective kind, int64_t ranks)
{
  const double n = (double)ranks;
  return collectives[kind].passes * (collectives[kind].keeps ? (n - 1.0) / n : 1.0);
}

ss_attribute_index ss_collective_attribute(ss_collective kind)
{
  return collectives[kind].given;
}

ss_algorithm ss_collective_given(const ss_workload *workload, ss_collective kind)
{
  if (collectives[kind].given == SS_ATTRIBUTE_TOTAL) return SS_ALGORITHM_AUTO;
  ss_algorithm given;
  memcpy(&given, (const char *)workload + ss_workload_attributes()[collectives[kind].given].offset, sizeof given);
  return given;
}
