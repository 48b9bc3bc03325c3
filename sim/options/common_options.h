/* Options of nearly all commands: the inputs, what is overridden in them, and how costs are counted. */
#ifndef STEPSIM_SIM_OPTIONS_COMMON_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_COMMON_OPTIONS_H

#include "model/kernel/cost.h"
#include "sim/options/option.h"

enum { SS_MAX_OVERRIDES = 256 };

typedef struct ss_common_options {
  const char *workload, *platform; /* paths; NULL where the command has none */
  const char *override[SS_MAX_OVERRIDES];
  int64_t override_count;
  char global_batch[64]; /* what --global-batch stands for, as an override */
  char framework[64];    /* the override that --for and --emit are; empty without */
  bool emits;            /* --emit is given */
  int64_t gpus;          /* of a job that is imported; 0: as files say */
  const char *recipe;    /* of a file that has several; NULL: nobody says */
  ss_cost cost;
  bool quiet;
  bool wide;                /* tables are as wide as they are */
  const volatile int *stop; /* no longer 0: a search ends with what it has found, other work fails; NULL: never */
} ss_common_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_common_option_rows[];

#endif
