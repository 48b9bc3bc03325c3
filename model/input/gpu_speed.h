/* The text of gpu-speed: which GPUs run their kernels at a share of the speed. */
#ifndef STEPSIM_MODEL_INPUT_GPU_SPEED_H
#define STEPSIM_MODEL_INPUT_GPU_SPEED_H

#include <stdbool.h>
#include <stdint.h>

/* What a user may write. */
#define SS_GPU_SPEED_FORM "GPUs and their share of the speed, above 0 and up to 1, such as 17:0.8 64..71:0.95"

/* An entry of the text: GPUs `first` to `last`. */
typedef struct ss_gpu_speed {
  int64_t first, last;
  double factor;   /* (0, 1] */
  const char *end; /* of the entry in the text */
} ss_gpu_speed;

/* The first entry at or after `text` in a list separated by blanks: returns its start and sets its `length`, which is 0
 * after the last. */
const char *ss_list_entry(const char *text, int *length);

/* Reads an entry of gpu-speed. False if it is not one. */
bool ss_gpu_speed_read(const char *entry, int length, ss_gpu_speed *speed);

/* Fills `factor` [gpus] with the share of the speed of every GPU, 1 if the text does not name it. The text has been
 * checked. */
void ss_gpu_speeds(const char *text, int64_t gpus, double *factor);

#endif
