/* Pipelines that jobs of one search have in common, walked through once: candidates often differ in what moves no
 * stage, such as where the optimizer keeps its states. */
#ifndef STEPSIM_MODEL_ESTIMATE_WALK_CACHE_H
#define STEPSIM_MODEL_ESTIMATE_WALK_CACHE_H

#include <stdbool.h>

#include "model/estimate/pipeline.h"

typedef struct ss_walk_cache ss_walk_cache;

/* A cache for any jobs; all that a walk looks at is its key. NULL when there is no memory. Release with
 * ss_walk_cache_destroy. */
ss_walk_cache *ss_walk_cache_create(void);
void ss_walk_cache_destroy(ss_walk_cache *cache);

/* Fills in the courses of all stages of a pipeline whose stages have been started and have run no pass. False if they
 * have not been kept; then ss_walk_cache_keep takes them when it has been walked through. Pipelines whose host launches
 * kernels, or whose passes run in pairs, are not kept. */
bool ss_walk_cache_recall(ss_walk_cache *cache, const ss_pipeline_state *pipeline, ss_course *course);
void ss_walk_cache_keep(ss_walk_cache *cache, const ss_pipeline_state *pipeline, const ss_course *course);

#endif
