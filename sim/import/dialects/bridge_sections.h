/* Sections of Megatron-Bridge that go over others when a run begins: mixed_precision, and comm_overlap. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_BRIDGE_SECTIONS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_BRIDGE_SECTIONS_H

#include "sim/import/files/settings.h"

/* What names of settings in these sections begin with. */
extern const char ss_bridge_mixed_precision[], ss_bridge_comm_overlap[];

bool ss_bridge_has_section(const ss_settings *settings, const char *section);

/* Whether such a section goes over a setting (runtime_config_update of src/megatron/bridge/training/config.py). */
bool ss_bridge_is_void(const ss_settings *settings, const ss_setting *setting);

#endif
