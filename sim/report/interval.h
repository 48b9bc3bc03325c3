/* How sure a prediction is, in reports. */
#ifndef STEPSIM_SIM_REPORT_INTERVAL_H
#define STEPSIM_SIM_REPORT_INTERVAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/result/interval.h"

/* Room for what ss_interval_outside says. */
enum { SS_INTERVAL_OUTSIDE_SIZE = 160 };

/* Of a prediction that is outside of its interval, why: a sentence with a space ahead of it; else nothing. */
const char *ss_interval_outside(const ss_interval *interval, char text[SS_INTERVAL_OUTSIDE_SIZE]);

/* Prints in words between which times 80 % of iterations like one of `time_s` were measured, and what they have in
 * common with it; or that nothing like it was measured. `what` begins the line: "Iteration". */
void ss_interval_print(FILE *stream, const ss_interval *interval, const char *what, double time_s);

/* Intervals are of iterations that were measured, of which few had documents: says below one that it is for one draw of
 * documents or for their mean, where their lengths are drawn. `replayed`: by a replay, else the closed form; `more`
 * says where others are. */
void ss_interval_print_draws(FILE *stream, bool replayed, const char *more);

/* The same as a JSON object: share, low_s and high_s (null), rows, sources, like. */
json_t *ss_interval_json(const ss_interval *interval, double time_s, bool *complete);

#endif
