/* Messages that a chunk of a stage has not come to, in the order of their passes. */
#ifndef STEPSIM_MODEL_ESTIMATE_INBOX_H
#define STEPSIM_MODEL_ESTIMATE_INBOX_H

#include <stdint.h>

/* When a message leaves, and when it is there. */
typedef struct ss_sent {
  double sent_s, there_s;
} ss_sent;

/* A ring. Zeroed, it is empty. */
typedef struct ss_inbox_ring {
  int64_t first, count, capacity;
  ss_sent *message; /* [capacity] owned */
} ss_inbox_ring;

/* Makes room for more. Aborts when memory is out. Release with ss_inbox_ring_free. */
void ss_inbox_ring_grow(ss_inbox_ring *ring);
void ss_inbox_ring_free(ss_inbox_ring *ring);

/* Adds a message behind the others. */
static inline void ss_inbox_ring_put(ss_inbox_ring *ring, ss_sent message)
{
  if (ring->count == ring->capacity) ss_inbox_ring_grow(ring);
  ring->message[(ring->first + ring->count++) & (ring->capacity - 1)] = message;
}

/* The message at a place; the first one is at 0. */
static inline ss_sent *ss_inbox_ring_slot(const ss_inbox_ring *ring, int64_t place)
{
  return &ring->message[(ring->first + place) & (ring->capacity - 1)];
}

static inline ss_sent ss_inbox_ring_at(const ss_inbox_ring *ring, int64_t place)
{
  return *ss_inbox_ring_slot(ring, place);
}

/* Takes the first message out. */
static inline ss_sent ss_inbox_ring_take(ss_inbox_ring *ring)
{
  const ss_sent message = ss_inbox_ring_at(ring, 0);
  ring->first++;
  ring->count--;
  return message;
}

#endif
