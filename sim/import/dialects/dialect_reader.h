/* Reading settings of a framework. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_DIALECT_READER_H
#define STEPSIM_SIM_IMPORT_DIALECTS_DIALECT_READER_H

#include "sim/import/dialects/dialect.h"

/* Takes what settings say of model and strategy, in the words of a framework (ss_dialect_of; NULL is refused), over
 * what the workload has. SS_ERROR_INPUT with file, line, what was given and what is allowed; SS_ERROR_MEMORY. */
ss_status ss_dialect_read(ss_import *import, const ss_dialect *dialect, const ss_settings *settings, ss_error *error);

#endif
