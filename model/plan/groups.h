/* How the groups of a job's ranks lie over domains: the part of building a job that knows its placement. */
#ifndef STEPSIM_MODEL_PLAN_GROUPS_H
#define STEPSIM_MODEL_PLAN_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"

/* Makes room for the groups of a job of up to so many stages, and finds them. SS_ERROR_MEMORY. Release with
 * ss_groups_free, also after an error. */
ss_status ss_groups_init(ss_job *job, int64_t stages_max);
void ss_groups_free(ss_job *job);

/* Finds them again after the placement has changed. SS_ERROR_MEMORY. */
ss_status ss_groups_find(ss_job *job);

/* A stage has the blocks of the one before, and the groups that share its weights lie over domains like those of that
 * one: but for their messages, the two take the same. */
bool ss_groups_repeat(const ss_job *job, int64_t stage);

/* The ranks that hold the same weights of a stage, on all stages that do, copy by copy of the model: GPUs into `gpu`
 * [ss_job_holders]; `index` in [0, ss_groups_of_holders). Returns how many. */
int64_t ss_groups_holders(const ss_job *job, int64_t stage, ss_weights weights, int64_t index, int32_t *gpu);

/* The most ranks of any group: those of a stage and of the copies of what is on it. */
int64_t ss_groups_ranks_max(const ss_job *job);

/* Such groups of a stage: shards of dense weights, and sets of experts. */
int64_t ss_groups_of_holders(const ss_job *job, ss_weights weights);

#endif
