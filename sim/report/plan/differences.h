/* Where the trials of a run differ from its closed form, and why. */
#ifndef STEPSIM_SIM_REPORT_PLAN_DIFFERENCES_H
#define STEPSIM_SIM_REPORT_PLAN_DIFFERENCES_H

#include "model/run/plan.h"

/* The parts of a run, and the whole. */
#define SS_PLAN_PART_ONE(field, label, help) +1
enum { SS_PLAN_PARTS = 1 SS_WHOLE_RUN_PART_LIST(SS_PLAN_PART_ONE) };
#undef SS_PLAN_PART_ONE

typedef struct ss_plan_difference {
  const char *key, *label;
  double seconds, error_s; /* trials less closed form, and the standard error of the trials */
  const char *why;
} ss_plan_difference;

/* Fills `difference` with the parts that are off by more than their standard error and 0.1 % of the run, the whole
 * last; returns how many. */
int ss_plan_differences(const ss_plan *plan, ss_plan_difference difference[SS_PLAN_PARTS]);

/* Whether the closed form, by which energy, cost and measures go, is off by more than 1 % of the run, and not by
 * chance.
 */
bool ss_plan_closed_form_is_off(const ss_plan *plan);

/* What the difference between the trials on SimGrid and the closed form is made of: these trials less themselves
 * without SimGrid, these less all trials, and all less the closed form, as ss_plan_differences has it. */
enum { SS_PLAN_SIMGRID_STEPS = 3 };
void ss_plan_simgrid_differences(const ss_plan *plan, ss_plan_difference step[SS_PLAN_SIMGRID_STEPS]);

#endif
