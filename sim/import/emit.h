/* The settings that start a strategy. */
#ifndef STEPSIM_SIM_IMPORT_EMIT_H
#define STEPSIM_SIM_IMPORT_EMIT_H

#include "model/base/error.h"
#include "sim/import/dialects/setting_row.h"

/* Writes a workload that is derived, and that the framework can run, as its settings into `text`, a string that the
 * caller frees. The text is imported again, and a comment on top names what does
 * not come back, and, by examples, what no workload has since it does not change the time. SS_ERROR_MEMORY. */
ss_status ss_emit_write(const ss_workload *workload, const ss_emit_nodes *nodes, ss_emit emit, char **text,
                        ss_error *error);

/* Refuses a workload that is derived and whose model the settings could not name: a flavor of TorchTitan. */
ss_status ss_emit_check(const ss_workload *workload, ss_emit emit, ss_error *error);

#endif
