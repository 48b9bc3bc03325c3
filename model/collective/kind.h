/* The collectives: one row each. A dispatch is an all-to-all of tokens, each of which goes once to a domain, and once
 * to a rank, of all that have some of its experts; its volume counts a copy for each expert. In a send/receive each
 * rank sends the volume to the next one around the group, as stages do; it is there to be measured by itself. */
#ifndef STEPSIM_MODEL_COLLECTIVE_KIND_H
#define STEPSIM_MODEL_COLLECTIVE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/kernel/activity.h"

/* X(enumerator, activity, passes of the volume around a ring, each rank keeps 1/n of it to itself, attribute of the
 * workload that names its algorithm (model/collective/given.h) - SS_ATTRIBUTE_TOTAL: none does). */
#define SS_COLLECTIVE_LIST(X)                                                                                          \
  X(SS_ALL_GATHER, SS_COMM_ALL_GATHER, 1, true, SS_AT_schedule_all_gather)                                             \
  X(SS_REDUCE_SCATTER, SS_COMM_REDUCE_SCATTER, 1, true, SS_AT_schedule_reduce_scatter)                                 \
  X(SS_ALL_REDUCE, SS_COMM_ALL_REDUCE, 2, true, SS_AT_schedule_all_reduce)                                             \
  X(SS_BROADCAST, SS_COMM_BROADCAST, 1, false, SS_ATTRIBUTE_TOTAL)                                                     \
  X(SS_REDUCE, SS_COMM_REDUCE, 1, false, SS_ATTRIBUTE_TOTAL)                                                           \
  X(SS_ALL_TO_ALL, SS_COMM_ALL_TO_ALL, 1, true, SS_AT_schedule_all_to_all)                                             \
  X(SS_DISPATCH, SS_COMM_ALL_TO_ALL, 1, true, SS_ATTRIBUTE_TOTAL)                                                      \
  X(SS_SEND_RECEIVE, SS_COMM_SEND, 1, false, SS_ATTRIBUTE_TOTAL)

typedef enum ss_collective {
#define SS_COLLECTIVE_ID(id, activity, passes, keeps, given) id,
  SS_COLLECTIVE_LIST(SS_COLLECTIVE_ID)
#undef SS_COLLECTIVE_ID
      SS_COLLECTIVE_COUNT
} ss_collective;

/* How a timeline shows it. */
ss_activity ss_collective_activity(ss_collective kind);

/* How often the volume goes around a ring. */
double ss_collective_passes(ss_collective kind);

/* What one rank sends around a ring, as a share of the volume: passes * (n-1)/n, or all of it in each pass where no
 * rank keeps a part (broadcast, reduce). arXiv 2410.00273 section III. */
double ss_collective_ring_share(ss_collective kind, int64_t ranks);

#endif
