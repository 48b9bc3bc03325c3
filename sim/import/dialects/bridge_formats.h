/* mixed_precision of Megatron-Bridge: a recipe by its name, or a section. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_BRIDGE_FORMATS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_BRIDGE_FORMATS_H

#include "sim/import/dialects/sheet.h"

/* Gives values to settings of number formats that no setting gives one. SS_ERROR_INPUT for a recipe that there is not.
 */
ss_status ss_bridge_read_formats(ss_sheet *sheet, ss_error *error);

/* The recipe that a workload is, or the class of a section. */
void ss_bridge_write_formats(ss_sheet *sheet);

/* The type of sums of gradients, also where it is left open. */
ss_gradients ss_bridge_gradients(const ss_workload *workload);

/* Whether number formats are those of no recipe, so that a section says them; and one with these. */
bool ss_bridge_mixes(const ss_workload *workload);
bool ss_bridge_mixes_bf16(const ss_workload *workload); /* 16 bits, of which this is the type, beside others */
bool ss_bridge_mixes_fp16(const ss_workload *workload);
bool ss_bridge_mixes_fp4(const ss_workload *workload);
bool ss_bridge_mixes_no_fp4(const ss_workload *workload);
bool ss_bridge_mixes_no_fp8(const ss_workload *workload);
bool ss_bridge_mixes_delayed(const ss_workload *workload); /* scales of earlier iterations */
bool ss_bridge_mixes_buffers(const ss_workload *workload); /* ss_bridge_reuses_buffers */

/* Whether weights in MXFP8 are gathered in the place of gradients: they take another copy without it
 * (megatron/core/optimizer/optimizer_config.py of NVIDIA/Megatron-LM), and Megatron-Bridge asserts it (validate of
 * src/megatron/bridge/training/config.py). */
bool ss_bridge_reuses_buffers(const ss_workload *workload);

#endif
