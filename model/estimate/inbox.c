#include "model/estimate/inbox.h"

#include <stdlib.h>

#include "model/base/error.h"

void ss_inbox_ring_grow(ss_inbox_ring *ring)
{
  const int64_t capacity = ring->capacity > 0 ? 2 * ring->capacity : 4;
  ss_sent *message = malloc((size_t)capacity * sizeof *message);
  SS_ASSERT(message != NULL);
  for (int64_t i = 0; i < ring->count; ++i) message[i] = ss_inbox_ring_at(ring, i);
  free(ring->message);
  *ring = (ss_inbox_ring){.count = ring->count, .capacity = capacity, .message = message};
}

void ss_inbox_ring_free(ss_inbox_ring *ring)
{
  free(ring->message);
  *ring = (ss_inbox_ring){.count = 0};
}
