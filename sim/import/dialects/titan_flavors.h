/* The models of TorchTitan that its configurations name. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_TITAN_FLAVORS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_TITAN_FLAVORS_H

#include "sim/import/dialects/sheet.h"

/* Sets the sizes of the flavor that was kept, if it is known, at its line; else says what to do, unless there are some.
 */
ss_status ss_titan_read_flavor(ss_sheet *sheet, ss_error *error);

/* Writes the flavor that has all the sizes of a workload, if there is one. */
void ss_titan_write_flavor(ss_sheet *sheet);

/* Whether there is one, of a workload that is derived. */
bool ss_titan_has_flavor(const ss_workload *workload);

#endif
