#include "model/estimate/shared_links.h"

/* What a pass takes away from what is under way all along beside it, and how long that would take by itself. */
typedef struct loss {
  double start_s, beside_s, delay_s;
} loss;

static inline bool is_all_along(const loss *l, double due_s)
{
  return due_s - l->start_s >= l->beside_s;
}

/* When something is there that would be there at `due_s` by itself. */
static inline double delayed_s(const loss *l, double due_s)
{
  if (is_all_along(l, due_s)) return due_s + l->delay_s;
  return due_s > l->start_s ? due_s + l->delay_s * ((due_s - l->start_s) / l->beside_s) : due_s;
}

/* They are there one after the other, so that most are under way all along, or have been there for long: there are as
 * many as blocks, and each block comes here. */
static void delay_first(ss_walk *w, const loss *l)
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
  const ss_kind_time *time = beside->time;
  const ss_pass pass = beside->pass;
  const loss l = {beside->start_s, ss_kind_time_beside_s(time, pass), time->delay_s[pass]};
  for (int64_t i = w->fetches + first; i < w->fetches + end; ++i)
    w->gathered_s[i & w->mask] = delayed_s(&l, w->gathered_s[i & w->mask]);
  if (l.start_s < w->whole_s) delay_first(w, &l);
}
