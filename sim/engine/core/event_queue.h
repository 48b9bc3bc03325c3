/* The event queue: pending events by time. Events of the same time come out in the order in which they went in. */
#ifndef STEPSIM_SIM_ENGINE_CORE_EVENT_QUEUE_H
#define STEPSIM_SIM_ENGINE_CORE_EVENT_QUEUE_H

#include <stdint.h>

#include "model/base/error.h"

typedef struct ss_event {
  double time_s;
  uint64_t order;
  int kind;
  void *subject, *owner; /* what it happens to, and whose that is */
} ss_event;

typedef struct ss_event_queue {
  ss_event *heap; /* [count], owned */
  int64_t count, capacity;
  uint64_t next_order;
} ss_event_queue;

/* Zeroed memory is an empty queue. */
void ss_event_queue_free(ss_event_queue *queue);

/* Adds an event; its order is given here. Memory that cannot be had ends the program: an event that is lost would be a
 * wrong answer. */
void ss_event_queue_add(ss_event_queue *queue, ss_event event);

/* The next event; NULL when there is none. Valid until the next call. */
const ss_event *ss_event_queue_next(const ss_event_queue *queue);

/* Gives events less than `within_s` after the next one the time of the last of them: that of the next event, or a
 * little more. They then come out in the order in which they went in. There must be an event. */
double ss_event_queue_tie(ss_event_queue *queue, double within_s);

/* Removes and returns the next event; there must be one. */
ss_event ss_event_queue_take(ss_event_queue *queue);

#endif
