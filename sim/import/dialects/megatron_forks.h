/* What follows from several settings of programs built on Megatron-LM. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_FORKS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_FORKS_H

#include "sim/import/dialects/sheet.h"

/* Norms behind the parts of a layer, and adapters: attributes of the workload. SS_ERROR_INPUT for what it cannot say.
 */
ss_status ss_megatron_read_forks(ss_sheet *sheet, ss_error *error);

#endif
