/* What a replay saw of its network and of its longest chain: for reports, passed from process to process as it is. */
#ifndef STEPSIM_MODEL_RESULT_CONTENTION_H
#define STEPSIM_MODEL_RESULT_CONTENTION_H

#include <stdint.h>

#include "model/fabric/fabric.h"

/* Busiest links that are kept. */
#define SS_BUSY_LINKS 16

/* A link, or links of one kind and capacity that carry the same. */
typedef struct ss_busy_link {
  char name[SS_LINK_NAME_SIZE]; /* of the first of them */
  int64_t alike;                /* how many they are, with this one */
  double bytes_per_s;           /* capacity */
  double bytes;                 /* carried in the iteration */
  double utilisation;           /* of the capacity, over the iteration, [0, 1] */
  double peak;                  /* the same in the busiest of equal slices of it, of the busiest of them */
  int64_t number;               /* of the first of them, in the fabric */
} ss_busy_link;

typedef struct ss_busy_links {
  int64_t count, used, total; /* listed; that carried anything; of the machine */
  ss_busy_link link[SS_BUSY_LINKS];
} ss_busy_links;

/* Why communication was exposed, on the rank that finishes last: X(field, "label", "what it is"). */
/* clang-format off */
#define SS_EXPOSED_LIST(X) \
  X(latency_s, "latency", "start-up of messages and of collective steps") \
  X(bandwidth_s, "own bandwidth", "bytes over unshared links at full speed") \
  X(shared_s, "contention", "added by links that were shared or slow")
/* clang-format on */

typedef struct ss_exposed {
#define SS_EXPOSED_FIELD(field, label, help) double field;
  SS_EXPOSED_LIST(SS_EXPOSED_FIELD)
#undef SS_EXPOSED_FIELD
} ss_exposed;

/* What the time of the iteration depends on, going back from its end: X(field, "label", "what it is"). They add up to
 * the iteration. */
/* clang-format off */
#define SS_PATH_LIST(X) \
  X(compute_s, "kernels", "passes and optimizer steps") \
  X(calls_s, "layer collectives", "tensor, context and expert parallel, inside passes") \
  X(data_s, "data parallel", "gathers and reductions that delayed other work") \
  X(message_s, "pipeline messages", "from stage to stage") \
  X(offload_s, "offload", "the second memory tier") \
  X(host_s, "host", "launches of kernels")
/* clang-format on */

/* The parts by number: SS_PATH_compute_s, ... */
typedef enum ss_critical_path_kind {
#define SS_PATH_ID(field, label, help) SS_PATH_##field,
  SS_PATH_LIST(SS_PATH_ID)
#undef SS_PATH_ID
      SS_PATH_KINDS
} ss_critical_path_kind;

/* Legs of the path that are kept: the longest. */
#define SS_PATH_LEGS 16

/* Instead of the number of a replica, for what all of them do together. */
#define SS_PATH_ALL_REPLICAS (-1)

/* Flows that a replay took for others though they would have gone faster for a while, and how far off it may be for
 * that: how much earlier and later any replica would be, by what waits for what, or, where links of the upper levels
 * are short, the sum over kinds of flows of how far ahead the foremost of each would have been; how far it wavers as
 * they would meet others at other times; and what replicas would change that are not in step
 * (sim/engine/headroom/drifts.h). */
typedef struct ss_presumed {
  int64_t flows;
  double ahead_s;
} ss_presumed;

/* What keeps a replay from being exact. */
typedef struct ss_shortcuts {
  ss_presumed presumed;
  int64_t crowded_links; /* that were left out, though they were short (SS_FOLD_FLAT) */
} ss_shortcuts;

/* Everything that the path does at one place: stage of a replica, hop between two stages of it, or data parallelism of
 * a stage. */
typedef struct ss_critical_path_leg {
  int64_t from_stage, to_stage; /* equal: at the stage */
  int64_t replica;              /* or SS_PATH_ALL_REPLICAS */
  int64_t gpu;                  /* first GPU of the stage that it is at or comes from */
  double time_s;
  int64_t visits;
} ss_critical_path_leg;

typedef struct ss_critical_path {
#define SS_PATH_FIELD(field, label, help) double field;
  SS_PATH_LIST(SS_PATH_FIELD)
#undef SS_PATH_FIELD
  int64_t legs, moves; /* listed; changes of place on the way */
  ss_critical_path_leg leg[SS_PATH_LEGS];
} ss_critical_path;

#endif
