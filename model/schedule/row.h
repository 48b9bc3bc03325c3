/* What a pipeline schedule says of itself: one row of methods. schedule.h asks them; parts.h, depth_order.h and plain.h
 * have those that most schedules share. */
#ifndef STEPSIM_MODEL_SCHEDULE_ROW_H
#define STEPSIM_MODEL_SCHEDULE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/schedule/pass.h"

typedef struct ss_schedule ss_schedule;

/* A pipeline: its schedule, stages P, micro-batches M of an iteration, and chunks v that each stage has. */
typedef struct ss_pipeline_shape {
  const ss_schedule *schedule;
  int64_t stages, micro_batches, chunks;
  int64_t group; /* N, of interleaved chunks: micro-batches that go through one in a row (ss_shape_group) */
  bool pairs;    /* a backward and a forward pass that follow one another run together (schedule.overlap-ep) */
} ss_pipeline_shape;

/* Micro-batches that go through a chunk before the next chunk has its turn: those given, else one per stage. */
static inline int64_t ss_shape_group(const ss_pipeline_shape *shape)
{
  return shape->group > 0 ? shape->group : shape->stages;
}

/* A part of the model, `index` counted in the order of forward, of one of the copies that the stages hold. */
typedef struct ss_model_part {
  int64_t copy, index;
} ss_model_part;

/* How the parts of the model lie on the stages: P v / copies parts in each copy, one in each chunk. Part k + 1 lies on
 * the stage of part k, on one beside it, or the two are on the last stage and the first. What is on a stage of one copy
 * is, chunk by chunk, on one stage of each other copy. */
typedef struct ss_part_layout {
  int64_t copies; /* of the model; each takes its share of the micro-batches, numbered from 0 in each */
  ss_model_part (*part_of)(const ss_pipeline_shape *shape, ss_chunk chunk);
  ss_chunk (*chunk_of)(const ss_pipeline_shape *shape, ss_model_part part); /* its inverse */
} ss_part_layout;

/* Micro-batches whose activations a stage holds: `whole` between forward and backward, `halves` between backward and
 * weight gradients. Each is of one chunk: a micro-batch that is in all chunks of a stage counts v times. */
typedef struct ss_in_flight {
  int64_t whole, halves;
} ss_in_flight;

/* Chunks of a stage whose passes take turns all together. */
#define SS_TURN_CHUNKS 2
#define SS_TURN_PASSES (SS_TURN_CHUNKS * SS_PASSES)

/* A run of equal turns: `passes` passes, one after the other, each of another kind or chunk, then the same with the
 * next micro-batch each, `count` times. */
typedef struct ss_turns {
  int64_t count, passes;
  ss_work work[SS_TURN_PASSES]; /* [passes] of the first turn */
} ss_turns;

/* How far a stage has come in its order. */
typedef struct ss_order {
  ss_pipeline_shape shape;
  int64_t stage;
  ss_in_flight most;                       /* of an order by depth: ss_schedule_in_flight */
  int64_t count[SS_PASSES];                /* of an order by depth: passes of each kind */
  int64_t done[SS_TURN_CHUNKS][SS_PASSES]; /* of an order by turns: passes of each chunk */
  int64_t phase, turn;                     /* of an order by phases: which one, and turns of it */
} ss_order;

/* What a stage holds at a moment. */
typedef struct ss_moment {
  ss_in_flight most; /* of an order by depth: ss_schedule_in_flight */

  /* A backward pass runs together with a forward pass, through these chunks; both micro-batches are held. */
  bool paired;
  int64_t backward_chunk, forward_chunk;

  int64_t forward, backward;         /* of an order by depth with several chunks: passes of each that have run */
  ss_in_flight held[SS_TURN_CHUNKS]; /* of an order by turns: in each chunk */
} ss_moment;

/* Moments of an iteration, one of which is that when the activations of a stage need most bytes. */
typedef struct ss_moments {
  int64_t stage, index; /* index: of the next one */

  /* Of an order by depth: how many there are, and those when backward comes to another chunk. */
  int64_t count, backward;
  ss_in_flight most; /* ss_schedule_in_flight */

  /* Of an order by turns: the one before the next one, and where in its turns the order is. */
  ss_moment moment;
  ss_order order;
  ss_turns turns;
  int64_t pass;
  bool last_turn;
} ss_moments;

/* How a stage works through its passes. */
typedef struct ss_order_methods {
  /* The next turns of a stage; false when all work is done. A run ends before a pass of it changes its chunk. */
  bool (*next)(ss_order *order, ss_turns *turns);

  /* Micro-batches after which the chunks take turns as before; 0 where there are no such rounds to skip. */
  int64_t (*round)(const ss_pipeline_shape *shape);

  /* The moments to look at, the next of them (false after the last one), and what a chunk holds then. */
  ss_moments (*moments)(const ss_pipeline_shape *shape, int64_t stage);
  bool (*moment)(const ss_pipeline_shape *shape, ss_moments *moments, ss_moment *moment);
  ss_in_flight (*held)(const ss_pipeline_shape *shape, const ss_moment *moment, int64_t chunk);

  /* At all moments, all chunks together hold what the row's `depth` says. */
  bool by_depth;
} ss_order_methods;

/* One row; every method is given, but for the two of waits where the closed form walks. `pass_s` are the seconds of
 * forward, backward and weight passes, [SS_PASSES]. */
struct ss_schedule {
  const ss_part_layout *layout;
  int64_t chunks; /* of each stage; SS_CHUNKS_GIVEN: as many as the workload says (parallelism.interleave) */
  const ss_order_methods *order;
  bool needs_stages;    /* on one stage it is nothing of its own */
  bool splits_backward; /* emits SS_PASS_WEIGHT */
  bool runs_into_next;  /* stages start the next iteration as they are done, without waiting for the others */
  bool one_each;        /* with one chunk, P - stage - 1 forward passes, then one forward and one backward in turn */
  bool pairs;           /* backward and forward passes that follow one another may run together */
  bool walks;           /* the closed form goes through the orders of all stages: no formula has their waits */

  /* Whether the micro-batches can be shared out. */
  bool (*takes)(const ss_pipeline_shape *shape);

  /* What a stage would hold at most if there were no end of micro-batches; or with those that there are. */
  ss_in_flight (*depth)(const ss_pipeline_shape *shape, int64_t stage);

  /* Seconds that each stage but one adds to the M turns of that one (ss_schedule_fill_s). */
  double (*fill_s)(const ss_pipeline_shape *shape, const double *pass_s);

  /* Seconds that a stage waits for those after it, whose fills add up to `after_s` (ss_schedule_wait_s). */
  double (*wait_s)(const ss_pipeline_shape *shape, int64_t stage, const double *pass_s, double after_s);
};

#define SS_CHUNKS_GIVEN 0

/* Micro-batches that go through each copy of the model, and so through each chunk. */
static inline int64_t ss_shape_copy_batches(const ss_pipeline_shape *shape)
{
  return shape->micro_batches / shape->schedule->layout->copies;
}

/* Passes of a kind that a stage runs in an iteration, over its chunks. */
static inline int64_t ss_shape_passes(const ss_pipeline_shape *shape)
{
  return ss_shape_copy_batches(shape) * shape->chunks;
}

/* Parts that each copy of the model is cut into. */
static inline int64_t ss_shape_parts(const ss_pipeline_shape *shape)
{
  return shape->stages * shape->chunks / shape->schedule->layout->copies;
}

/* What a stage holds at most: `whole`, and `halves` beside them; after a backward pass one of the whole is a half.
 * gpipe M; 1f1b P - stage; eager-1f1b 2 (P - stage) - 1; interleaved 2 (P - stage - 1) + (v - 1) N + 1, or M v when M
 * is P; ZB-H1 P - stage and stage halves; ZB-H2 2 (P - stage) - 1 and 2 stage halves; in a V, of 2 M in two chunks:
 * V-Min about 2 P / 3, V-Half P + 3 and V-ZB 2 P, of which some are halves, and DualPipeV 2 P + 1; DualPipe P + 1, of
 * M / 2 in each of two copies. Never more than there are, whole and halves
 * together. */
static inline ss_in_flight ss_schedule_in_flight(const ss_pipeline_shape *shape, int64_t stage)
{
  ss_in_flight most = shape->schedule->depth(shape, stage);
  const int64_t passes = ss_shape_passes(shape);
  if (most.whole > passes) most.whole = passes;
  if (most.halves > passes - most.whole) most.halves = passes - most.whole;
  return most;
}

#endif
