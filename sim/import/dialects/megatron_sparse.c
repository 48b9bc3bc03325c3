/* Where no source stands beside a function, megatron/core/transformer/transformer_config.py of NVIDIA/Megatron-LM has
 * it. */
#include "sim/import/dialects/megatron_sparse.h"

/* What recipes of Megatron-Bridge multiply the loss by (src/megatron/bridge/models/glm_moe_dsa/glm5_bridge.py). */
#define LOSS_COEFFICIENT 0.001

static ss_status refuse(const ss_sheet *s, ss_sheet_value which, const char *problem, ss_error *error)
{
  const int line = s->value_line[which] > 0 ? s->value_line[which] : s->value_line[SS_VALUE_SPARSE];
  return ss_error_set(error, SS_ERROR_INPUT, s->path, line, "%s", problem);
}

static ss_status check(const ss_sheet *s, bool learns, ss_error *error)
{
  if (ss_sheet_given(s, SS_VALUE_SPARSE_KERNELS, 0) == 0)
    return refuse(
        s, SS_VALUE_SPARSE_KERNELS,
        "experimental-attention-variant=dsa: is computed by PyTorch without kernels of its own; allowed: with "
        "dsa-kernel-backend=cudnn or tilelang",
        error);
  if (learns && ss_sheet_given(s, SS_VALUE_INDEX_LOSS_CHOSEN, 0) == 0)
    return refuse(
        s, SS_VALUE_INDEX_LOSS,
        "dsa-indexer-loss-coeff: the loss looks at all tokens; allowed: with dsa-indexer-use-sparse-loss, or 0", error);
  return SS_OK;
}

ss_status ss_megatron_read_sparse(ss_sheet *s, ss_error *error)
{
  static const struct {
    ss_sheet_value from;
    ss_attribute_index to;
  } sizes[] = {{SS_VALUE_INDEX_HEADS, SS_AT_model_index_heads},
               {SS_VALUE_INDEX_HEAD_SIZE, SS_AT_model_index_head_size},
               {SS_VALUE_INDEX_TOP_K, SS_AT_model_index_top_k}};
  const bool learns = s->value[SS_VALUE_INDEX_LOSS] > 0.0;
  if (s->value[SS_VALUE_SPARSE] <= 0.0) return SS_OK;
  ss_status status = check(s, learns, error);
  for (size_t i = 0; status == SS_OK && i < sizeof sizes / sizeof sizes[0]; ++i) {
    if (s->value[sizes[i].from] == SS_NOT_GIVEN)
      return refuse(s, SS_VALUE_SPARSE,
                    "experimental-attention-variant=dsa: needs dsa-indexer-n-heads, dsa-indexer-head-dim and "
                    "dsa-indexer-topk",
                    error);
    status = ss_sheet_set_within(s, sizes[i].to, s->value[sizes[i].from], sizes[i].from, error);
  }
  if (status == SS_OK)
    ss_sheet_set(s, SS_AT_training_index_loss, learns ? SS_YES : SS_NO, learns ? SS_VALUE_INDEX_LOSS : SS_VALUE_SPARSE);
  return status;
}

void ss_megatron_write_sparse(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->model.index_top_k == 0) return;
  s->value[SS_VALUE_SPARSE] = s->value[SS_VALUE_SPARSE_KERNELS] = 1.0;
  s->value[SS_VALUE_INDEX_HEADS] = (double)w->model.index_heads;
  s->value[SS_VALUE_INDEX_HEAD_SIZE] = (double)w->model.index_head_size;
  s->value[SS_VALUE_INDEX_TOP_K] = (double)w->model.index_top_k;
  if (w->training.index_loss == SS_NO) return;
  s->value[SS_VALUE_INDEX_LOSS] = LOSS_COEFFICIENT;
  s->value[SS_VALUE_INDEX_LOSS_CHOSEN] = 1.0;
}
