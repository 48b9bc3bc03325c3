#include "sim/traces/chrome_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/base/grow.h"
#include "model/base/printable.h"
#include "model/profile/rules.h"

typedef struct lasting {
  double start_s, end_s;
} lasting;

/* More threads than the ranks of any trace have. */
enum { TRACKS_MAX = 1 << 20 };

static double seconds(ss_chrome_events *events, ss_micros time)
{
  if (!events->has_origin) events->origin = time.whole;
  events->has_origin = true;
  return 1e-6 * ((double)(time.whole - events->origin) + time.part);
}

static double duration_s(const ss_chrome_fields *fields)
{
  return 1e-6 * ((double)fields->duration.whole + fields->duration.part);
}

static ss_status refuse_time(const ss_chrome_fields *fields, const char *members, ss_error *error)
{
  char name[SS_ITEM_TEXT_SIZE];
  (void)snprintf(name, sizeof name, "%.100s", fields->name);
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "the event \"%s\" has no time; allowed: %s, numbers of microseconds, below 1e18",
                      ss_printable(name), members);
}

/* Events without an end in them have a beginning, whole ones a length as well. */
static ss_status check_start(const ss_chrome_fields *fields, ss_error *error)
{
  return fields->start.is_known ? SS_OK : refuse_time(fields, "ts", error);
}

static ss_status check_whole(const ss_chrome_fields *fields, ss_error *error)
{
  const bool has_times = fields->start.is_known && fields->duration.is_known && duration_s(fields) >= 0.0;
  return has_times ? SS_OK : refuse_time(fields, "ts, and dur of at least 0", error);
}

static int order(const ss_track_state *track, int64_t process, int64_t thread)
{
  if (track->process != process) return track->process < process ? -1 : 1;
  return (track->thread > thread) - (track->thread < thread);
}

/* Where a thread is in the list, or would be. */
static int64_t place_of(const ss_chrome_events *events, int64_t process, int64_t thread)
{
  int64_t low = 0, high = events->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (order(&events->track[middle], process, thread) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static ss_track_state *find_track(const ss_chrome_events *events, int64_t process, int64_t thread)
{
  const int64_t place = place_of(events, process, thread);
  if (place == events->count || order(&events->track[place], process, thread) != 0) return NULL;
  return &events->track[place];
}

/* A thread that a timeline of this program names. */
static ss_status name_track(ss_chrome_events *events, const ss_chrome_fields *fields, ss_error *error)
{
  const ss_stream stream = ss_stream_of_name(fields->label);
  if (strcmp(fields->name, "thread_name") != 0 || stream == SS_STREAM_COUNT || events->count == TRACKS_MAX)
    return SS_OK;
  if (find_track(events, fields->process, fields->thread) != NULL) return SS_OK;
  ss_track_state *grown = ss_grown(events->track, events->count, &events->room, sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the threads of a trace");
  events->track = grown;
  const int64_t place = place_of(events, fields->process, fields->thread);
  memmove(&events->track[place + 1], &events->track[place], (size_t)(events->count++ - place) * sizeof *events->track);
  events->track[place] = (ss_track_state){.process = fields->process, .thread = fields->thread, .stream = stream};
  return SS_OK;
}

/* An activity of a timeline of this program. */
static ss_status send_activity(ss_chrome_events *events, const ss_track_state *track, const ss_track_slice *slice,
                               lasting when, ss_error *error)
{
  const ss_kernel_class kind = ss_class_of_activity(slice->activity, track->stream);
  const ss_trace_item item = {.kind = SS_ITEM_KERNEL,
                              .name = ss_activity_name(slice->activity),
                              .group = "",
                              .class_of = kind,
                              .is_wait = !ss_activity_is_kernel(slice->activity),
                              .device = track->process - 1, /* processes are numbered from 1 */
                              .stream = track->thread,
                              .layer = slice->layer,
                              .start_s = when.start_s,
                              .end_s = when.end_s};
  events->sink->devices_are_ranks = true;
  return kind != SS_CLASS_COUNT ? events->sink->take(events->sink->self, &item, error) : SS_OK;
}

static ss_status take_begin(ss_track_state *track, const ss_chrome_fields *fields, ss_error *error)
{
  if (track->depth == SS_TRACK_DEPTH)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "more than %d events without an end on a thread",
                        SS_TRACK_DEPTH);
  track->open[track->depth++] = (ss_track_slice){ss_activity_of_name(fields->name), fields->layer, fields->start};
  return SS_OK;
}

static ss_status take_end(ss_chrome_events *events, ss_track_state *track, const ss_chrome_fields *fields,
                          ss_error *error)
{
  if (track->depth == 0) return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "an end of an event that did not begin");
  const ss_track_slice *slice = &track->open[--track->depth];
  if (slice->activity == SS_ACTIVITY_COUNT) return SS_OK;
  const lasting when = {seconds(events, slice->start), seconds(events, fields->start)};
  return send_activity(events, track, slice, when, error);
}

/* The whole nanoseconds that a complete event of a timeline means, which is written a little later and shorter
 * (sim/report/timelines/chrome.c). */
static lasting lasting_of(ss_chrome_events *events, const ss_chrome_fields *fields)
{
  const double start_ns = floor(1e9 * seconds(events, fields->start));
  return (lasting){start_ns / 1e9, (start_ns + ceil(1e9 * duration_s(fields))) / 1e9};
}

static ss_status take_of_timeline(ss_chrome_events *events, ss_track_state *track, const ss_chrome_fields *fields,
                                  ss_error *error)
{
  const ss_track_slice whole = {ss_activity_of_name(fields->name), fields->layer, fields->start};
  const char phase = fields->phase[0];
  if (phase != 'B' && phase != 'E' && phase != 'X') return SS_OK;
  const ss_status status = phase == 'X' ? check_whole(fields, error) : check_start(fields, error);
  if (status != SS_OK) return status;
  if (phase == 'B') return take_begin(track, fields, error);
  if (phase == 'E') return take_end(events, track, fields, error);
  if (whole.activity == SS_ACTIVITY_COUNT) return SS_OK;
  return send_activity(events, track, &whole, lasting_of(events, fields), error);
}

/* Categories of Kineto, in upper or lower case, with the phase of their events: what items they are, and of which class
 * where they tell. */
static const struct category {
  const char *name, *phase;
  ss_item_kind kind;
  ss_kernel_class class_of;
} categories[] = {
    {"kernel", "X", SS_ITEM_KERNEL, SS_CLASS_COUNT},
    {"gpu_memcpy", "X", SS_ITEM_KERNEL, SS_CLASS_COPY},
    {"gpu_memset", "X", SS_ITEM_KERNEL, SS_CLASS_COPY},
    {"memcpy", "X", SS_ITEM_KERNEL, SS_CLASS_COPY},
    {"memset", "X", SS_ITEM_KERNEL, SS_CLASS_COPY},
    {"gpu_user_annotation", "X", SS_ITEM_GPU_RANGE, SS_CLASS_COUNT},
    {"user_annotation", "X", SS_ITEM_HOST_RANGE, SS_CLASS_COUNT},
    {"cuda_runtime", "X", SS_ITEM_LAUNCH, SS_CLASS_COUNT},
    {"cuda_driver", "X", SS_ITEM_LAUNCH, SS_CLASS_COUNT},
    {"fwdbwd", "s", SS_ITEM_FORWARD, SS_CLASS_COUNT},
    {"fwdbwd", "f", SS_ITEM_BACKWARD, SS_CLASS_COUNT},
};

static const struct category *category_of(const ss_chrome_fields *fields)
{
  for (size_t i = 0; i < sizeof categories / sizeof categories[0]; ++i)
    if (strcasecmp(categories[i].name, fields->category) == 0 && strcmp(categories[i].phase, fields->phase) == 0)
      return &categories[i];
  return NULL;
}

/* A moment of the host; without a link or a time it tells nothing. Of its calls, only launches matter. */
static ss_status take_moment(ss_chrome_events *events, const ss_chrome_fields *fields, ss_item_kind kind,
                             ss_error *error)
{
  if (fields->link <= 0 || !fields->start.is_known) return SS_OK;
  if (kind == SS_ITEM_LAUNCH && ss_pattern_find("launch", fields->name) == NULL) return SS_OK;
  const ss_trace_item item = {.kind = kind,
                              .name = fields->name,
                              .group = "",
                              .class_of = SS_CLASS_COUNT,
                              .stream = fields->thread,
                              .link = fields->link,
                              .layer = SS_NO_INDEX,
                              .start_s = seconds(events, fields->start),
                              .end_s = seconds(events, fields->start)};
  return events->sink->take(events->sink->self, &item, error);
}

static ss_status take_of_profiler(ss_chrome_events *events, const ss_chrome_fields *fields, ss_error *error)
{
  const struct category *category = category_of(fields);
  if (category == NULL) return SS_OK;
  if (category->kind >= SS_ITEM_LAUNCH) return take_moment(events, fields, category->kind, error);
  if (fields->name[0] == '\0')
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "an event of the category %s has no name; allowed: a text",
                        category->name);
  const ss_status status = check_whole(fields, error);
  if (status != SS_OK) return status;
  const double start_s = seconds(events, fields->start);
  const ss_trace_item item = {.kind = category->kind,
                              .name = fields->name,
                              .group = fields->group,
                              .ranks = {fields->group_size > 0 ? fields->group_size : 0, fields->stride},
                              .class_of = category->class_of,
                              .device = fields->process,
                              .stream = fields->thread,
                              .link = fields->link,
                              .layer = SS_NO_INDEX,
                              .start_s = start_s,
                              .end_s = start_s + duration_s(fields)};
  return events->sink->take(events->sink->self, &item, error);
}

ss_status ss_chrome_events_take(ss_chrome_events *events, const ss_chrome_fields *fields, ss_error *error)
{
  if (strcmp(fields->phase, "M") == 0) return name_track(events, fields, error);
  ss_track_state *track = events->count > 0 ? find_track(events, fields->process, fields->thread) : NULL;
  if (track != NULL) return take_of_timeline(events, track, fields, error);
  return take_of_profiler(events, fields, error);
}

void ss_chrome_events_free(ss_chrome_events *events)
{
  free(events->track);
  *events = (ss_chrome_events){.sink = events->sink};
}
