/* The numbers of a prediction in one table: what they are called, in which unit they are and what they mean. */
#ifndef STEPSIM_SIM_REPORT_FIGURES_H
#define STEPSIM_SIM_REPORT_FIGURES_H

#include <jansson.h>
#include <stddef.h>

#include "model/result/prediction.h"

/* A row of the table. */
typedef struct ss_figure {
  const char *name; /* as JSON has it: members with dots between them, such as "estimate.iteration_s" */
  const char *unit; /* "s", "bytes", ...; "1" of a share, a count and an answer, which is 0 or 1 */
  const char *help;
  double (*value)(const ss_prediction *prediction); /* in that unit; NaN: it has none */
} ss_figure;

/* The table, in the order in which the numbers are listed, and how many rows it has. */
const ss_figure *ss_figures(size_t *count);

/* Adds the numbers below a member, such as "metrics", to its object. Clears `complete` where memory ends. */
void ss_figures_add_json(json_t *object, const char *member, const ss_prediction *prediction, bool *complete);

#endif
