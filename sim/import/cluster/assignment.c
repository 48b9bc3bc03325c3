#include "sim/import/cluster/assignment.h"

#include <stdbool.h>
#include <stdlib.h>

/* Rows and columns are counted from 1; column 0 is where the row that is being assigned stands. */
typedef struct solving {
  const int64_t *value;
  int64_t count;
  int64_t *row_price, *column_price; /* [count + 1] whose sum no member exceeds; owned */
  int64_t *row_of;                   /* [count + 1] of a column; 0: none; owned */
  int64_t *slack, *from;             /* [count + 1] least loss on a path to a column, and the column before; owned */
  bool *reached;                     /* [count + 1] owned */
} solving;

static bool allocate(solving *s)
{
  const size_t count = (size_t)s->count + 1;
  s->row_price = calloc(count, sizeof *s->row_price);
  s->column_price = calloc(count, sizeof *s->column_price);
  s->row_of = calloc(count, sizeof *s->row_of);
  s->slack = calloc(count, sizeof *s->slack);
  s->from = calloc(count, sizeof *s->from);
  s->reached = calloc(count, sizeof *s->reached);
  return s->row_price != NULL && s->column_price != NULL && s->row_of != NULL && s->slack != NULL && s->from != NULL &&
         s->reached != NULL;
}

/* The column that is nearest to those that are reached, by way of the last of them; prices make it reachable. */
static int64_t reach_next(solving *s, int64_t last)
{
  const int64_t row = s->row_of[last];
  int64_t nearest = 0;
  for (int64_t j = 1; j <= s->count; ++j) {
    if (s->reached[j]) continue;
    const int64_t loss = s->row_price[row] + s->column_price[j] - s->value[(row - 1) * s->count + j - 1];
    if (loss < s->slack[j]) {
      s->slack[j] = loss;
      s->from[j] = last;
    }
    if (nearest == 0 || s->slack[j] < s->slack[nearest]) nearest = j;
  }
  const int64_t step = s->slack[nearest];
  for (int64_t j = 0; j <= s->count; ++j) {
    if (s->reached[j]) {
      s->row_price[s->row_of[j]] -= step;
      s->column_price[j] += step;
    } else {
      s->slack[j] -= step;
    }
  }
  return nearest;
}

static void assign(solving *s, int64_t row)
{
  int64_t column = 0;
  s->row_of[0] = row;
  s->column_price[0] = 0;
  for (int64_t j = 0; j <= s->count; ++j) {
    s->slack[j] = INT64_MAX / 2;
    s->reached[j] = false;
  }
  do {
    s->reached[column] = true;
    column = reach_next(s, column);
  } while (s->row_of[column] != 0);
  for (int64_t before; column != 0; column = before) {
    before = s->from[column];
    s->row_of[column] = s->row_of[before];
  }
}

/* No member exceeds its prices. */
static void set_prices(solving *s)
{
  for (int64_t i = 0; i < s->count; ++i)
    for (int64_t j = 0; j < s->count; ++j)
      if (s->value[i * s->count + j] > s->row_price[i + 1]) s->row_price[i + 1] = s->value[i * s->count + j];
}

ss_status ss_assignment_best(const int64_t *value, int64_t count, int64_t *sum, ss_error *error)
{
  solving s = {.value = value, .count = count};
  const bool complete = allocate(&s);
  *sum = 0;
  if (complete) set_prices(&s);
  for (int64_t row = 1; complete && row <= count; ++row) assign(&s, row);
  for (int64_t j = 1; complete && j <= count; ++j) *sum += value[(s.row_of[j] - 1) * count + j - 1];
  free(s.row_price);
  free(s.column_price);
  free(s.row_of);
  free(s.slack);
  free(s.from);
  free(s.reached);
  return complete ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for an assignment");
}
