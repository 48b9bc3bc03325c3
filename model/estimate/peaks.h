/* The moments of an iteration at which a stage may keep most, by the shape of its pipeline: jobs of one search that
 * differ in what their chunks keep have them in common. */
#ifndef STEPSIM_MODEL_ESTIMATE_PEAKS_H
#define STEPSIM_MODEL_ESTIMATE_PEAKS_H

#include <stdint.h>

#include "model/schedule/schedule.h"

/* Moments of a stage in their order, without those when it holds no more of anything than at one before. */
typedef struct ss_peaks {
  ss_moment *moment; /* [count] owned */
  int64_t count, room;
} ss_peaks;

typedef struct ss_peak_cache ss_peak_cache;

/* A cache for stages of any orders of work by turns; the shape and the stage are its key. NULL when there is no memory.
 * Release with ss_peak_cache_destroy. */
ss_peak_cache *ss_peak_cache_create(void);
void ss_peak_cache_destroy(ss_peak_cache *cache);

/* The peaks of a stage, which stay until many other shapes are asked for. Aborts when memory is out, as a search could
 * not go on. */
const ss_peaks *ss_peak_cache_of(ss_peak_cache *cache, const ss_pipeline_shape *shape, int64_t stage);

#endif
