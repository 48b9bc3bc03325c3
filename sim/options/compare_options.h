/* Options of `compare` alone. */
#ifndef STEPSIM_SIM_OPTIONS_COMPARE_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_COMPARE_OPTIONS_H

#include "sim/options/option.h"

/* A number from 0 on, where it was given. */
typedef struct ss_option_index {
  bool is_given;
  int64_t value;
} ss_option_index;

typedef struct ss_compare_options {
  const char *rules; /* of one's own, before those that are shipped; or NULL */
  ss_option_index step, device;
} ss_compare_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_compare_option_rows[];

#endif
