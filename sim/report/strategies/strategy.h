/* How reports say what a strategy is: its sizes, knobs and placement. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_STRATEGY_H
#define STEPSIM_SIM_REPORT_STRATEGIES_STRATEGY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/search/space.h"
#include "sim/report/report.h"

/* Which columns a table of strategies has beside those that all have: what differs between those that it has seen. */
typedef struct ss_strategy_columns {
  ss_tensor own_layout; /* of the workload */
  bool layouts, tp2, cp, panels;
  ss_knob_set knobs;           /* that the strategies have values of */
  int64_t seen;                /* strategies */
  ss_candidate first;          /* of them */
  int domain_width;            /* of the placement */
  bool differs[SS_KNOB_TOTAL]; /* not all have the value of the first */
  int width[SS_KNOB_TOTAL];    /* of the widest value */
  bool folded;                 /* panels, knobs and placement are below a row, which is too long with them */
} ss_strategy_columns;

/* No columns yet; then sees a strategy that the table will list. */
ss_strategy_columns ss_strategy_columns_of(ss_tensor own_layout, ss_knob_set knobs);
void ss_strategy_columns_see(ss_strategy_columns *columns, const ss_candidate *candidate);

/* Print the labels, and the cells of a row, from the tensor layout to the placement. */
void ss_strategy_print_header(FILE *stream, const ss_strategy_columns *columns);
void ss_strategy_print(FILE *stream, const ss_strategy_columns *columns, const ss_candidate *candidate);

/* Prints, `indent` characters from the left, what is folded below a row, and ends the line; or nothing. */
void ss_strategy_print_folded(FILE *stream, const ss_strategy_columns *columns, const ss_candidate *candidate,
                              int indent);

/* Prints the knobs that have no column, since all strategies have the same value, and an empty line; or nothing. */
void ss_strategy_print_common(FILE *stream, const ss_strategy_columns *columns);

/* The value of a knob of a strategy as --set takes it. Cut to `size`. */
void ss_knob_text(int index, const ss_candidate *candidate, char *text, size_t size);

/* Adds what a strategy is to an object: sizes, `knobs` by attribute, and how many of each coordinate share a domain. */
void ss_json_add_candidate(json_t *object, const ss_candidate *candidate, ss_knob_set knobs, bool *complete);

/* Tells what makes the input files of a search into a strategy, NAME=VALUE of each: its overrides that the strategy
 * leaves as they are, and what it changes. */
typedef void ss_tell_setting(void *context, const char *setting);
void ss_strategy_tell_settings(const ss_search_report *report, const ss_candidate *candidate, ss_tell_setting *tell,
                               void *context);

/* Prints that as options --set, with a space before each. The caller has begun the line with a space; those that follow
 * end as the shell wants it. */
void ss_strategy_print_options(FILE *stream, const ss_search_report *report, const ss_candidate *candidate);

#endif
