/* Options of `run`, and of `estimate`, alone. */
#ifndef STEPSIM_SIM_OPTIONS_RUN_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_RUN_OPTIONS_H

#include "sim/options/option.h"

enum { SS_MAX_AGAINST = 64 };

#define SS_AGAINST_OPTION "--against" /* stands for the file of what it sets in messages */

typedef struct ss_run_options {
  const char *against[SS_MAX_AGAINST]; /* [against_count] NAME=VALUE in which another prediction differs */
  int64_t against_count;
  const char *beside; /* workload of another job at the same time; or NULL */
  int64_t trials;
  bool verbose;
} ss_run_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_run_option_rows[];

#endif
