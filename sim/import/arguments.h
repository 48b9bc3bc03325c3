/* Arguments of Megatron-LM, in a shell script or on a line. */
#ifndef STEPSIM_SIM_IMPORT_ARGUMENTS_H
#define STEPSIM_SIM_IMPORT_ARGUMENTS_H

#include "sim/import/draft.h"
#include "sim/import/source.h"

/* Takes what the arguments in a text say of model and strategy, over what the workload has. SS_ERROR_INPUT with file,
 * line, what was given and what is allowed; SS_ERROR_MEMORY. */
ss_status ss_arguments_read(ss_import *import, const ss_source *source, ss_error *error);

#endif
