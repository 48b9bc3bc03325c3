/* Recipes of Megatron-Bridge, programs in Python, as settings of Megatron-LM. */
#ifndef STEPSIM_SIM_IMPORT_RECIPES_H
#define STEPSIM_SIM_IMPORT_RECIPES_H

#include "sim/import/files/settings.h"
#include "sim/import/models/draft.h"

/* Whether a program has recipes of Megatron-Bridge. */
bool ss_recipes_are_in(const ss_source *source);

/* Takes what a recipe of a file sets, of the name that the import has or the only one, over what others have said
 * before; the GPUs of its name are those of the job where nobody says them. SS_ERROR_INPUT with file and line of what
 * is not understood, and where no file has the sizes of its model; SS_ERROR_MEMORY. */
ss_status ss_recipes_read(ss_import *import, ss_settings *settings, ss_error *error);

#endif
