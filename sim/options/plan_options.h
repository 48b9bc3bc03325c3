/* Options of `plan` alone. */
#ifndef STEPSIM_SIM_OPTIONS_PLAN_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_PLAN_OPTIONS_H

#include "sim/options/option.h"

typedef struct ss_plan_options {
  int64_t trials, seed;   /* 0: the default */
  int64_t simgrid_trials; /* 0: none */
} ss_plan_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_plan_option_rows[];

/* As they are given, or by default. */
int64_t ss_plan_trials(const ss_plan_options *options);
int64_t ss_plan_seed(const ss_plan_options *options);

#endif
