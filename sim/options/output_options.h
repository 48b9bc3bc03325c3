/* Options of the files that a command writes. */
#ifndef STEPSIM_SIM_OPTIONS_OUTPUT_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_OUTPUT_OPTIONS_H

#include "model/result/timeline.h"
#include "sim/figure/plot.h"
#include "sim/options/option.h"

enum { SS_MAX_TRACES = 4 };

/* Paths are NULL where nobody asked; "-" is standard output. */
typedef struct ss_output_options {
  const char *json, *csv;
  const char *db;        /* where results are kept between runs */
  const char *links;     /* what the links of a run carried */
  const char *chakra;    /* what the names of execution traces begin with */
  const char *residuals; /* the table of them, by `validate` */
  const char *report;    /* the page of figures */
  ss_plot plot;          /* one of them */
  const char *save;      /* the workload of `run`, or that `search` has found */
  const char *nodes;     /* the domains of nodes, by `cluster` */
  const char *routes;    /* the routes of forwarding tables, by `cluster` */
  const char *measured;  /* collectives as measurements, by `calibrate` */
  const char *file;      /* what `platform`, `import` and `calibrate` write */
  const char *trace[SS_MAX_TRACES];
  int64_t trace_count;
  ss_selection trace_ranks, trace_micro_batches; /* what the traces show; empty where nobody says */
  ss_selection chakra_ranks;                     /* that have an execution trace; empty: the first of every stage */
} ss_output_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_output_option_rows[];

/* Refuses standard output where a file is needed, and a second output to it; `emits`: --emit writes there.
 * SS_ERROR_INPUT. */
ss_status ss_output_options_check(const ss_output_options *options, bool emits, ss_error *error);

/* Whether a path that an option may have stands for standard output. */
bool ss_option_is_standard_output(const char *path);

#endif
