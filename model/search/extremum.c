#include "model/search/extremum.h"

#include <math.h>
#include <stddef.h>

/* Smaller differences are rounding: the same iteration summed in another order. */
#define SAME_TIME 1e-9

/* Places of equal time: from `first` to `last`. */
typedef struct place {
  int64_t first, last;
} place;

static int64_t next_point(const ss_breakdown *const *curve, int64_t count, int64_t from)
{
  while (from < count && curve[from] == NULL) from++;
  return from;
}

/* The place that begins at the first point from `from` on; false if there is none. */
static bool find_place(const ss_breakdown *const *curve, int64_t count, int64_t from, place *found)
{
  found->first = found->last = next_point(curve, count, from);
  if (found->first == count) return false;
  const double time_s = curve[found->first]->iteration_s;
  int64_t next = next_point(curve, count, found->first + 1);
  while (next < count && fabs(curve[next]->iteration_s - time_s) <= SAME_TIME * time_s) {
    found->last = next;
    next = next_point(curve, count, next + 1);
  }
  return true;
}

/* The part that drives the extremum; `sign` is 1 for a minimum and -1 for a maximum. */
static ss_part extremum_part(const ss_breakdown *const *curve, const place p[3], double sign)
{
  ss_part best = (ss_part)0;
  double most_s = -INFINITY;
  for (int i = 0; i < SS_PART_COUNT; ++i) {
    const ss_part part = (ss_part)i;
    const double before_s = ss_breakdown_part(curve[p[0].last], part) - ss_breakdown_part(curve[p[1].first], part);
    const double after_s = ss_breakdown_part(curve[p[2].first], part) - ss_breakdown_part(curve[p[1].last], part);
    const double turn_s = sign * (before_s + after_s);
    if (turn_s > most_s) {
      most_s = turn_s;
      best = part;
    }
  }
  return best;
}

/* From one extremum to the next, the time only rises or only falls. */
static void find_depths(const ss_breakdown *const *curve, int64_t count, ss_extremum *extremum, int64_t found)
{
  int64_t last = count - 1;
  while (last > 0 && curve[last] == NULL) --last;
  int64_t before = next_point(curve, count, 0);
  for (int64_t i = 0; i < found; ++i) {
    const int64_t after = i + 1 < found ? extremum[i + 1].first : last;
    const double here_s = curve[extremum[i].first]->iteration_s;
    extremum[i].depth_s = fmin(fabs(curve[before]->iteration_s - here_s), fabs(curve[after]->iteration_s - here_s));
    before = extremum[i].first;
  }
}

int64_t ss_extrema_find(const ss_breakdown *const *curve, int64_t count, ss_extremum *extremum)
{
  int64_t found = 0;
  place p[3];
  if (!find_place(curve, count, 0, &p[0]) || !find_place(curve, count, p[0].last + 1, &p[1])) return 0;
  while (find_place(curve, count, p[1].last + 1, &p[2])) {
    const double here_s = curve[p[1].first]->iteration_s;
    const bool falls = here_s<curve[p[0].last]->iteration_s, rises = curve[p[2].first]->iteration_s> here_s;
    if (falls == rises)
      extremum[found++] = (ss_extremum){.first = p[1].first,
                                        .last = p[1].last,
                                        .maximum = !falls,
                                        .part = extremum_part(curve, p, falls ? 1.0 : -1.0)};
    p[0] = p[1];
    p[1] = p[2];
  }
  find_depths(curve, count, extremum, found);
  return found;
}
