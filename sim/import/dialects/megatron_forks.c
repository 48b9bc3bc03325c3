#include "sim/import/dialects/megatron_forks.h"

#include "model/input/origin.h"

/* Norms are behind attention and behind the feed-forward part, or behind neither. */
static ss_status read_norms(ss_sheet *s, ss_error *error)
{
  const bool first = s->value[SS_VALUE_ATTENTION_POST_NORM] > 0.0, second = s->value[SS_VALUE_FFN_POST_NORM] > 0.0;
  if (first != second)
    return ss_sheet_refuse_number(s, first ? SS_VALUE_ATTENTION_POST_NORM : SS_VALUE_FFN_POST_NORM,
                                  "has a norm behind one part of a layer only; allowed: post-self-attn-layernorm and "
                                  "post-mlp-layernorm, or neither",
                                  error);
  if (first) ss_sheet_set(s, SS_AT_model_post_norms, SS_YES, SS_VALUE_ATTENTION_POST_NORM);
  return SS_OK;
}

/* The rank counts where adapters are trained. */
static ss_status read_rank(ss_sheet *s, ss_error *error)
{
  const int64_t rank = ss_sheet_given(s, SS_VALUE_ADAPTER_RANK, 0);
  (void)error;
  if (s->value[SS_VALUE_ADAPTERS] > 0.0 && rank > 0)
    ss_sheet_set(s, SS_AT_training_lora_rank, rank, SS_VALUE_ADAPTER_RANK);
  if (s->value[SS_VALUE_ADAPTERS] == 0.0 && s->workload->training.lora_rank == 0)
    s->workload->training.lora_modules = 0;
  return SS_OK;
}

/* Ranks that split sequences by all-to-alls (DeepSpeed Ulysses). */
static void read_ulysses(ss_sheet *s)
{
  const int64_t ranks = ss_sheet_given(s, SS_VALUE_ULYSSES, 1);
  if (ranks == 1) return;
  ss_sheet_set(s, SS_AT_parallelism_cp, ranks, SS_VALUE_ULYSSES);
  ss_sheet_set(s, SS_AT_parallelism_cp_exchange, SS_CP_ALL_TO_ALL, SS_VALUE_ULYSSES);
}

ss_status ss_megatron_read_forks(ss_sheet *s, ss_error *error)
{
  const ss_status status = read_norms(s, error);
  read_ulysses(s);
  return status == SS_OK ? read_rank(s, error) : status;
}
