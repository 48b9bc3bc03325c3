/* Delayed scaling: ranks agree on the largest values of their tensors, from which the scales of later iterations
 * follow. Behind the layers of a chunk Transformer Engine reduces what these have found, all at once
 * (reduce_and_update_fp8_tensors of pytorch/quantization.py, at the end of the outermost autocast and of the backward
 * of its first module). */
#ifndef STEPSIM_MODEL_BLOCK_AMAX_H
#define STEPSIM_MODEL_BLOCK_AMAX_H

#include <stdbool.h>
#include <stdint.h>

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Ranks that agree on them: those of a stage, or of a replica of it; 1 where none do. */
int64_t ss_amax_ranks(const ss_workload *workload);

/* Layers of a chunk, of whose tensors they agree; as many in the mean where chunks differ. 0 where none do. */
int64_t ss_amax_layers(const ss_workload *workload);

/* Bytes that they reduce: forward 4 for each input, weight and output of a product, backward for each gradient of an
 * output and of an input. */
double ss_amax_bytes(const ss_workload *workload, bool gradients);

#endif
