/* Pipeline schedules: the order in which a stage works through the micro-batches of its chunks of the model. */
#ifndef STEPSIM_MODEL_SCHEDULE_H
#define STEPSIM_MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/workload.h"

/* What a pass does. A schedule that splits backward emits both parts of it; else BACKWARD is all of it. */
typedef enum ss_pass {
  SS_PASS_FORWARD,
  SS_PASS_BACKWARD, /* gradients of the inputs, and of the weights unless the schedule splits them off */
  SS_PASS_WEIGHT,   /* gradients of the weights, where the schedule splits them off */
  SS_PASSES
} ss_pass;

/* One pass of one micro-batch through one chunk of a stage. */
typedef struct ss_work {
  ss_pass pass;
  int64_t chunk, micro_batch;
} ss_work;

/* A pipeline: its schedule, stages P, micro-batches M and chunks per stage v (1 but for interleaved). */
typedef struct ss_pipeline_shape {
  ss_pipeline schedule;
  int64_t stages, micro_batches, chunks;
} ss_pipeline_shape;

/* The pipeline of a workload. */
ss_pipeline_shape ss_pipeline_shape_of(const ss_workload *workload);

/* What the schedules differ in beyond their order. With f, b, w the times of forward, of the input gradients and of the
 * weight gradients of one micro-batch on a stage, the bubble of P equal stages is
 * (P - 1) ((f + b + w) / v - weight_fills w), or 0 if that is negative. Zero bubble only reaches it with M >= P (H1) or
 * M >= 2 P - 1 (H2) micro-batches and w <= f, and H1 only with w <= b; else its bubble is longer. */
typedef struct ss_schedule_traits {
  bool splits_backward; /* emits SS_PASS_WEIGHT */
  double weight_fills;  /* weight gradients that fill the bubble, per stage: 0, 2 (ZB-H1), 3 (ZB-H2) */
  bool runs_into_next;  /* stages start the next iteration as they are done, without waiting for the others */
} ss_schedule_traits;

ss_schedule_traits ss_schedule_traits_of(ss_pipeline schedule);

/* Passes of a stage in an iteration: M v forward, as many backward, and as many weight where backward is split. */
int64_t ss_schedule_length(const ss_pipeline_shape *shape);

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

#endif
