/* What a stage of a pipeline works on: one pass of one micro-batch through one chunk of the model. */
#ifndef STEPSIM_MODEL_SCHEDULE_PASS_H
#define STEPSIM_MODEL_SCHEDULE_PASS_H

#include <stdbool.h>
#include <stdint.h>

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
  bool paired; /* runs together with the one after it */
  bool whole;  /* of backward: its message leaves behind the weight pass that comes next */
} ss_work;

/* One chunk of the model on one stage; the stage is SS_NO_STAGE where there is none. */
typedef struct ss_chunk {
  int64_t stage, index;
} ss_chunk;

#define SS_NO_STAGE (-1)

#endif
