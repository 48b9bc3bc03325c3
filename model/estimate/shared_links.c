#include "model/estimate/shared_links.h"

static inline bool is_all_along(const ss_beside *l, double due_s)
{
  return due_s - l->start_s >= l->beside_s;
}

/* When something is there that would be there at `due_s` by itself. */
static inline double delayed_s(const ss_beside *l, double due_s)
{
  if (is_all_along(l, due_s)) return due_s + l->delay_s;
  return due_s > l->start_s ? due_s + l->delay_s * ((due_s - l->start_s) / l->beside_s) : due_s;
}

/* They are there one after the other, so that most are under way all along, or have been there for long: there are as
 * many as blocks, and each block comes here. */
static void delay_first(ss_walk *w, const ss_beside *l)
{
  const int64_t end = w->ops.first + 1;
  int64_t i = w->there;
  while (i < end && w->first_s[i] <= l->start_s) ++i;
  w->there = i;
  for (; i < end && !is_all_along(l, w->first_s[i]); ++i) w->first_s[i] = delayed_s(l, w->first_s[i]);
  for (; i < end; ++i) w->first_s[i] += l->delay_s;
  w->whole_s = delayed_s(l, w->whole_s);
}

void ss_delay_gathers(ss_walk *w, const ss_beside *beside, int64_t first, int64_t end)
{
  for (int64_t i = w->fetches + first; i < w->fetches + end; ++i)
    w->gathered_s[i & w->mask] = delayed_s(beside, w->gathered_s[i & w->mask]);
  if (beside->start_s < w->whole_s) delay_first(w, beside);
}

double ss_meet_message(ss_walk *w, double busy_s, double nic_s)
{
  const double delay_s = w->data_nic * ss_min(busy_s, nic_s);
  ss_share_links_now(w, (ss_beside){w->compute_s, nic_s, w->data_nic * nic_s});
  w->data_s += delay_s;
  return delay_s;
}
