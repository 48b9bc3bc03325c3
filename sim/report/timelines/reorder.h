/* Events that are reported out of order and leave in order of time: a binary heap of their keys, since events are
 * large.
 */
#ifndef STEPSIM_SIM_REPORT_TIMELINES_REORDER_H
#define STEPSIM_SIM_REPORT_TIMELINES_REORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/report/timelines/format.h"

typedef enum ss_trace_event_kind {
  SS_EVENT_BEGIN,
  SS_EVENT_END,
  SS_EVENT_DEPART,
  SS_EVENT_ARRIVE,
  SS_EVENT_LOAD
} ss_trace_event_kind;

/* The load of a port changes by a fraction of its capacity as a flow begins (flows +1) or ends (-1). */
typedef struct ss_link_sample {
  int64_t rank;
  ss_port port;
  int32_t flows;
  double fraction;
} ss_link_sample;

typedef struct ss_trace_event {
  double time_s;
  ss_trace_event_kind kind;
  int32_t turn; /* events of one time leave in order of turn, then as they came */
  union {
    ss_slice slice;
    ss_track track;
    ss_trace_message message;
    ss_link_sample load;
  } of;
} ss_trace_event;

/* What orders an event, and where it is. */
typedef struct ss_event_key {
  double time_s;
  int64_t sequence;
  int32_t turn, slot;
} ss_event_key;

typedef struct ss_reorder {
  ss_event_key *keys;     /* [count] a heap, the next one to leave first; behind them slots that are free */
  ss_trace_event *events; /* [capacity] by slot */
  int64_t count, capacity;
  int64_t pushed;
  int64_t peak; /* largest count so far */
} ss_reorder;

/* Takes a copy of `event`; false when there is no memory for it. A zeroed buffer is empty. */
bool ss_reorder_push(ss_reorder *reorder, const ss_trace_event *event);

/* Moves the next event before `time_s` into `event`; false when there is none. Events at `time_s` itself stay, since
 * others of that time may still come. */
bool ss_reorder_pop(ss_reorder *reorder, double time_s, ss_trace_event *event);

void ss_reorder_free(ss_reorder *reorder);

#endif
