/* Options of `search` alone. */
#ifndef STEPSIM_SIM_OPTIONS_SEARCH_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_SEARCH_OPTIONS_H

#include "sim/options/option.h"

typedef struct ss_search_list_options {
  int64_t top;    /* how many of the best are listed; 0 where it was not given */
  int64_t replay; /* how many of them are replayed */
  bool pareto;    /* the front of time and memory is listed instead */
} ss_search_list_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_search_option_rows[];

/* How many of the best are listed: 10 where nobody says. */
int64_t ss_search_top(const ss_search_list_options *options);

/* How many are replayed at most: those of a front that were asked for; else eight times as many, so that those that the
 * closed form takes for faster than the best replay get one. */
int64_t ss_search_replays(const ss_search_list_options *options);

/* How many of the best the search keeps for that: one more than are replayed tells whether others are faster. */
int64_t ss_search_kept(const ss_search_list_options *options);

#endif
