/* The routes of a machine as a file of its platform. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_OWN_ROUTES_H
#define STEPSIM_SIM_IMPORT_CLUSTER_OWN_ROUTES_H

#include "sim/import/cluster/own_draft.h"

/* The routes of a draft as the text of a file that the property routes names: NUL-terminated, released with free();
 * NULL without memory. Sorts them. */
char *ss_own_routes_text(ss_own_draft *draft);

#endif
