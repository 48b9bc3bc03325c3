/* Adapters as Megatron-Bridge has them (src/megatron/bridge/peft/lora.py of NVIDIA-NeMo/Megatron-Bridge). */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_ADAPTERS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_ADAPTERS_H

#include "sim/import/dialects/sheet.h"

/* Whether it is said of which products. */
bool ss_megatron_lists_adapters(const ss_workload *workload);

/* Dropout, and what the operation fuser of Transformer Engine makes of adapters, which it takes on one rank only. */
ss_status ss_megatron_read_adapters(ss_sheet *sheet, ss_error *error);
void ss_megatron_write_adapters(ss_sheet *sheet);

#endif
