/* Experts of Megatron-LM, with their kernels and what sends them tokens. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_EXPERTS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_EXPERTS_H

#include "sim/import/dialects/sheet.h"

/* What settings of experts say together. SS_ERROR_INPUT with the line of a setting. */
ss_status ss_megatron_read_experts(ss_sheet *sheet, ss_error *error);

/* The values of these settings that a workload has. */
void ss_megatron_write_experts(ss_sheet *sheet);

#endif
