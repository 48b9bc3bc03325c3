/* Classes of Python that a dump of NeMo 2 or Megatron-Bridge names in place of the sizes of a model. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_MODEL_CLASSES_H
#define STEPSIM_SIM_IMPORT_MODELS_MODEL_CLASSES_H

#include "sim/import/files/settings.h"
#include "sim/import/models/draft.h"

/* Sets the sizes of the class of the model that settings name, if it is known. NULL: they name none; else its setting,
 * borrowed. */
const ss_setting *ss_model_class_set(ss_import *import, const ss_settings *settings);

/* Refuses a class of which the sizes are not known. Always SS_ERROR_INPUT. */
ss_status ss_model_class_refuse(const ss_settings *settings, const ss_setting *named, ss_error *error);

#endif
