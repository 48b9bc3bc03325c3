#include "model/profile/comparison.h"

#include <math.h>
#include <stdlib.h>

void ss_comparison_average(ss_comparison *comparison)
{
  const double weight = 1.0 / (double)comparison->count;
  comparison->measured = comparison->predicted = (ss_profile){.layers = 0};
  for (int64_t i = 0; i < comparison->count; ++i) {
    ss_profile_add(&comparison->measured, &comparison->trace[i].measured.profile, weight);
    ss_profile_add(&comparison->predicted, &comparison->trace[i].predicted, weight);
  }
}

/* Less than this share of the iteration is no difference: traces round times. */
#define MATTERS 1e-6

static void add(ss_compared_part *part, int *count, ss_compared_part next, double iteration_s)
{
  next.excess_s = next.measured_s - next.predicted_s;
  if (fabs(next.excess_s) < MATTERS * iteration_s) next.excess_s = 0.0;
  part[(*count)++] = next;
}

static int by_excess(const void *a, const void *b)
{
  const ss_compared_part *x = a, *y = b;
  if (x->excess_s != y->excess_s) return x->excess_s > y->excess_s ? -1 : 1;
  return (x->kind > y->kind) - (x->kind < y->kind);
}

int ss_comparison_parts(const ss_comparison *comparison, ss_compared_part part[SS_COMPARED_PARTS])
{
  const ss_profile *measured = &comparison->measured, *predicted = &comparison->predicted;
  int count = 0;
  for (int kind = 0; kind < SS_CLASS_COUNT; ++kind)
    if (measured->of[kind].active_s > 0.0 || predicted->of[kind].active_s > 0.0)
      add(part, &count,
          (ss_compared_part){(ss_kernel_class)kind, measured->of[kind].alone_s, predicted->of[kind].alone_s, 0.0},
          predicted->iteration_s);
  if (measured->idle_s > 0.0 || predicted->idle_s > 0.0)
    add(part, &count, (ss_compared_part){SS_CLASS_COUNT, measured->idle_s, predicted->idle_s, 0.0},
        predicted->iteration_s);
  qsort(part, (size_t)count, sizeof *part, by_excess);
  return count;
}

const char *ss_compared_part_name(ss_kernel_class kind)
{
  return kind == SS_CLASS_COUNT ? "idle" : ss_class_word(kind);
}
