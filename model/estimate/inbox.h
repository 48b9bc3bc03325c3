/* Messages that a chunk of a stage has not come to, in the order of their passes. */
#ifndef STEPSIM_MODEL_ESTIMATE_INBOX_H
#define STEPSIM_MODEL_ESTIMATE_INBOX_H

#include <stdint.h>

#include "model/base/scratch.h"

/* When a message leaves, and when it is there. */
typedef struct ss_sent {
  double sent_s, there_s;
} ss_sent;

/* A ring. Empty where nothing but the scratch is set. */
typedef struct ss_inbox_ring {
  ss_scratch *scratch;
  int64_t taken, put; /* messages so far */
  int64_t capacity;
  ss_sent *message; /* [capacity] of the scratch */
} ss_inbox_ring;

/* Messages in it. */
static inline int64_t ss_inbox_ring_count(const ss_inbox_ring *ring)
{
  return ring->put - ring->taken;
}

/* Makes room for more. Aborts when memory is out. */
void ss_inbox_ring_grow(ss_inbox_ring *ring);

/* Adds a message behind the others. */
static inline void ss_inbox_ring_put(ss_inbox_ring *ring, ss_sent message)
{
  if (ss_inbox_ring_count(ring) == ring->capacity) ss_inbox_ring_grow(ring);
  ring->message[ring->put++ & (ring->capacity - 1)] = message;
}

/* The message at a place; the first one is at 0. */
static inline ss_sent *ss_inbox_ring_slot(const ss_inbox_ring *ring, int64_t place)
{
  return &ring->message[(ring->taken + place) & (ring->capacity - 1)];
}

static inline ss_sent ss_inbox_ring_at(const ss_inbox_ring *ring, int64_t place)
{
  return *ss_inbox_ring_slot(ring, place);
}

/* Takes the first message out. */
static inline ss_sent ss_inbox_ring_take(ss_inbox_ring *ring)
{
  return ring->message[ring->taken++ & (ring->capacity - 1)];
}

#endif
