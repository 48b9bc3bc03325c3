/* Layers of several kinds, from the ways in which configurations tell them apart. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_LAYERS_H
#define STEPSIM_SIM_IMPORT_MODELS_LAYERS_H

#include "sim/import/models/config.h"

/* Sets kinds and pattern of the workload, once layers are known. SS_ERROR_INPUT. */
ss_status ss_config_lay_out(const ss_config *config, ss_error *error);

#endif
