#include "model/collective/kind.h"

static const struct {
  double passes;
  ss_activity activity;
  bool keeps;
} collectives[] = {
#define SS_COLLECTIVE_ROW(id, activity, passes, keeps, given) {passes, activity, keeps},
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
