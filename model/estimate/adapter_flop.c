#include "model/estimate/adapter_flop.h"

#include "model/input/workload.h"

/* On all ranks that share a sequence. */
static double all_of(const ss_job *job, ss_block_kind kind)
{
  const ss_workload *w = job->workload;
  const double ranks = (double)(w->parallelism.tp * w->parallelism.tp2 * w->parallelism.cp);
  return job->block[kind].adapter_flop * ranks / (double)w->training.micro_batch;
}

/* A module with an adapter adds the columns of what it reads and writes. */
static double columns_of(const ss_workload *w, ss_lora_module module, double columns)
{
  return (ss_workload_lora_modules(w) & SS_WORD_BIT(module)) != 0 ? columns : 0.0;
}

static double flop_of(const ss_workload *w, double columns)
{
  return 2.0 * (double)w->model.sequence * (double)w->training.lora_rank * columns;
}

static double halves_of(const ss_workload *w)
{
  return w->model.mlp == SS_MLP_SWIGLU ? 2.0 : 1.0;
}

/* Gate and up-projection have one each, or one together. */
static double mlp_columns(const ss_workload *w, double hidden, double ffn, double inputs)
{
  if (ffn <= 0.0) return 0.0;
  return columns_of(w, SS_LORA_FC1, inputs * hidden + halves_of(w) * ffn) + columns_of(w, SS_LORA_FC2, ffn + hidden);
}

static double outside_columns(const ss_workload *w, bool experts)
{
  const double shared = (double)(w->model.shared_experts * w->model.expert_ffn);
  const double inputs = w->training.projections == SS_PROJECTIONS_SEPARATE ? halves_of(w) : 1.0;
  return mlp_columns(w, (double)w->model.hidden, experts ? shared : (double)w->model.ffn, inputs);
}

static double routed_columns(const ss_workload *w)
{
  if (!ss_workload_adapts_experts(w)) return 0.0;
  const double of_expert = mlp_columns(w, (double)ss_workload_expert_hidden(w), (double)w->model.expert_ffn, 1.0);
  return ss_workload_choices(w) * of_expert;
}

static double up_columns(const ss_workload *w)
{
  const double heads = (double)w->model.heads, size = (double)w->model.head_size;
  const double queries = heads * (size + (double)w->model.rope_size);
  const double pairs = heads * (size + (double)ss_workload_value_size(w));
  if (w->model.kv_rank == 0) return 0.0;
  const double of_queries = w->model.q_rank > 0 ? columns_of(w, SS_LORA_Q_UP, (double)w->model.q_rank + queries)
                                                : columns_of(w, SS_LORA_Q_PROJ, (double)w->model.hidden + queries);
  return of_queries + columns_of(w, SS_LORA_KV_UP, (double)w->model.kv_rank + pairs);
}

ss_adapter_flop ss_adapter_flop_of(const ss_job *job, ss_block_kind kind, const ss_workload *layer, bool experts)
{
  if (!ss_workload_adapts(layer)) return (ss_adapter_flop){.all = 0.0};
  return (ss_adapter_flop){.all = all_of(job, kind),
                           .mlp = flop_of(layer, outside_columns(layer, experts)),
                           .routed = experts ? flop_of(layer, routed_columns(layer)) : 0.0,
                           .up = ss_workload_attends(layer) ? flop_of(layer, up_columns(layer)) : 0.0};
}
