/* Replicas of an imported model, and what they share. */
#ifndef STEPSIM_SIM_IMPORT_REPLICAS_H
#define STEPSIM_SIM_IMPORT_REPLICAS_H

#include "sim/import/models/draft.h"

/* Makes as many replicas as the GPUs have room for that whoever imports says, over what files say, or else those that
 * the name of a recipe has. SS_ERROR_INPUT where these are no whole number of replicas, or replicas were set that are
 * not those. */
ss_status ss_replicas_spread(ss_import *import, ss_error *error);

/* Ranks that share a copy of what is sharded, where files say these or the copies, and whether copies share the states
 * of the optimizer. SS_ERROR_INPUT where copies do not share out the replicas; SS_ERROR_MEMORY. */
ss_status ss_replicas_share(ss_import *import, ss_error *error);

#endif
