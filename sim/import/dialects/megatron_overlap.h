/* Sections of Megatron-Bridge that go over others when a run begins: mixed_precision, and comm_overlap. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_OVERLAP_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_OVERLAP_H

#include "sim/import/dialects/sheet.h"
#include "sim/import/files/settings.h"

/* Whether such a section goes over a setting (runtime_config_update of src/megatron/bridge/training/config.py). */
bool ss_megatron_is_void(const ss_settings *settings, const ss_setting *setting);

/* Sets what comm_overlap makes of what it does not say. SS_ERROR_INPUT for what it, or what it calls, asserts not to
 * be. */
ss_status ss_megatron_read_overlap(ss_sheet *sheet, ss_error *error);

#endif
