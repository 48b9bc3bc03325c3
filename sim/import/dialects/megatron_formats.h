/* Number formats of Megatron-LM, read and written. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_FORMATS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_FORMATS_H

#include "sim/import/dialects/sheet.h"

/* What settings of precision, scales and types say together. SS_ERROR_INPUT with the line of a setting. */
ss_status ss_megatron_read_formats(ss_sheet *sheet, ss_error *error);

/* The values of these settings that a workload has. */
void ss_megatron_write_formats(ss_sheet *sheet);

#endif
