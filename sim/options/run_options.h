/* Options of `run` alone. */
#ifndef STEPSIM_SIM_OPTIONS_RUN_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_RUN_OPTIONS_H

#include "sim/options/option.h"

typedef struct ss_run_options {
  const char *beside; /* workload of another job at the same time; or NULL */
  int64_t trials;
  bool verbose;
} ss_run_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_run_option_rows[];

#endif
