/* 1F1B (arXiv 2104.04473 section 2.2.1): P - stage - 1 forward passes, then one forward and one backward in turn, then
 * the backward passes that are left. Eager 1F1B (arXiv 2211.05322) starts with 2 (P - stage - 1) instead, so
 * that a stage has work while its messages are on their way, and holds as many more micro-batches. */
#ifndef STEPSIM_MODEL_SCHEDULE_ONE_FORWARD_ONE_BACKWARD_H
#define STEPSIM_MODEL_SCHEDULE_ONE_FORWARD_ONE_BACKWARD_H

#include <stdint.h>

#include "model/schedule/row.h"

extern const ss_schedule ss_one_forward_one_backward;
extern const ss_schedule ss_eager_one_forward_one_backward;

/* How deep a stage goes in 1F1B (`depth` of a row). */
ss_in_flight ss_one_forward_one_backward_depth(const ss_pipeline_shape *shape, int64_t stage);

/* With n = P - stage - 1 warm-up passes to do meanwhile, a stage waits after_s - n f for its first backward pass and
 * after_s - n b for the last ones, which is one wait where there are few micro-batches (`wait_s` of a row). */
double ss_one_forward_one_backward_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double *pass_s,
                                          double after_s);

#endif
