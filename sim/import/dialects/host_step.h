/* Which device steps what is offloaded of an optimizer's states, and how many of them are, as settings have it. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_HOST_STEP_H
#define STEPSIM_SIM_IMPORT_DIALECTS_HOST_STEP_H

#include "sim/import/dialects/sheet.h"

/* With DeepSpeed and FSDP of PyTorch the host steps Adam where the states are; of DeepSpeed, a share of the states may
 * be there where weights are sharded, too (offload_ratio of deepspeed/runtime/zero/stage3.py). */
ss_status ss_read_host_step(ss_sheet *sheet, ss_error *error);

/* With Megatron-LM either the host steps a share of the parameters, or states of the GPU's optimizer are on the host
 * between steps. */
ss_status ss_megatron_read_host_step(ss_sheet *sheet, ss_error *error);

void ss_megatron_write_host_step(ss_sheet *sheet);

#endif
