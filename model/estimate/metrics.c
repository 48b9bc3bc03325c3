#include "model/estimate/estimate.h"
#include "model/input/workload.h"

/* Forward matrix products of one layer for one sequence. Attention is counted in full, whatever a kernel skips of it.
 */
typedef struct layer_flop {
  double all;  /* of the layer */
  double core; /* of that, logits and attend */
} layer_flop;

/* Parameters of the products of attention, and of one MLP of `ffn` columns: two matrices, swiglu three. */
static double attention_parameters(const ss_workload *w)
{
  const double e = (double)w->model.hidden, h = (double)w->model.heads, q = (double)w->model.head_size;
  if (w->model.kv_rank == 0) return e * q * (2.0 * h + 2.0 * (double)w->model.kv_heads);
  const double q_rank = (double)w->model.q_rank, kv_rank = (double)w->model.kv_rank;
  const double rope = (double)w->model.rope_size, queries = h * (q + rope);
  const double q_parameters = q_rank > 0.0 ? q_rank * (e + queries) : e * queries;
  return q_parameters + e * (kv_rank + rope) + kv_rank * 2.0 * h * q + h * q * e;
}

static double mlp_parameters(const ss_workload *w, double ffn)
{
  return (w->model.mlp == SS_MLP_SWIGLU ? 3.0 : 2.0) * (double)w->model.hidden * ffn;
}

/* A token goes to its top-k experts, the shared ones, and the router. */
static double expert_parameters(const ss_workload *w)
{
  const double active = (double)(w->model.top_k + w->model.shared_experts);
  return active * mlp_parameters(w, (double)w->model.expert_ffn) + (double)(w->model.hidden * w->model.experts);
}

static layer_flop forward_flop(const ss_workload *w, bool experts)
{
  const double l = (double)w->model.sequence, q = (double)w->model.head_size;
  const double rope = w->model.kv_rank > 0 ? (double)w->model.rope_size : 0.0;
  const double core = 2.0 * (double)w->model.heads * l * l * ((q + rope) + q);
  const double mlp = experts ? expert_parameters(w) : mlp_parameters(w, (double)w->model.ffn);
  return (layer_flop){2.0 * l * (attention_parameters(w) + mlp) + core, core};
}

/* What backward runs again of a layer. Flash attention recomputes its core by itself, in one kernel. */
static double recomputed_flop(const ss_job *job, ss_block_kind kind, layer_flop flop)
{
  const bool flash = job->workload->training.attention == SS_ATTENTION_FLASH;
  const double recomputed[] = {
      [SS_RECOMPUTE_NONE] = 0.0, [SS_RECOMPUTE_SELECTIVE] = flash ? 0.0 : flop.core, [SS_RECOMPUTE_FULL] = flop.all};
  return ss_block_traits_of(kind)->recomputes ? recomputed[job->workload->training.recompute] : 0.0;
}

/* Forward and backward through one layer for one sequence: what the model asks for, and what runs. */
typedef struct counted_flop {
  double model, hardware;
} counted_flop;

static counted_flop count_layer(const ss_job *job, ss_block_kind kind)
{
  const ss_workload *w = job->workload;
  const layer_flop flop = forward_flop(w, ss_block_traits_of(kind)->experts);
  const double again = recomputed_flop(job, kind, flop), model = 3.0 * flop.all;
  const bool skips = w->training.attention == SS_ATTENTION_FLASH && w->model.causal == SS_YES &&
                     !ss_cost_traits_of(job->options.cost).as_published;
  const double passes = again > 0.0 ? 4.0 : 3.0; /* through the core; a causal one skips half of it */
  return (counted_flop){model, model + again - (skips ? 0.5 * passes * flop.core : 0.0)};
}

static void add_chunk(const ss_job *job, ss_chunk chunk, counted_flop *sum)
{
  const int64_t count = ss_job_block_count(job, chunk);
  for (int64_t i = 0; i < count; ++i) {
    const ss_block_kind kind = ss_job_block_kind(job, chunk, i);
    if (!ss_block_traits_of(kind)->layer) continue;
    const counted_flop layer = count_layer(job, kind);
    sum->model += layer.model;
    sum->hardware += layer.hardware;
  }
}

ss_metrics ss_estimate_metrics(const ss_job *job, double iteration_s)
{
  const ss_workload *w = job->workload;
  const double batch = (double)w->training.global_batch, sequence = (double)w->model.sequence;
  const double output = 3.0 * 2.0 * sequence * (double)w->model.hidden * (double)w->model.vocabulary;
  counted_flop flop = {output, output};
  for (int64_t stage = 0; stage < job->stages; ++stage)
    for (int64_t c = 0; c < job->chunks; ++c) add_chunk(job, (ss_chunk){stage, c}, &flop);
  const double gpus = (double)ss_workload_gpus(w), tokens = batch * sequence;
  const double peak_flop = gpus * job->machine->matrix_flop_per_s * iteration_s;
  return (ss_metrics){.model_flop_per_iteration = batch * flop.model,
                      .mfu = batch * flop.model / peak_flop,
                      .hfu = batch * flop.hardware / peak_flop,
                      .tokens_per_s_per_gpu = tokens / (iteration_s * gpus),
                      .days = w->training.tokens / tokens * iteration_s / 86400.0};
}
