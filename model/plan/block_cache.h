/* Blocks that jobs of one search have in common, worked out once: seconds by pass, bytes, parameters. They depend on
 * some of the attributes that a search varies, and on where the groups of a layer's collectives lie. */
#ifndef STEPSIM_MODEL_PLAN_BLOCK_CACHE_H
#define STEPSIM_MODEL_PLAN_BLOCK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/workload.h"
#include "model/plan/job.h"

typedef struct ss_block_cache ss_block_cache;

/* A cache for one job whose workload takes many values of the `count` attributes in `varied`: counts and choices, none
 * twice. Their values are the key, together with what the cache reads from the job itself: where its groups lie, which
 * kinds of blocks it has, whether its schedule splits backward, which gradients leave in every pass, and whether
 * embedding and output layer share one table. An attribute that decides about blocks only through these need not be in
 * `varied`. NULL when there is no memory. Release with ss_block_cache_destroy. */
ss_block_cache *ss_block_cache_create(const ss_attribute_index *varied, int64_t count);
void ss_block_cache_destroy(ss_block_cache *cache);

/* Fills in blocks, pass, slowed_s and links of a job whose layout and spans are known; if it has only been `moved`, so
 * that it has its blocks, no blocks. False if they have not been kept; the next two functions go on from there with the
 * same job. */
bool ss_block_cache_recall(ss_block_cache *cache, ss_job *job, bool moved);

/* Fills in the blocks alone. False if the tasks that the job listed last are not theirs. */
bool ss_block_cache_recall_tasks(ss_block_cache *cache, ss_job *job);

/* The job has listed tasks without the cache. */
void ss_block_cache_forget_tasks(ss_block_cache *cache);

/* Keeps what has been worked out from the job's tasks, perhaps in the place of another job's. */
void ss_block_cache_keep(ss_block_cache *cache, const ss_job *job);

#endif
