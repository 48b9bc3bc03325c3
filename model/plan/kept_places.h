/* Where the groups of a job lie, for each split of a domain that it has been moved to. Jobs of a search that differ in
 * their micro-batch, or in knobs that have nothing to do with it, come to the same splits one after the other. */
#ifndef STEPSIM_MODEL_PLAN_KEPT_PLACES_H
#define STEPSIM_MODEL_PLAN_KEPT_PLACES_H

#include <stdbool.h>

#include "model/plan/job.h"

typedef struct ss_kept_places ss_kept_places;

/* Room for the splits of a job that is estimated only. NULL when there is no memory. Release with
 * ss_kept_places_destroy, which NULL is fine for. */
ss_kept_places *ss_kept_places_create(void);
void ss_kept_places_destroy(ss_kept_places *places);

/* A job whose placement has been described and not been split: what was kept of jobs on which that differs is dropped.
 */
void ss_kept_places_begin(const ss_job *job);

/* Fills in the placement of a job, split in such a way, and its groups, as they were the last time. False if they are
 * not known: then ss_kept_places_keep takes them when they have been found. Splits come in the same order each time, or
 * from the first one on again. Placements that are not even, with copies of the model, or under costs with mean
 * messages are not kept. `*alike`: groups of layers lie over domains as with the split before. */
bool ss_kept_places_recall(ss_job *job, const ss_coordinates *inside, bool *alike);

/* SS_ERROR_MEMORY. */
ss_status ss_kept_places_keep(const ss_job *job, bool alike);

#endif
