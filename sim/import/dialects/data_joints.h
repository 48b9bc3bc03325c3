/* What follows from several settings of frameworks that split data. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_DATA_JOINTS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_DATA_JOINTS_H

#include "sim/import/dialects/sheet.h"

/* The batch of all replicas is micro-batches, in turn, of each: of that, the micro-batch, what is accumulated and the
 * replicas, what is not given follows. SS_ERROR_INPUT where they do not go together. */
ss_status ss_read_accumulated_batch(ss_sheet *sheet, ss_error *error);

#endif
