/* Options of `sweep` alone. */
#ifndef STEPSIM_SIM_OPTIONS_SWEEP_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_SWEEP_OPTIONS_H

#include "model/search/sweep.h"
#include "sim/options/option.h"

typedef struct ss_sweep_options {
  const char *vary[SS_SWEEP_AXES];
  int64_t vary_count;
  ss_best best;
  bool fewer;     /* GPUs may be left over */
  int64_t replay; /* how many of the best of every point are replayed */
} ss_sweep_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_sweep_option_rows[];

#endif
