/* Workload files that commands write. */
#ifndef STEPSIM_SIM_CLI_SHARED_SAVED_WORKLOAD_H
#define STEPSIM_SIM_CLI_SHARED_SAVED_WORKLOAD_H

#include "model/base/error.h"
#include "sim/options/options.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Writes a workload that is derived to `path`, with the command line in its first comment; "-" is standard output, and
 * NULL nothing. Reading the file gives the same workload. SS_ERROR_OUTPUT, SS_ERROR_MEMORY; SS_ERROR_INPUT where the
 * command line cannot stand in a comment. */
ss_status ss_workload_save(const ss_workload *workload, const char *path, const ss_options *options, ss_error *error);

#endif
