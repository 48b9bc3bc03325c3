#include "model/block/mixer/indexer.h"

#include "model/input/workload.h"

double ss_index_source(const ss_workload *workload)
{
  return (double)(workload->model.q_rank > 0 ? workload->model.q_rank : workload->model.hidden);
}

bool ss_index_learns(const ss_builder *b)
{
  return b->workload->training.index_loss == SS_YES;
}

ss_product ss_index_product(const ss_builder *b)
{
  return (ss_product){.activity = SS_OP_INDEX,
                      .in = b->hidden,
                      .input_from = SS_SOURCE_OTHER,
                      .gradient_from = SS_SOURCE_OTHER,
                      .detached = true,
                      .fixed = !ss_index_learns(b),
                      .reads_norm = true};
}

void ss_builder_add_index_part(ss_builder *b, ss_operation part)
{
  if (!ss_index_learns(b)) {
    part.backward = (ss_task){0};
    part.stored_bytes = 0.0;
  }
  ss_builder_add(b, part);
}

void ss_builder_add_index_choice(ss_builder *b, const ss_sparse_shape *shape)
{
  ss_builder_add(b, ss_operation_index_scores(shape));
  ss_builder_add(b, ss_operation_index_top_k(shape, ss_index_learns(b)));
}

/* Heads are shared out, so that what they give a token is summed up over ranks. */
void ss_builder_add_index_loss(ss_builder *b, const ss_sparse_shape *shape)
{
  const ss_call sum = {b->split.group, SS_ALL_REDUCE, ss_index_target_bytes(shape)};
  if (!ss_index_learns(b)) return;
  ss_builder_add(b, ss_operation_index_target(shape));
  ss_builder_add_exchange(b, sum, (ss_call){0});
  ss_builder_add(b, ss_operation_index_loss(shape));
  ss_builder_add(b, ss_operation_index_gradients(shape));
}
