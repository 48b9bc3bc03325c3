/* Options of `validate` and `fit`. */
#ifndef STEPSIM_SIM_OPTIONS_MEASUREMENT_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_MEASUREMENT_OPTIONS_H

#include "sim/options/option.h"

enum { SS_WARMUP_FIFTH = -1 };

typedef struct ss_measurement_options {
  bool summary, check;  /* of `validate`: groups only, and whether they keep their bounds */
  bool coverage;        /* of `validate`: only what the intervals of predictions contain */
  bool replay, quick;   /* of `fit` and `calibrate`: the replay is fitted; no source is left out */
  const char *workload; /* of `calibrate`: of iterations that name none; NULL: they all do */
  const char *name;     /* of the platform that it writes; NULL: chosen */
  int64_t warmup;       /* steps of a log that are left out; SS_WARMUP_FIFTH: a fifth */
  double least_bytes;   /* of collectives that are used */
} ss_measurement_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_measurement_option_rows[];

#endif
