#include "model/plan/layers/tables.h"

#include "model/input/workload.h"
#include "model/plan/layers/split.h"

static void add_user(ss_tables *tables, ss_block_kind kind, int64_t stage)
{
  int64_t i = 0;
  while (i < tables->count && tables->stage[i] != stage) ++i;
  if (i < tables->count) {
    tables->lend |= SS_BLOCK_BIT(tables->holder[i]);
    tables->borrow |= SS_BLOCK_BIT(kind);
    return;
  }
  tables->stage[i] = stage;
  tables->holder[i] = kind;
  ++tables->count;
}

/* The stage with a part of the model. Where there are several copies, one stands for those with the same weights. */
static int64_t stage_of(const ss_pipeline_shape *shape, int64_t part)
{
  return ss_schedule_holder(shape, ss_schedule_chunk(shape, (ss_model_part){.index = part}).stage, 0);
}

ss_tables ss_tables_of(const ss_workload *workload, const ss_pipeline_shape *shape)
{
  const int64_t modules = ss_split_module_part(workload, shape);
  ss_tables tables = {.count = 0};
  add_user(&tables, SS_BLOCK_EMBEDDING, stage_of(shape, ss_split_embedding_part(workload)));
  if (modules >= 0) add_user(&tables, SS_BLOCK_NEXT, stage_of(shape, modules));
  if (workload->model.tied_embeddings == SS_YES)
    add_user(&tables, SS_BLOCK_HEAD, stage_of(shape, ss_shape_parts(shape) - 1));
  return tables;
}
