/* The data behind the figures of a run that --json does not have. */
#ifndef STEPSIM_SIM_FIGURE_RUN_DATA_H
#define STEPSIM_SIM_FIGURE_RUN_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/figure/run/report.h"

/* Writes it as JSON. `report` is an ss_run_report. */
void ss_run_write_data(FILE *stream, const void *report);

#endif
