/* Number formats of Megatron-LM, read and written. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_FORMATS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_FORMATS_H

#include "sim/import/dialects/sheet.h"

/* What settings say of a precision: 1 for bf16 and 2 for fp16, and else values of SS_VALUE_FP8, _RECIPE, _WGRAD16 and
 * _FP4. */
typedef struct ss_megatron_format {
  ss_precision precision;
  int base, fp8, recipe, wgrad16, fp4;
} ss_megatron_format;

/* NULL: no settings say it. */
const ss_megatron_format *ss_megatron_format_of(ss_precision precision);

/* What settings of precision, scales and types say together. SS_ERROR_INPUT with the line of a setting. */
ss_status ss_megatron_read_formats(ss_sheet *sheet, ss_error *error);

/* Which modules have more bits than others, once layers are known. */
ss_status ss_megatron_read_precise(ss_sheet *sheet, ss_error *error);
void ss_megatron_write_precise(ss_sheet *sheet);

/* The values of these settings that a workload has. */
void ss_megatron_write_formats(ss_sheet *sheet);

#endif
