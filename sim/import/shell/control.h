/* Branches and loops of a shell script. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_CONTROL_H
#define STEPSIM_SIM_IMPORT_SHELL_CONTROL_H

#include "sim/import/shell/words.h"

/* Passes what begins a command here, where it is a word of the shell's own (if, case, for, ...) with what decides it,
 * a test, or a pattern of a case: true then. Conditions that can be evaluated are, so that what does not run is known.
 */
bool ss_shell_control(ss_shell *shell);

/* Keeps whether the command that begins here may fail: only a run finds out, but of an assignment. */
void ss_shell_run(ss_shell *shell, ss_chance succeeds);

#endif
