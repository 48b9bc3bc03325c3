/* The text of gpu-speed: which GPUs run their kernels at a share of the speed. */
#ifndef STEPSIM_MODEL_INPUT_GPU_SPEED_H
#define STEPSIM_MODEL_INPUT_GPU_SPEED_H

#include <stdbool.h>
#include <stdint.h>

/* What to write; an entry of the text: GPUs first to last. */
#define SS_GPU_SPEED_FORM "GPUs and their share of the speed, above 0 and up to 1, such as 17:0.8 64-71:0.95"

typedef struct ss_gpu_speed {
  int64_t first, last;
  double factor;   /* (0, 1] */
  const char *end; /* of the entry in the text */
} ss_gpu_speed;

/* The entry of a list between blanks that is at `text` or follows it: where it starts, and how long it is; 0 after the
 * last. */
const char *ss_list_entry(const char *text, int *length);

/* Reads such an entry. False where it is none. */
bool ss_gpu_speed_read(const char *entry, int length, ss_gpu_speed *speed);

/* Fills in the share of the speed of every GPU, 1 where the text says nothing. The text has been checked. `factor` is
 * [gpus]. */
void ss_gpu_speeds(const char *text, int64_t gpus, double *factor);

#endif
