#include "sim/engine/headroom/coarse_marks.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/statistics.h"

/* Of what flows are ahead in all, what may be left where some of them are told apart. What marks leave is far less: who
 * is told from slower ones does not meet others where these do. */
#define LEFT_SHARE 0.125

/* Flows that are ahead by as much tell themselves apart: so much that what is less, and as much of what is more, adds
 * up to what may be left. `ahead_s` [count] by transfers, in order. */
static double telling_s(const double *ahead_s, int64_t count, double left_s)
{
  double telling = left_s;
  for (int64_t i = 0; i < count; ++i) {
    telling = left_s / (double)(count - i);
    if (ahead_s[i] >= telling) break;
    left_s -= ahead_s[i];
  }
  return telling;
}

/* What tells flows apart that are ahead, of all that are; NAN when memory is out. */
static double find_telling_s(const ss_presumption *presumption, const ss_ahead *ahead)
{
  double *ahead_s = malloc((size_t)(presumption->kinds + 1) * sizeof *ahead_s);
  if (ahead_s == NULL) return NAN;
  int64_t count = 0;
  for (int64_t kind = 0; kind < presumption->kinds; ++kind)
    if (ahead->foremost_s[kind] > 0.0) ahead_s[count++] = ahead->foremost_s[kind];
  ss_sort_values(ahead_s, count);
  const double telling = telling_s(ahead_s, count, LEFT_SHARE * ahead->sum_s);
  free(ahead_s);
  return telling;
}

/* The mark of a type that is so much ahead: the same for all that are about as much, up to twice as much. */
static int32_t coarse_mark(double ahead_s, double telling)
{
  return ahead_s > 0.0 && ahead_s >= telling ? 1 + (int32_t)lround(log2(ahead_s / telling)) : 0;
}

/* Types of a kind keep the marks that say when they were ahead where the coarse ones would tell none from the others.
 */
static void coarsen(const ss_presumption *presumption, int32_t kind, const double *ahead_s, double telling,
                    int32_t *mark)
{
  const int64_t first = presumption->first_type[kind], end = presumption->first_type[kind + 1];
  bool differ = end - first < 2;
  for (int64_t i = first; i < end; ++i)
    differ = differ || coarse_mark(ahead_s[presumption->type[i]], telling) !=
                           coarse_mark(ahead_s[presumption->type[first]], telling);
  const bool stay = !differ && coarse_mark(ahead_s[presumption->type[first]], telling) > 0;
  for (int64_t i = first; !stay && i < end; ++i)
    mark[presumption->type[i]] = coarse_mark(ahead_s[presumption->type[i]], telling);
}

ss_status ss_coarse_marks_make(const ss_presumption *presumption, const ss_ahead *ahead, int32_t *mark)
{
  const double telling = find_telling_s(presumption, ahead);
  if (isnan(telling)) return SS_ERROR_MEMORY;
  for (int32_t kind = 0; kind < presumption->kinds; ++kind) coarsen(presumption, kind, ahead->type_s, telling, mark);
  return SS_OK;
}
