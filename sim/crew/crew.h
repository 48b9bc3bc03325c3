/* A crew: processes that share out independent pieces of work. */
#ifndef STEPSIM_SIM_CREW_CREW_H
#define STEPSIM_SIM_CREW_CREW_H

#include "sim/crew/job.h"
#include "sim/crew/work.h"

/* Does all items. Workers are processes that this one forks: call it outside of parallel regions, and a worker has one
 * OpenMP thread. They end with this process, however it ends.
 *
 * All processes that have joined share the work; "the calling process" of ss_crew_work is the first one then, and the
 * others return when it does, with the same status and no outcomes.
 *
 * Where items fail, so does the crew, with the error of the first of them in the order of the items, whichever failed
 * first in time; those before it are done, those after it perhaps. SS_ERROR_PROCESS names the item whose worker
 * stopped, or says why none could be started; SS_ERROR_MEMORY; else the errors of the three functions. */
ss_status ss_crew_run(const ss_crew_work *work, ss_error *error);

#endif
