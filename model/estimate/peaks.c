#include "model/estimate/peaks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/base/error.h"

/* The schedules that a search tries with some sizes of groups. */
enum { SHAPES = 16 };

typedef struct shape_peaks {
  ss_pipeline_shape shape;
  int64_t stages;
  ss_peaks *stage; /* [stages] owned; of those that have been asked for */
} shape_peaks;

struct ss_peak_cache {
  int next; /* whose place the next new shape takes */
  shape_peaks kept[SHAPES];
};

ss_peak_cache *ss_peak_cache_create(void)
{
  return calloc(1, sizeof(ss_peak_cache));
}

static void forget(shape_peaks *kept)
{
  for (int64_t i = 0; i < kept->stages; ++i) free(kept->stage[i].moment);
  free(kept->stage);
  *kept = (shape_peaks){.stages = 0};
}

void ss_peak_cache_destroy(ss_peak_cache *cache)
{
  if (cache == NULL) return;
  for (int i = 0; i < SHAPES; ++i) forget(&cache->kept[i]);
  free(cache);
}

static bool is_same(const ss_pipeline_shape *a, const ss_pipeline_shape *b)
{
  return a->schedule == b->schedule && a->stages == b->stages && a->micro_batches == b->micro_batches &&
         a->chunks == b->chunks && a->group == b->group && a->pairs == b->pairs;
}

static shape_peaks *find(ss_peak_cache *cache, const ss_pipeline_shape *shape)
{
  for (int i = 0; i < SHAPES; ++i)
    if (cache->kept[i].stages > 0 && is_same(&cache->kept[i].shape, shape)) return &cache->kept[i];
  shape_peaks *kept = &cache->kept[cache->next];
  cache->next = (cache->next + 1) % SHAPES;
  forget(kept);
  kept->stage = calloc((size_t)shape->stages, sizeof *kept->stage);
  SS_ASSERT(kept->stage != NULL);
  kept->shape = *shape;
  kept->stages = shape->stages;
  return kept;
}

/* Passes of a pair keep something of their own: only pairs of the same chunks compare. */
static bool compares(const ss_moment *a, const ss_moment *b)
{
  if (a->paired != b->paired) return false;
  return !a->paired || (a->backward_chunk == b->backward_chunk && a->forward_chunk == b->forward_chunk);
}

static bool holds_no_more(const ss_pipeline_shape *shape, const ss_moment *moment, const ss_moment *than)
{
  bool no_more = compares(moment, than);
  for (int64_t chunk = 0; chunk < shape->chunks && no_more; ++chunk) {
    const ss_in_flight own = ss_schedule_held(shape, moment, chunk), other = ss_schedule_held(shape, than, chunk);
    no_more = own.whole <= other.whole && own.halves <= other.halves;
  }
  return no_more;
}

static void add(ss_peaks *peaks, const ss_moment *moment)
{
  if (peaks->count == peaks->room) {
    peaks->room = 2 * peaks->room + 8;
    peaks->moment = realloc(peaks->moment, (size_t)peaks->room * sizeof *peaks->moment);
    SS_ASSERT(peaks->moment != NULL);
  }
  peaks->moment[peaks->count++] = *moment;
}

static void list(const ss_pipeline_shape *shape, int64_t stage, ss_peaks *peaks)
{
  ss_moments moments = ss_schedule_moments(shape, stage);
  for (ss_moment moment; ss_schedule_moment(shape, &moments, &moment);) {
    bool is_peak = true;
    for (int64_t i = peaks->count - 1; i >= 0 && is_peak; --i)
      is_peak = !holds_no_more(shape, &moment, &peaks->moment[i]);
    if (is_peak) add(peaks, &moment);
  }
}

const ss_peaks *ss_peak_cache_of(ss_peak_cache *cache, const ss_pipeline_shape *shape, int64_t stage)
{
  SS_ASSERT(!shape->schedule->order->by_depth && stage < shape->stages);
  ss_peaks *peaks = &find(cache, shape)->stage[stage];
  if (peaks->count == 0) list(shape, stage, peaks);
  return peaks;
}
