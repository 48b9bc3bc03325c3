#include "model/estimate/inbox.h"

void ss_inbox_ring_grow(ss_inbox_ring *ring)
{
  const int64_t capacity = ring->capacity > 0 ? 2 * ring->capacity : 4, count = ss_inbox_ring_count(ring);
  ss_sent *message = ss_scratch_take(ring->scratch, (size_t)capacity * sizeof *message);
  for (int64_t i = 0; i < count; ++i) message[i] = ss_inbox_ring_at(ring, i);
  *ring = (ss_inbox_ring){.scratch = ring->scratch, .put = count, .capacity = capacity, .message = message};
}
