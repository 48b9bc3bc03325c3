/* Figures of a run: where its time goes, and what that depends on. */
#ifndef STEPSIM_SIM_FIGURE_PLAN_H
#define STEPSIM_SIM_FIGURE_PLAN_H

#include "model/search/plan_sizes.h"
#include "sim/figure/figure.h"

/* What `plan` has found; both borrowed. */
typedef struct ss_plan_report {
  const ss_plan *plan;
  const ss_plan_sizes *sizes;
} ss_plan_report;

/* All that can be drawn of it; the report may be NULL for the names of the figures. */
ss_subject ss_plan_subject(const ss_plan_report *report);

#endif
