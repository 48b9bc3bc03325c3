/* Schedules of two chunks per stage that lie in a V (arXiv 2405.15362), or in two that meet (arXiv 2412.19437), with
 * backward split in two. */
#ifndef STEPSIM_MODEL_SCHEDULE_V_SCHEDULES_H
#define STEPSIM_MODEL_SCHEDULE_V_SCHEDULES_H

#include "model/schedule/row.h"

/* V-Min and V-Half: every stage repeats a block of six passes, one for each micro-batch. With f = b = w the bubble is
 * 2/3 and 1/2 of that of 1F1B, and activations are 1/3 and 1/2 of it, and a few micro-batches more. */
extern const ss_schedule ss_v_min;
extern const ss_schedule ss_v_half;

/* V-ZB: with f = b = w, and 2 P micro-batches or more, the only bubble is the time until the last stage starts, half of
 * a forward pass per stage; activations as in 1F1B on its first stage, on all stages. */
extern const ss_schedule ss_v_zero_bubble;

/* DualPipeV (github.com/deepseek-ai/DualPipe): forward through one chunk and backward through the other run together.
 * With 2 P micro-batches or more the bubble is (P - 1)(F&B + B - 3 W) of passes through a chunk, where F&B is a pair
 * and B all of backward, if forward takes as long as backward without W, else less; 2 P + 1 chunks of activations. */
extern const ss_schedule ss_dualpipe_v;

/* DualPipe (arXiv 2412.19437 section 3.2.1 and table 2): two copies of the model, fed from both ends with half of the
 * micro-batches each; stages s and P - 1 - s work as stage s of a V of P / 2 does. Takes even numbers of stages and
 * micro-batches, 2 P or more. The bubble is (P / 2 - 1)(F&B + B - 3 W), activations are P + 1 of a stage of 1F1B. */
extern const ss_schedule ss_dualpipe;

#endif
