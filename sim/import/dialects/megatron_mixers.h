/* Layers that do not all attend, as settings of Megatron-LM and of Primus lay them out. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_MIXERS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_MIXERS_H

#include "sim/import/dialects/sheet.h"

/* Sets kinds of layers by a pattern, by shares or by types of layers. SS_ERROR_INPUT where they are not understood. */
ss_status ss_megatron_read_mixers(ss_sheet *sheet, ss_error *error);

#endif
