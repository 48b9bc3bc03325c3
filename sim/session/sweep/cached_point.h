/* Points of a sweep that are kept between runs. */
#ifndef STEPSIM_SIM_SESSION_SWEEP_CACHED_POINT_H
#define STEPSIM_SIM_SESSION_SWEEP_CACHED_POINT_H

#include "sim/session/result_cache.h"
#include "sim/session/sweep/point.h"

/* Takes the outcome of a point, if it has been kept. Errors of the cache. */
ss_status ss_cached_point_find(ss_result_cache *cache, const ss_point_plan *plan, int64_t point,
                               ss_point_outcome *outcome, bool *found, ss_error *error);

/* Keeps the outcome of a point. A refusal without a search is kept to be read only: it may name a line of a file, which
 * may move, and is found again at once. Errors of the cache. */
ss_status ss_cached_point_store(ss_result_cache *cache, const ss_point_plan *plan, int64_t point,
                                const ss_point_outcome *outcome, ss_error *error);

#endif
