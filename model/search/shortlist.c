#include "model/search/shortlist.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_PER_HOUR 3600.0

static const char *const objectives[] = {
#define SS_OBJECTIVE_WORD(id, word, help) word,
    SS_OBJECTIVE_LIST(SS_OBJECTIVE_WORD)
#undef SS_OBJECTIVE_WORD
};

const char *ss_objective_word(ss_objective objective)
{
  return objectives[objective];
}

/* Sums of the same numbers in another order must compare equal, so comparisons round to this many bits. */
#define COMPARED_BITS 40

/* To nearest, and halfway to even, on the bits of the number (IEEE 754 binary64): searches ask millions of times. A
 * carry goes on into the exponent, as it should. */
static double rounded(double number)
{
  enum { DROPPED_BITS = DBL_MANT_DIG - COMPARED_BITS };
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  const uint64_t last = bits >> DROPPED_BITS & 1, below_half = (UINT64_C(1) << (DROPPED_BITS - 1)) - 1;
  bits = (bits + below_half + last) >> DROPPED_BITS << DROPPED_BITS;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static double time_of(const ss_strategy *strategy)
{
  return rounded(strategy->estimate.iteration_s);
}

static double memory_of(const ss_strategy *strategy)
{
  return rounded(strategy->memory.total_bytes);
}

/* What an objective looks at. */
typedef struct figures {
  double time_s, memory_bytes, energy_j;
} figures;

/* Searches ask millions of times, most of them about time alone. */
static bool counts_energy(const ss_shortlist_rule *rule)
{
  return rule->objective == SS_OBJECTIVE_COST || rule->objective == SS_OBJECTIVE_ENERGY;
}

/* Of a strategy that takes at least this time, and so much energy at least. */
static figures least_figures(const ss_shortlist_rule *rule, double least_time_s, double memory_bytes)
{
  const double energy_j = counts_energy(rule) ? ss_tariff_least_j(&rule->tariff, rule->gpus, least_time_s) : 0.0;
  return (figures){rounded(least_time_s), rounded(memory_bytes), rounded(energy_j)};
}

static double energy_of(const ss_shortlist_rule *rule, const ss_strategy *strategy)
{
  return counts_energy(rule) ? ss_tariff_j(&rule->tariff, rule->gpus, &strategy->estimate) : 0.0;
}

static figures figures_of(const ss_shortlist_rule *rule, const ss_strategy *strategy)
{
  return (figures){time_of(strategy), memory_of(strategy), rounded(energy_of(rule, strategy))};
}

/* It never falls as a figure grows; the lower bound relies on that. */
static double value_of(const ss_shortlist_rule *rule, figures of)
{
  switch (rule->objective) {
  case SS_OBJECTIVE_MEMORY: return of.memory_bytes;
  case SS_OBJECTIVE_GPU_HOURS: return of.time_s * (double)rule->gpus / SECONDS_PER_HOUR;
  case SS_OBJECTIVE_COST: return ss_tariff_dollars(&rule->tariff, rule->gpus, of.time_s, of.energy_j);
  case SS_OBJECTIVE_ENERGY: return of.energy_j;
  case SS_OBJECTIVE_TIME:
  case SS_OBJECTIVE_COUNT: break;
  }
  return of.time_s;
}

double ss_strategy_value(const ss_strategy *strategy, const ss_shortlist_rule *rule)
{
  const figures of = {strategy->estimate.iteration_s, strategy->memory.total_bytes, energy_of(rule, strategy)};
  return value_of(rule, of);
}

static int compare(double a, double b)
{
  return (a > b) - (a < b);
}

/* Compares by value, then time, both rounded: below 0 if the first is better. */
static int compare_values(const ss_shortlist_rule *rule, figures of, const ss_strategy *other)
{
  const figures others = figures_of(rule, other);
  const int order = compare(value_of(rule, of), value_of(rule, others));
  return order != 0 ? order : compare(of.time_s, others.time_s);
}

static bool comes_first(const ss_strategy *a, const ss_strategy *b)
{
  return a->sizes != b->sizes ? a->sizes < b->sizes : a->variant < b->variant;
}

/* A total order. */
static bool is_better(const ss_shortlist_rule *rule, const ss_strategy *a, const ss_strategy *b)
{
  const int order = compare_values(rule, figures_of(rule, a), b);
  return order != 0 ? order < 0 : comes_first(a, b);
}

static bool is_equal(const ss_strategy *a, const ss_strategy *b)
{
  return compare(time_of(a), time_of(b)) == 0 && compare(memory_of(a), memory_of(b)) == 0;
}

/* Whether two strategies differ only in knobs that make no difference. */
static bool repeats(const ss_strategy *a, const ss_strategy *b)
{
  const ss_coordinates *x = &a->candidate.inside, *y = &b->candidate.inside;
  return a->sizes == b->sizes && x->tp == y->tp && x->cp == y->cp && x->dp == y->dp && x->pp == y->pp && is_equal(a, b);
}

ss_status ss_shortlist_init(ss_shortlist *list, const ss_shortlist_rule *rule)
{
  SS_ASSERT(rule->top > 0);
  *list = (ss_shortlist){.rule = *rule, .capacity = rule->top};
  list->top = malloc((size_t)list->capacity * sizeof *list->top);
  return list->top != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_shortlist_free(ss_shortlist *list)
{
  free(list->top);
  list->top = NULL;
  list->count = list->capacity = 0;
}

static void take_out(ss_shortlist *list, int64_t at)
{
  --list->count;
  memmove(&list->top[at], &list->top[at + 1], (size_t)(list->count - at) * sizeof *list->top);
}

/* Only a front grows. */
static ss_status put_in(ss_shortlist *list, int64_t at, const ss_strategy *strategy)
{
  if (list->count == list->capacity) {
    const int64_t capacity = 2 * list->capacity + 1;
    ss_strategy *top = realloc(list->top, (size_t)capacity * sizeof *top);
    if (top == NULL) return SS_ERROR_MEMORY;
    list->top = top;
    list->capacity = capacity;
  }
  memmove(&list->top[at + 1], &list->top[at], (size_t)(list->count - at) * sizeof *list->top);
  list->top[at] = *strategy;
  ++list->count;
  return SS_OK;
}

/* Of those with the same value and time, from `at` upwards or downwards, the one that repeats a strategy or is repeated
 * by it; -1 if there is none. */
static int64_t find_repeat(const ss_shortlist *list, const ss_strategy *strategy, int64_t at, int64_t step)
{
  const figures of = figures_of(&list->rule, strategy);
  for (; at >= 0 && at < list->count && compare_values(&list->rule, of, &list->top[at]) == 0; at += step)
    if (repeats(&list->top[at], strategy)) return at;
  return -1;
}

/* Keeps a strategy among the best. Of two that repeat each other, the first is in the list whenever the second would
 * be. */
static ss_status offer_best(ss_shortlist *list, const ss_strategy *strategy)
{
  int64_t place = list->count;
  while (place > 0 && is_better(&list->rule, strategy, &list->top[place - 1])) --place;
  if (place == list->rule.top || find_repeat(list, strategy, place - 1, -1) >= 0) return SS_OK;
  const int64_t repeat = find_repeat(list, strategy, place, 1);
  const int64_t last = list->count == list->rule.top ? list->count - 1 : list->count;
  const int64_t gone = repeat >= 0 ? repeat : last;
  if (gone < list->count) take_out(list, gone);
  return put_in(list, place, strategy);
}

/* Whether a strategy that is on the front keeps another one off it. */
static bool rules_out(const ss_strategy *kept, const ss_strategy *strategy)
{
  if (is_equal(kept, strategy)) return !comes_first(strategy, kept);
  return time_of(kept) <= time_of(strategy) && memory_of(kept) <= memory_of(strategy);
}

/* How many strategies of a front are at least as fast as this one. A front is sorted by time, and its memory falls. */
static int64_t count_as_fast(const ss_shortlist *front, double time_s)
{
  int64_t low = 0, high = front->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (time_of(&front->top[middle]) <= time_s)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Keeps a strategy on the front. Of those at least as fast, the slowest has the least memory; it may be as fast, but
 * larger or later. */
static ss_status offer_front(ss_shortlist *front, const ss_strategy *strategy)
{
  int64_t place = count_as_fast(front, time_of(strategy));
  if (place > 0 && rules_out(&front->top[place - 1], strategy)) return SS_OK;
  if (place > 0 && rules_out(strategy, &front->top[place - 1])) take_out(front, --place);
  while (place < front->count && rules_out(strategy, &front->top[place])) take_out(front, place);
  return put_in(front, place, strategy);
}

ss_status ss_shortlist_offer(ss_shortlist *list, const ss_strategy *strategy)
{
  return list->rule.pareto ? offer_front(list, strategy) : offer_best(list, strategy);
}

ss_status ss_shortlist_merge(ss_shortlist *all, const ss_shortlist *one)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < one->count; ++i) status = ss_shortlist_offer(all, &one->top[i]);
  return status;
}

bool ss_shortlist_takes(const ss_shortlist *list, double least_time_s, double memory_bytes)
{
  const ss_shortlist_rule *rule = &list->rule;
  const double time_s = rounded(least_time_s), bytes = rounded(memory_bytes);
  if (!rule->pareto)
    return list->count < rule->top ||
           compare_values(rule, least_figures(rule, least_time_s, memory_bytes), &list->top[list->count - 1]) <= 0;
  const int64_t as_fast = count_as_fast(list, time_s);
  if (as_fast == 0) return true;
  const ss_strategy *smallest = &list->top[as_fast - 1];
  const int memory = compare(bytes, memory_of(smallest));
  return memory < 0 || (memory == 0 && time_s <= time_of(smallest));
}
