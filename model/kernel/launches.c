#include "model/kernel/launches.h"

#include <math.h>

#include "model/base/number.h"

ss_launches ss_launches_none(void)
{
  return (ss_launches){.caught_s = -INFINITY, .start_s = -INFINITY};
}

ss_launches ss_launches_one(double count, double host_s, double gpu_s)
{
  return (ss_launches){.host_s = host_s, .caught_s = -INFINITY, .start_s = host_s, .gpu_s = gpu_s, .count = count};
}

ss_launches ss_launches_synced(ss_launches piece)
{
  piece.caught_s = piece.host_s;
  piece.lag_s = piece.start_s;
  return piece;
}

/* Each is a path from host or GPU to host or GPU, through the host or the GPU between `a` and `b`. */
ss_launches ss_launches_then(ss_launches a, ss_launches b)
{
  return (ss_launches){.host_s = ss_max(a.host_s + b.host_s, a.start_s + a.gpu_s + b.caught_s),
                       .caught_s = ss_max(a.caught_s + b.host_s, a.lag_s + a.gpu_s + b.caught_s),
                       .start_s = ss_max(a.start_s + b.lag_s, a.host_s + b.start_s - a.gpu_s),
                       .lag_s = ss_max(a.lag_s + b.lag_s, a.caught_s + b.start_s - a.gpu_s),
                       .gpu_s = a.gpu_s + b.gpu_s,
                       .count = a.count + b.count};
}

double ss_launches_wait(const ss_launches *launches, double gpu_s, double *host_s)
{
  const double ready_s = ss_max(*host_s + launches->start_s, gpu_s + launches->lag_s);
  *host_s = ss_max(*host_s + launches->host_s, gpu_s + launches->caught_s);
  return ss_max(ready_s - gpu_s, 0.0);
}

typedef struct launch_count {
  int64_t forward, backward;
} launch_count;

/* Megatron-LM of 2021 (megatron/model/transformer.py, mpu/layers.py, mpu/cross_entropy.py) on PyTorch: a product that
 * adds its bias does so in a second kernel, whose gradient is a sum; heads are gathered into a matrix before and behind
 * the batched products; a norm has kernels of its own for the gradients of its weights; behind a residual addition two
 * gradients are added up; the table has a mask for the words of other ranks, and an addition of positions; the loss is
 * some fifteen small operations. In backward, each bias and weight of a norm also has a hook that adds its gradient up
 * (megatron/model/distributed.py); those of the matrices are the tasks of their sums. Unpadding as bert_padding of
 * flash-attn 2: a sum of the mask, what is not zero of it, the largest, running sums with a zero ahead, the rows. */
static const launch_count counts[SS_ACTIVITY_COUNT] = {
    [SS_OP_NORM_1] = {1, 5},          [SS_OP_NORM_2] = {1, 5},
    [SS_OP_FINAL_NORM] = {1, 5},      [SS_OP_QKV] = {2, 2},
    [SS_OP_BIAS_ACTIVATION] = {1, 3}, [SS_OP_BIAS_DROPOUT_ADD] = {1, 4},
    [SS_OP_LOGITS] = {3, 2},          [SS_OP_ATTEND] = {3, 2},
    [SS_OP_LOOKUP] = {8, 4},          [SS_OP_TOP_K] = {4, 4},
    [SS_OP_PERMUTE] = {4, 4},         [SS_OP_CROSS_ENTROPY] = {14, 4},
    [SS_OP_UNPAD] = {9, 2},           [SS_OP_PAD] = {2, 1},
    [SS_OP_LOSS_METRIC] = {8, 0},
};

int64_t ss_launch_count(ss_activity activity, bool backward)
{
  const int64_t count = backward ? counts[activity].backward : counts[activity].forward;
  return count > 0 ? count : 1;
}

/* To fp32, scale, mask to bool, fill, softmax, back to 16 bits (forward_torch_softmax in
 * megatron/model/fused_softmax.py), and the gradients of all but the mask. */
int64_t ss_launch_count_softmax_unfused(bool backward)
{
  return backward ? 5 : 6;
}
