/* The options of what launches a training program: Slurm, mpirun, a profiler, and others. */
#ifndef STEPSIM_SIM_IMPORT_FILES_LAUNCHER_H
#define STEPSIM_SIM_IMPORT_FILES_LAUNCHER_H

#include "sim/import/files/settings.h"
#include "sim/import/shell/shell.h"

/* Whether a word is a program, behind which options are its own. */
bool ss_launcher_is_program(const char *word);

/* The option of a launcher that a key is, without the launcher; NULL: it is none. */
const char *ss_launcher_option(const char *key);

/* What launches where the last word is, after `launcher` did ahead of it; NULL: nothing, and options are those of a
 * program. */
const char *ss_launcher_at(ss_shell *shell, const char *launcher);

/* Adds the option of a launcher that the last word is, as LAUNCHER.OPTION, and moves to the next word; `more` is false
 * behind the last. A count of GPUs is what is behind the last colon, and those of #SBATCH are variables from now on. */
ss_status ss_launcher_read(ss_shell *shell, const char *launcher, ss_settings *settings, bool *more, ss_error *error);

#endif
