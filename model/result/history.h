/* What happened in a replay, for drawings: what the stages of one replica of the model did and waited for, the way of
 * the critical path, and what the busiest links carried over time. */
#ifndef STEPSIM_MODEL_RESULT_HISTORY_H
#define STEPSIM_MODEL_RESULT_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/kernel/activity.h"
#include "model/result/contention.h"

/* Slices of the iteration that a link writer may have at most (SS_USAGE_SLICES of the replay). */
#define SS_HISTORY_SLICES 64

/* No transfer has ended a wait: a known time has. */
#define SS_HISTORY_NO_TRANSFER (-1)

/* A pass of a stage, a stretch of one that took turns with another, or the optimizer step (without chunk and
 * micro-batch: -1). */
typedef struct ss_history_pass {
  int32_t stage, chunk, micro_batch;
  ss_activity activity;
  double start_s, end_s;
} ss_history_pass;

/* A stage stood still until a transfer had arrived. */
typedef struct ss_history_wait {
  int32_t stage;
  ss_activity activity; /* SS_WAIT_... */
  int64_t transfer;     /* its number, or SS_HISTORY_NO_TRANSFER */
  double start_s, end_s;
} ss_history_wait;

/* A message from stage to stage, or a collective of data parallelism (equal stages). */
typedef struct ss_history_transfer {
  int64_t number; /* in the order of arrival; they come in this order */
  int32_t from_stage, to_stage, micro_batch;
  ss_activity activity;
  double asked_s, start_s, end_s, bytes;
} ss_history_transfer;

/* A place of the critical path: a stage, a hop between two, or data parallelism of a stage (SS_PATH_ALL_REPLICAS). */
typedef struct ss_history_step {
  int64_t from_stage, to_stage, replica;
  double start_s, end_s;
} ss_history_step;

/* A link, or links that carry the same, with its utilisation in each slice of the iteration. */
typedef struct ss_history_link {
  ss_busy_link link;
  double utilisation[SS_HISTORY_SLICES];
} ss_history_link;

/* A link that carried something, or links that carried the same. */
typedef struct ss_history_carrier {
  int64_t link, alike; /* its number in the fabric; how many they are, with this one */
  double bytes;
} ss_history_carrier;

/* The lists: X(type and member). */
#define SS_HISTORY_LISTS(X) X(pass) X(wait) X(transfer) X(step) X(link) X(carrier)

typedef struct ss_history {
  int64_t replica; /* of the model, whose stages are shown: the one that finishes last */
  double end_s;    /* of the iteration */
  int64_t slices;
  double boundary_s[SS_HISTORY_SLICES + 1];
#define SS_HISTORY_MEMBER(name)                                                                                        \
  ss_history_##name *name;                                                                                             \
  int64_t name##_count, name##_capacity;
  SS_HISTORY_LISTS(SS_HISTORY_MEMBER) /* in order of time, the path from its end back, the busiest link first,
                                         carriers by number; owned */
#undef SS_HISTORY_MEMBER
} ss_history;

/* Appends to a list. False where there is no memory. */
#define SS_HISTORY_ADD(name) bool ss_history_add_##name(ss_history *history, const ss_history_##name *item);
SS_HISTORY_LISTS(SS_HISTORY_ADD)
#undef SS_HISTORY_ADD

/* Releases the lists; zeroed is fine. */
void ss_history_free(ss_history *history);

#endif
