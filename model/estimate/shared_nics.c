#include "model/estimate/shared_nics.h"

#include "model/base/number.h"

/* When something is there that would be there at `due_s` by itself. */
static double shared_until(const ss_beside *beside, double due_s)
{
  const ss_pass pass = beside->pass;
  const double slow_s = beside->time->run_s[pass] + beside->time->loss_s[pass], busy_s = due_s - beside->start_s;
  return busy_s > 0.0 ? due_s + beside->time->shared_s[pass] * ss_min(busy_s / slow_s, 1.0) : due_s;
}

void ss_share_nics(ss_walk *w, const ss_beside *beside, int64_t first, int64_t end)
{
  for (int64_t i = first; i < end; ++i) w->gathered_s[i & w->mask] = shared_until(beside, w->gathered_s[i & w->mask]);
  if (beside->start_s >= w->whole_s) return;
  for (int64_t i = 0; i < w->blocks; ++i) w->block[i].weights_s = shared_until(beside, w->block[i].weights_s);
  w->whole_s = shared_until(beside, w->whole_s);
}
