/* Reading config.json of Hugging Face transformers. */
#ifndef STEPSIM_SIM_IMPORT_CONFIG_READER_H
#define STEPSIM_SIM_IMPORT_CONFIG_READER_H

#include "sim/import/draft.h"
#include "sim/import/source.h"

/* Reads a file over what the workload has. SS_ERROR_INPUT with file, line, what was given and what is allowed;
 * SS_ERROR_MEMORY. */
ss_status ss_config_read(ss_import *import, const ss_source *source, ss_error *error);

#endif
