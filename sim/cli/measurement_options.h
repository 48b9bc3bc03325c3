/* Options of `validate` and `fit`. */
#ifndef STEPSIM_SIM_CLI_MEASUREMENT_OPTIONS_H
#define STEPSIM_SIM_CLI_MEASUREMENT_OPTIONS_H

#include "sim/cli/option.h"

typedef struct ss_measurement_options {
  bool summary, check; /* of `validate`: groups only, and whether they keep their bounds */
  bool coverage;       /* of `validate`: only what the intervals of predictions contain */
  bool replay, quick;  /* of `fit`: the replay is fitted; no source is left out */
} ss_measurement_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_measurement_option_rows[];

#endif
