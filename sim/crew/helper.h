/* The part in a crew of those that are not the first process. */
#ifndef STEPSIM_SIM_CREW_HELPER_H
#define STEPSIM_SIM_CREW_HELPER_H

#include "sim/crew/work.h"

/* Works on what the first process says, until it says that the work has ended. Errors as from ss_crew_run. */
ss_status ss_crew_help(const ss_crew_work *work, ss_error *error);

/* Lets a millisecond pass. */
void ss_crew_pause(void);

/* What is said where the first process has stopped without the end of the work. */
ss_status ss_crew_abandoned(ss_error *error);

#endif
