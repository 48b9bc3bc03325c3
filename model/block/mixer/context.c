#include "model/block/mixer/context.h"

#include "model/input/workload.h"

static int64_t pieces_of(const ss_builder *b)
{
  return b->workload->parallelism.cp / b->workload->parallelism.cp_inner;
}

static bool sums_apart(const ss_builder *b)
{
  return b->workload->parallelism.cp_sums == SS_CP_SUMS_FP32 && pieces_of(b) > 1;
}

static bool gathers_once(const ss_builder *b)
{
  return b->workload->parallelism.cp_exchange == SS_CP_GATHER;
}

static bool exchanges_beside(const ss_builder *b)
{
  return b->workload->schedule.overlap_cp == SS_YES;
}

bool ss_builder_attends_in_pieces(const ss_builder *b)
{
  const ss_workload *w = b->workload;
  const bool ring = w->parallelism.cp_exchange == SS_CP_RING;
  return w->training.attention == SS_ATTENTION_FLASH && w->parallelism.tensor == SS_TENSOR_1D &&
         (ring || sums_apart(b));
}

static ss_call around(const ss_builder *b, double volume_bytes)
{
  return (ss_call){b->sequence, SS_ALL_GATHER, volume_bytes};
}

/* Gradients in fp32 have twice the bytes, and go around once more than keys and values, back to where they belong. */
static ss_call gradients_around(const ss_builder *b, double volume_bytes)
{
  const double ranks = (double)pieces_of(b);
  return around(b, sums_apart(b) ? 2.0 * volume_bytes * ranks / (ranks - 1.0) : volume_bytes);
}

/* From rank to rank, each beside the piece of attention with what came before; or all of it beside the first piece,
 * with the rank's own. */
static ss_overlap forward_overlap(const ss_builder *b)
{
  const int64_t pieces = pieces_of(b);
  return gathers_once(b) ? (ss_overlap){.kernel_pieces = pieces, .call_pieces = 1, .lag = 1}
                         : (ss_overlap){.kernel_pieces = pieces, .call_pieces = pieces - 1, .lag = 1, .one_ring = true};
}

/* Gradients that are summed up apart go on behind the piece that makes them. */
static void join_backward(const ss_builder *b, ss_task *task, double volume_bytes)
{
  const int64_t pieces = pieces_of(b);
  if (!sums_apart(b)) {
    ss_builder_join(b, task, around(b, 2.0 * volume_bytes), forward_overlap(b));
    return;
  }
  const ss_overlap behind = {
      .kernel_first = true, .kernel_pieces = pieces, .call_pieces = pieces, .one_ring = !gathers_once(b)};
  ss_builder_join(b, task, around(b, volume_bytes), behind);
  ss_builder_join(b, task, gradients_around(b, volume_bytes), behind);
}

void ss_builder_join_pieces(const ss_builder *b, ss_operation *flash, double volume_bytes)
{
  flash->forward.kernel.shape.columns /= (double)pieces_of(b);
  flash->backward.kernel.shape.columns /= (double)pieces_of(b);
  if (!exchanges_beside(b)) return;
  ss_builder_join(b, &flash->forward, around(b, volume_bytes), forward_overlap(b));
  join_backward(b, &flash->backward, volume_bytes);
}

/* Keys and values of this rank, in elements. */
static double own_elements(const ss_builder *b, double volume_bytes)
{
  return volume_bytes / SS_ELEMENT_BYTES / (double)pieces_of(b);
}

/* Copies of keys and values, forward or backward: without gaps, then side by side ahead of each step, also of those
 * that find them gathered already. A compiler leaves out what nothing reads. */
static double copied_elements(const ss_builder *b, double volume_bytes)
{
  const double steps = (double)(pieces_of(b) - 1), read = gathers_once(b) ? 1.0 : steps;
  return (b->fused ? read : 1.0 + steps) * own_elements(b, volume_bytes);
}

void ss_builder_add_piece_inputs(ss_builder *b, const ss_attention_shape *shape, double volume_bytes)
{
  if (sums_apart(b)) {
    ss_builder_add(b, ss_operation_gradient_sums(shape, own_elements(b, volume_bytes), pieces_of(b), b->fused));
    ss_builder_add(b, ss_operation_copy(SS_OP_COPY, copied_elements(b, volume_bytes), 0.0));
  }
  if (!exchanges_beside(b)) ss_builder_add_exchange(b, around(b, volume_bytes), gradients_around(b, volume_bytes));
}

void ss_builder_add_piece_outputs(ss_builder *b, const ss_attention_shape *shape, double volume_bytes)
{
  const ss_call none = {.volume_bytes = 0.0};
  if (!exchanges_beside(b)) ss_builder_add_exchange(b, none, around(b, volume_bytes));
  if (!sums_apart(b)) return;
  ss_builder_add(b, ss_operation_copy(SS_OP_COPY, 0.0, copied_elements(b, volume_bytes)));
  ss_builder_add(b, ss_operation_output_sums(shape, pieces_of(b), b->fused));
}
