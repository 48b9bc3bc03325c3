#include "sim/import/dialects/latent.h"

void ss_latent_set(ss_sheet *s)
{
  enum { KV_RANK = 512, ROPE_SIZE = 64, HEAD = 128 };
  ss_sheet_set(s, SS_AT_model_q_rank, ss_sheet_given(s, SS_VALUE_Q_RANK, 0), SS_VALUE_Q_RANK);
  ss_sheet_set(s, SS_AT_model_kv_rank, ss_sheet_given(s, SS_VALUE_KV_RANK, KV_RANK), SS_VALUE_KV_RANK);
  ss_sheet_set(s, SS_AT_model_rope_size, ss_sheet_given(s, SS_VALUE_ROPE_SIZE, ROPE_SIZE), SS_VALUE_ROPE_SIZE);
  ss_sheet_set(s, SS_AT_model_head_size, ss_sheet_given(s, SS_VALUE_LATENT_HEAD, HEAD), SS_VALUE_LATENT_HEAD);
  const int64_t values = ss_sheet_given(s, SS_VALUE_VALUE_HEAD, HEAD);
  const bool differ = values != s->workload->model.head_size;
  if (differ || s->workload->model.value_head_size > 0)
    ss_sheet_set(s, SS_AT_model_value_head_size, differ ? values : 0, SS_VALUE_VALUE_HEAD);
}
