/* What was measured of jobs like a predicted one: between which times most of their iterations were. */
#ifndef STEPSIM_MODEL_RESULT_INTERVAL_H
#define STEPSIM_MODEL_RESULT_INTERVAL_H

#include <stdint.h>

#include "model/input/words.h"

/* The share of measured iterations that are inside of an interval. */
#define SS_INTERVAL_SHARE 0.8

/* Factors of a predicted time; plain bytes. */
typedef struct ss_interval {
  double low, high;        /* NaN where nothing like the job was measured */
  int64_t rows, sources;   /* measured iterations that it is from, and who published them */
  char like[SS_TEXT_SIZE]; /* what these have in common with the job: "on H100, 16-bit, dense"; why there are none */
  double middle;           /* their median, such a factor, too; 0 where `like` says what they are around */
} ss_interval;

#endif
