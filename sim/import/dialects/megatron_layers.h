/* Which layers of Megatron-LM are of which kind. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_LAYERS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_LAYERS_H

#include "sim/import/dialects/sheet.h"

/* Takes layers with experts, with windows, and of hybrids from what was kept of settings. SS_ERROR_INPUT. */
ss_status ss_megatron_read_layers(ss_sheet *sheet, ss_error *error);

/* Writes the same, where one of them alone says all of a workload's kinds. */
void ss_megatron_write_layers(ss_sheet *sheet);

#endif
