/* The event queue: pending events by time. Events of the same time come out in the order in which they went in. Stage
 * replicas that do the same in step make most events of a replay, so events of one time are a list, an instant, and
 * only instants are sorted. */
#ifndef STEPSIM_SIM_ENGINE_CORE_EVENT_QUEUE_H
#define STEPSIM_SIM_ENGINE_CORE_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/base/pool.h"

typedef struct ss_event {
  double time_s;
  uint64_t order;
  int kind;
  void *subject, *owner; /* what it happens to, and whose that is */
} ss_event;

/* An event that waits. */
typedef struct ss_pending {
  ss_event event;
  struct ss_pending *next; /* of its instant */
} ss_pending;

/* Events of one time, in order. */
typedef struct ss_instant {
  ss_pending *first, *last;
  double time_s; /* not a number: it is idle in its pool */
} ss_instant;

/* An instant in the heap, by its time and its first event; and the subject of that, which can be asked for in time. */
typedef struct ss_instant_key {
  double time_s;
  uint64_t order;
  ss_instant *instant;
  const void *subject;
} ss_instant_key;

enum { SS_RECENT_INSTANTS = 64 };

typedef struct ss_event_queue {
  ss_instant_key *heap; /* [count], owned */
  int64_t count, capacity;
  uint64_t next_order;
  ss_instant *recent[SS_RECENT_INSTANTS]; /* the latest instant by a hash of its time */
  ss_pool events, instants;
} ss_event_queue;

/* Zeroed memory is an empty queue. */
void ss_event_queue_free(ss_event_queue *queue);

/* Adds an event; its order is given here. Memory that cannot be had ends the program: an event that is lost would be a
 * wrong answer. */
void ss_event_queue_add(ss_event_queue *queue, ss_event event);

/* The time of the next event; there must be one. */
double ss_event_queue_next_s(const ss_event_queue *queue);

/* Whether an event of this owner is pending. */
bool ss_event_queue_has(const ss_event_queue *queue, const void *owner);

/* Gives events less than `within_s` after the next one the time of the last of them: that of the next event, or a
 * little more. They then come out in the order in which they went in. There must be an event. */
double ss_event_queue_tie(ss_event_queue *queue, double within_s);

/* Asks for the memory of the next event, for the first `bytes` of its subject, and for the instants that may come after
 * it: where there are many, few are in a cache. */
void ss_event_queue_expect(const ss_event_queue *queue, size_t bytes);

/* Removes and returns the next event; there must be one. */
ss_event ss_event_queue_take(ss_event_queue *queue);

#endif
