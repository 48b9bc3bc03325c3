/* A node as tools describe it: what a platform has to know of it. */
#ifndef STEPSIM_MODEL_INPUT_NODE_H
#define STEPSIM_MODEL_INPUT_NODE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed is unknown. */
typedef struct ss_node {
  int64_t gpus, nics;     /* NICs of the fabric: those near a GPU, where some are */
  int64_t nvlinks;        /* of a GPU; 0: none, or not said */
  int64_t capability;     /* of the GPUs, such as 90 for 9.0; 0: not said */
  double nic_bytes_per_s; /* each way; 0: not said */
  bool has_pairs;         /* NVLink goes from GPU to GPU, without a switch */
  int line;               /* of the file that has them all; 0: several */
  int64_t nics_left_out;  /* NICs that are slower, or not near a GPU where others are */
} ss_node;

#endif
