/* Blocks that jobs of one search have in common, worked out once: seconds by pass, bytes, parameters. Which they are
 * depends on few of the attributes that a search varies, and on where the groups of a layer's collectives lie. */
#ifndef STEPSIM_MODEL_PLAN_BLOCK_CACHE_H
#define STEPSIM_MODEL_PLAN_BLOCK_CACHE_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/plan/job.h"

typedef struct ss_block_cache ss_block_cache;

/* A cache for one job whose workload goes through sizes of groups, micro-batches and knobs (model/search/knobs.def),
 * and no other changes. NULL when there is no memory. */
ss_block_cache *ss_block_cache_create(void);
void ss_block_cache_destroy(ss_block_cache *cache);

/* Fills in blocks, pass and slowed_s of a job whose layout and spans are known, if they have been kept. */
bool ss_block_cache_recall(ss_block_cache *cache, ss_job *job);

/* Fills in the blocks only, if the tasks that the job has listed last are theirs. */
bool ss_block_cache_recall_tasks(ss_block_cache *cache, ss_job *job);

/* Keeps what has been worked out from a job's tasks. Others may make room for it. */
void ss_block_cache_keep(ss_block_cache *cache, const ss_job *job);

#endif
