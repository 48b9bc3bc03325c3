/* What a section comm_overlap of Megatron-Bridge sets up. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_OVERLAP_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_OVERLAP_H

#include "sim/import/dialects/sheet.h"

/* Sets what comm_overlap makes of what it does not say, and whether weights are gathered beside compute. SS_ERROR_INPUT
 * for what it, or what it calls, asserts not to be. */
ss_status ss_megatron_read_overlap(ss_sheet *sheet, ss_error *error);

/* Gives the sheet what rows write of gathers. */
void ss_megatron_write_overlap(ss_sheet *sheet);

#endif
