/* What the processes other than the first do in a crew. */
#ifndef STEPSIM_SIM_CREW_HELPER_H
#define STEPSIM_SIM_CREW_HELPER_H

#include "sim/crew/work.h"

/* Works on the items that the first process sends, until it says that the work has ended. Errors as from ss_crew_run.
 */
ss_status ss_crew_help(const ss_crew_work *work, ss_error *error);

/* Waits for a millisecond. */
void ss_crew_pause(void);

/* Sets the error that the first process has stopped before the end of the work. SS_ERROR_PROCESS. */
ss_status ss_crew_abandoned(ss_error *error);

#endif
