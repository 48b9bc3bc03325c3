#include "model/collective/registry.h"

static const ss_algorithm_row *const rows[] = {
#define SS_ALGORITHM_ENTRY(id, table) [id] = &table,
    SS_ALGORITHM_ROWS(SS_ALGORITHM_ENTRY)
#undef SS_ALGORITHM_ENTRY
};

_Static_assert(SS_ALGORITHM_COUNT <= 8 * sizeof(ss_algorithm_set), "an algorithm is a bit of a set");

#define SS_ALGORITHM_ONE(id, table) +1
_Static_assert(SS_ALGORITHM_ROWS(SS_ALGORITHM_ONE) == SS_ALGORITHM_COUNT - 1,
               "every word of SS_ALGORITHM_LIST but auto has a row");
#undef SS_ALGORITHM_ONE

const ss_algorithm_row *ss_algorithm_row_of(ss_algorithm algorithm)
{
  return rows[algorithm];
}
