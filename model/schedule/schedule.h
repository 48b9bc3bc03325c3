/* Pipeline schedules: the order in which a stage works through the micro-batches of its chunks of the model. */
#ifndef STEPSIM_MODEL_SCHEDULE_SCHEDULE_H
#define STEPSIM_MODEL_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/workload.h"
#include "model/schedule/pass.h"

/* A pipeline: its schedule, stages P, micro-batches M and chunks per stage v (1 but for interleaved). */
typedef struct ss_pipeline_shape {
  ss_pipeline schedule;
  int64_t stages, micro_batches, chunks;
} ss_pipeline_shape;

/* The pipeline of a workload. */
ss_pipeline_shape ss_pipeline_shape_of(const ss_workload *workload);

/* What the schedules differ in beyond their order. */
typedef struct ss_schedule_traits {
  bool splits_backward; /* emits SS_PASS_WEIGHT */
  bool runs_into_next;  /* stages start the next iteration as they are done, without waiting for the others */
} ss_schedule_traits;

ss_schedule_traits ss_schedule_traits_of(ss_pipeline schedule);

/* Seconds that each stage but one adds to the M turns of that one: the bubble of P equal stages is P - 1 times it. With
 * f, b and w the times of forward, backward and weight passes of one micro-batch: (f + b) / v, arXiv 2104.04473 section
 * 2.2; ZB-H1 max(f + b - w, f, b), ZB-H2 max(f + b - 2 w, b - f, 0), arXiv 2401.10241 table 2, where w fills as much as
 * M - 1 micro-batches on P - 1 stages have. Exact but for ZB-H2 with M < 2 P - 1 and w > f, which is up to a sixth
 * longer. */
double ss_schedule_fill_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES]);

/* Passes of a stage in an iteration: M v forward, as many backward, and as many weight where backward is split. */
int64_t ss_schedule_length(const ss_pipeline_shape *shape);

/* Seconds that a stage with these passes waits for those after it, whose fills add up to `after_s`. With equal stages
 * that is after_s. In 1f1b, and interleaved with one chunk, a stage that is slower has warm-up passes to do meanwhile:
 * with n = P - stage - 1 of them it waits after_s - n f for its first backward pass and after_s - n b for the last
 * ones, which is one wait where there are few micro-batches. */
double ss_schedule_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double pass_s[SS_PASSES],
                          double after_s);

/* Emits the order of work of a stage into `work` [ss_schedule_length].
 * gpipe: all forward passes, then all backward passes, in order.
 * 1f1b: arXiv 2104.04473 section 2.2.1: P - stage - 1 forward passes, then one forward and one backward in turn, then
 * the backward passes that are left.
 * interleaved: arXiv 2104.04473 section 2.2.2, in the order of Megatron-LM: micro-batches in groups of P, chunk after
 * chunk; warm-up of 2 (P - stage - 1) + (v - 1) P passes, of all when M is P. M is a multiple of P. With v = 1 it is
 * 1f1b, for any M.
 * zero-bubble-1 (ZB-H1) and -2 (ZB-H2): arXiv 2401.10241 section 3: P - stage (H1) or 2 (P - stage) - 1 (H2) forward
 * passes, then one backward and one forward in turn. A weight pass follows a backward pass when P (H1) or 2 P - 1 (H2)
 * micro-batches are held, and every backward pass once forward is done; what is left comes last. */
void ss_schedule_emit(const ss_pipeline_shape *shape, int64_t stage, ss_work *work);

/* Micro-batches of one chunk (v per micro-batch of the whole stage) whose activations a stage holds at once, at most:
 * `whole` between forward and backward, `halves` beside them between backward and weight gradients; after a backward
 * pass one of the whole is a half. gpipe M; 1f1b P - stage; interleaved 2 (P - stage - 1) + (v - 1) P + 1, or M v when
 * M is P; ZB-H1 P - stage and stage halves; ZB-H2 2 (P - stage) - 1 and 2 stage halves. Never more than the M v there
 * are, whole and halves together. */
typedef struct ss_in_flight {
  int64_t whole, halves;
} ss_in_flight;

ss_in_flight ss_schedule_in_flight(const ss_pipeline_shape *shape, int64_t stage);

/* The same order in runs of equal turns: `passes` passes, one after the other, then the same with the next micro-batch
 * each, `count` times. */
typedef struct ss_turns {
  int64_t count, passes;
  ss_work work[SS_PASSES]; /* [passes] of the first turn */
} ss_turns;

/* How far a stage has come in its order: passes of each kind. */
typedef struct ss_order {
  ss_pipeline_shape shape;
  ss_in_flight most;
  bool splits_backward;
  int64_t count[SS_PASSES];
} ss_order;

ss_order ss_order_start(const ss_pipeline_shape *shape, int64_t stage);

/* The next turns; as long as two kinds of passes take turns, a run ends where one of them changes its chunk. False when
 * all work is done. */
bool ss_order_next(ss_order *order, ss_turns *turns);

#endif
