/* What the replays of a listing leave out. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_SHORTCUTS_H
#define STEPSIM_SIM_REPORT_STRATEGIES_SHORTCUTS_H

#include <stdio.h>

#include "model/search/strategy.h"

/* The most of any replay; zeroed, of none. */
typedef struct ss_shortcut_bound {
  double ahead_share;    /* of an iteration: flows that were taken for others (ss_presumed) */
  int64_t crowded_links; /* without contention */
} ss_shortcut_bound;

/* Includes the replay of a strategy, if it has one. */
void ss_shortcut_bound_see(ss_shortcut_bound *bound, const ss_strategy *strategy);

/* Prints a sentence for each of the two that some replay left out. */
void ss_shortcut_bound_print(FILE *stream, const ss_shortcut_bound *bound);

#endif
