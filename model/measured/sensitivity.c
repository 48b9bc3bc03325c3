#include "model/measured/sensitivity.h"

#include <math.h>
#include <string.h>

#include "model/input/origin.h"

/* Below it, a constant twice as large changes what was measured by less than 1 %. */
#define LEAST_WEIGHT 0.01
/* The share of a constant's influence that others do not have. */
#define LEAST_OWN 0.1

/* A row of the list. */
typedef struct candidate {
  ss_property_index property;
  double low, high; /* bounds, or a factor down and up from the start */
  bool is_share;
  int unless; /* the property that stands in its place; SS_PROPERTY_TOTAL: none */
  const char *tells;
} candidate;

static const candidate candidates[SS_FREE_CONSTANTS] = {
#define SS_FREE_SHARE(field, low, high, tells)       {SS_PROPERTY_##field, low, high, true, SS_PROPERTY_TOTAL, tells},
#define SS_FREE_FACTOR(field, factor, unless, tells) {SS_PROPERTY_##field, factor, factor, false, unless, tells},
#include "model/measured/free_constants.def"
#undef SS_FREE_SHARE
#undef SS_FREE_FACTOR
};

#define FATE_WORD(id, word, text) word,
#define FATE_TEXT(id, word, text) text,

const char *ss_fate_word(ss_fate fate)
{
  static const char *const words[] = {SS_FATE_LIST(FATE_WORD)};
  return words[fate];
}

const char *ss_fate_text(ss_fate fate)
{
  static const char *const texts[] = {SS_FATE_LIST(FATE_TEXT)};
  return texts[fate];
}

static double value_of(const ss_machine *machine, int property)
{
  double value = 0.0;
  if (property != SS_PROPERTY_TOTAL)
    memcpy(&value, (const char *)machine + ss_machine_properties()[property].offset, sizeof value);
  return value;
}

void ss_free_constants_of(const ss_machine *machine, ss_free_constant *list)
{
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i) {
    const candidate *c = &candidates[i];
    const ss_property *row = &ss_machine_properties()[c->property];
    const double start = value_of(machine, (int)c->property);
    list[i] = (ss_free_constant){.constant = {.property = row, .start = start}, .tells = c->tells};
    list[i].constant.from = c->is_share ? fmin(c->low, start) : start / c->low;
    list[i].constant.to = fmin(c->is_share ? fmax(c->high, start) : start * c->high, row->maximum);
    list[i].fate = start > 0.0 && value_of(machine, c->unless) == 0.0 ? SS_FATE_IDLE : SS_FATE_ABSENT;
    if (list[i].fate == SS_FATE_IDLE && machine->line[c->property] == SS_LINE_OVERRIDE) list[i].fate = SS_FATE_SET;
  }
}

static double dot(const ss_fit_points *points, const double *a, const double *b)
{
  double sum = 0.0;
  for (int64_t i = 0; i < points->count; ++i) sum += points->weight[i] * a[i] * b[i];
  return sum;
}

static double mean_size(const ss_fit_points *points, const double *a)
{
  double sum = 0.0, weight = 0.0;
  for (int64_t i = 0; i < points->count; ++i) {
    sum += points->weight[i] * fabs(a[i]);
    weight += points->weight[i];
  }
  return weight > 0.0 ? sum / weight : 0.0;
}

/* The open constant with the most influence; -1 where there is none. */
static int next_open(const ss_free_constant *list)
{
  int best = -1;
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i)
    if (list[i].fate == SS_FATE_IDLE && list[i].weight > 0.0 && (best < 0 || list[i].weight > list[best].weight))
      best = i;
  return best;
}

/* Those that are fitted so far, and the parts of each that the ones before do not have. */
typedef struct basis {
  int constant[SS_FREE_CONSTANTS];
  double *part[SS_FREE_CONSTANTS];
  int count;
} basis;

/* Leaves in `part` what is left of a sensitivity without the basis; returns its share, and which it is most like. */
static double own_share(const ss_fit_points *points, const ss_free_constant *list, const basis *known, int index,
                        double *part, int64_t *like)
{
  const double *own = list[index].sensitivity;
  const double size = sqrt(dot(points, own, own));
  double nearest = -1.0;
  memcpy(part, own, (size_t)points->count * sizeof *part);
  for (int k = 0; k < known->count; ++k) {
    const double *base = known->part[k], *other = list[known->constant[k]].sensitivity;
    const double along = dot(points, part, base) / dot(points, base, base);
    const double likeness = fabs(dot(points, own, other)) / sqrt(dot(points, other, other));
    if (likeness > nearest) {
      nearest = likeness;
      *like = known->constant[k];
    }
    for (int64_t i = 0; i < points->count; ++i) part[i] -= along * base[i];
  }
  return sqrt(dot(points, part, part)) / size;
}

void ss_free_constants_choose(ss_free_constant *list, const ss_fit_points *points, double *scratch)
{
  basis known = {.count = 0};
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i)
    if (list[i].fate == SS_FATE_IDLE) list[i].weight = mean_size(points, list[i].sensitivity);
  for (int at = next_open(list); at >= 0; at = next_open(list)) {
    double *part = scratch + (size_t)known.count * (size_t)points->count;
    if (list[at].weight < LEAST_WEIGHT) {
      list[at].fate = SS_FATE_WEAK;
    } else if (own_share(points, list, &known, at, part, &list[at].like) < LEAST_OWN) {
      list[at].fate = SS_FATE_ALIKE;
    } else if (known.count >= SS_FIT_CONSTANTS || (known.count > 0 && known.count >= points->count - 1)) {
      list[at].fate = SS_FATE_MANY;
    } else {
      list[at].fate = SS_FATE_FITTED;
      known.constant[known.count] = at;
      known.part[known.count++] = part;
    }
  }
}
