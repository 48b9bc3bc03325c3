#include "model/block/tensor_overlap.h"

#include "model/input/workload.h"

/* Where the ranks do not share the tokens (nor, with summa, their width) out, all have them gathered anyway and all
 * need the reduced sums. */
ss_call ss_builder_tensor_call(const ss_builder *b, bool gathers, double volume_bytes)
{
  const ss_group group = b->split.group;
  if (b->split.gathers || b->summa) return (ss_call){group, gathers ? SS_ALL_GATHER : SS_REDUCE_SCATTER, volume_bytes};
  return (ss_call){group, SS_ALL_REDUCE, gathers ? 0.0 : volume_bytes};
}

#define PIPE_PIECES 4

/* A product in pieces, as many as there are of its collective. */
static ss_overlap in_pieces(bool gathers)
{
  return (ss_overlap){.kernel_first = !gathers, .kernel_pieces = PIPE_PIECES, .call_pieces = PIPE_PIECES};
}

/* A ring starts with the piece that is there, and ends with the one that stays. */
static ss_overlap in_steps(const ss_builder *b, bool gathers)
{
  const int64_t ranks = (int64_t)b->split.ranks;
  return (ss_overlap){.kernel_first = !gathers,
                      .kernel_pieces = ranks,
                      .call_pieces = ranks - 1,
                      .lag = gathers ? 1 : 0,
                      .one_ring = true};
}

bool ss_builder_uses_buffers(const ss_builder *b)
{
  return b->split.overlap == SS_TP_OVERLAP_USER_BUFFERS;
}

/* Megatron-LM gives the output product of Mamba and of the gated delta rule the buffers of fc2 (tp_comm_buffer_name in
 * megatron/core/ssm). */
static bool has_mlp_buffers(ss_activity product)
{
  return product == SS_OP_FC2 || product == SS_OP_MIXER_OUT;
}

bool ss_builder_buffers_reduce_in_ring(const ss_builder *b, ss_activity product)
{
  if (!ss_builder_uses_buffers(b)) return false;
  const bool of_mlp = has_mlp_buffers(product);
  switch (b->workload->schedule.tp_reduction) {
  case SS_TP_REDUCTION_PIPE: return false;
  case SS_TP_REDUCTION_RING: return true;
  case SS_TP_REDUCTION_MLP_RING: return of_mlp;
  case SS_TP_REDUCTION_MLP_PIPE: return !of_mlp;
  }
  return false;
}

/* How a product runs beside the gather of its input or the reduction of its output; no pieces where it does not.
 * Transformer Engine gathers as a ring. */
static ss_overlap tensor_overlap(const ss_builder *b, ss_activity product, bool gathers)
{
  switch (b->split.overlap) {
  case SS_TP_OVERLAP_NONE:
  case SS_TP_OVERLAP_BACKWARD: break;
  case SS_TP_OVERLAP_PIPE: return in_pieces(gathers);
  case SS_TP_OVERLAP_RING:
  case SS_TP_OVERLAP_SYMMETRIC: return in_steps(b, gathers);
  case SS_TP_OVERLAP_USER_BUFFERS:
    return gathers || ss_builder_buffers_reduce_in_ring(b, product) ? in_steps(b, gathers) : in_pieces(gathers);
  }
  return (ss_overlap){0};
}

bool ss_builder_overlaps_tensor(const ss_builder *b)
{
  return b->split.overlap != SS_TP_OVERLAP_NONE && b->split.overlap != SS_TP_OVERLAP_BACKWARD;
}

void ss_builder_join_tensor(const ss_builder *b, ss_task *task, bool gathers, double volume_bytes)
{
  ss_builder_join(b, task, ss_builder_tensor_call(b, gathers, volume_bytes),
                  tensor_overlap(b, task->activity, gathers));
  if (task->overlap.kernel_pieces > 0) task->kernel.shape.rows /= (double)task->overlap.kernel_pieces;
}
