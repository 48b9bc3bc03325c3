/* Options of the files that a command writes. */
#ifndef STEPSIM_SIM_CLI_OUTPUT_OPTIONS_H
#define STEPSIM_SIM_CLI_OUTPUT_OPTIONS_H

#include "model/result/timeline.h"
#include "sim/cli/option.h"

enum { SS_MAX_TRACES = 4 };

/* Paths are NULL where nobody asked; "-" is standard output. */
typedef struct ss_output_options {
  const char *json, *csv;
  const char *db;        /* where results are kept between runs */
  const char *links;     /* what the links of a run carried */
  const char *plot;      /* the picture of `validate` */
  const char *residuals; /* the table of them, by `validate` */
  const char *save;      /* the workload of `run`, or that `search` has found */
  const char *file;      /* what `platform` and `import` write */
  const char *trace[SS_MAX_TRACES];
  int64_t trace_count;
  ss_selection trace_ranks, trace_micro_batches; /* what the traces show; empty for all */
} ss_output_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_output_option_rows[];

/* Refuses what two of the options cannot have both, which ends the program. */
void ss_output_options_check(struct argp_state *state, const ss_output_options *options);

/* Whether a path that an option may have stands for standard output. */
bool ss_option_is_standard_output(const char *path);

#endif
