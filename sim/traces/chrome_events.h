/* Trace events of Chrome become work and annotations: whole ones as they are, beginnings together with their ends. */
#ifndef STEPSIM_SIM_TRACES_CHROME_EVENTS_H
#define STEPSIM_SIM_TRACES_CHROME_EVENTS_H

#include "sim/traces/chrome_fields.h"

/* A thread with what has begun and not ended on it. */
enum { SS_TRACK_DEPTH = 16 };

typedef struct ss_track_slice {
  ss_activity activity;
  int64_t layer;
  ss_micros start;
} ss_track_slice;

typedef struct ss_track_state {
  int64_t process, thread;
  ss_stream stream; /* that its name says; SS_STREAM_COUNT: no track of a timeline of this program */
  int depth;
  ss_track_slice open[SS_TRACK_DEPTH]; /* [depth] */
} ss_track_state;

/* Zeroed, but for the sink, at the beginning. */
typedef struct ss_chrome_events {
  ss_trace_sink *sink;
  ss_track_state *track; /* [count] in the order of process and thread; owned */
  int64_t count, room;
  bool has_origin;
  int64_t origin; /* microseconds at which times begin */
} ss_chrome_events;

/* Takes the next event. What is neither work nor an annotation is ignored. SS_ERROR_INPUT where ends do not follow
 * beginnings, or what has a length has no name or time, without a place; SS_ERROR_MEMORY; what the sink returns. */
ss_status ss_chrome_events_take(ss_chrome_events *events, const ss_chrome_fields *fields, ss_error *error);
void ss_chrome_events_free(ss_chrome_events *events);

#endif
