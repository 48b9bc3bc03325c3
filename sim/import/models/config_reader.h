/* Reading config.json of Hugging Face transformers. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_CONFIG_READER_H
#define STEPSIM_SIM_IMPORT_MODELS_CONFIG_READER_H

#include <jansson.h>
#include <stdbool.h>

#include "sim/import/files/source.h"
#include "sim/import/models/draft.h"

/* Whether a value of JSON is the configuration of a model. */
bool ss_config_is(const json_t *root);

/* Takes the configuration in a file over what the workload has; of a model with several parts that of text.
 * SS_ERROR_INPUT with file, line, what was given and what is allowed; SS_ERROR_MEMORY. */
ss_status ss_config_read(ss_import *import, const ss_source *source, const json_t *root, ss_error *error);

#endif
