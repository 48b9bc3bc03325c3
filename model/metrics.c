#include "model/estimate.h"

/* Forward matrix products of the model for one sequence: {a layer, its attention core alone, the output layer}.
 * Attention is counted in full, whatever a kernel skips of it. */
typedef struct model_flop {
  double layer, core, output;
} model_flop;

static model_flop forward_flop(const ss_workload *w)
{
  const double l = (double)w->model.sequence, e = (double)w->model.hidden, q = (double)w->model.head_size;
  const double h = (double)w->model.heads, kv = (double)w->model.kv_heads, f = (double)w->model.ffn;
  const double matrices = w->model.mlp == SS_MLP_SWIGLU ? 3.0 : 2.0;
  const double weights = e * q * (2.0 * h + 2.0 * kv) + matrices * e * f;
  const double core = 4.0 * h * q * l * l;
  return (model_flop){2.0 * l * weights + core, core, 2.0 * l * e * (double)w->model.vocabulary};
}

ss_metrics ss_estimate_metrics(const ss_job *job, double iteration_s)
{
  const ss_workload *w = job->workload;
  const model_flop flop = forward_flop(w);
  const double batch = (double)w->training.global_batch, layers = (double)w->model.layers;
  const bool fused = w->training.attention == SS_ATTENTION_FLASH; /* recomputes its core by itself, in one kernel */
  const double recomputed[] = {
      [SS_RECOMPUTE_NONE] = 0.0, [SS_RECOMPUTE_SELECTIVE] = fused ? 0.0 : flop.core, [SS_RECOMPUTE_FULL] = flop.layer};
  const double model = 3.0 * batch * (layers * flop.layer + flop.output);
  const bool skips = fused && w->model.causal == SS_YES && ss_cost_traits_of(job->options.cost).fused;
  const double passes = w->training.recompute == SS_RECOMPUTE_FULL ? 4.0 : 3.0;
  const double skipped = skips ? 0.5 * passes * flop.core : 0.0;
  const double hardware = model + batch * layers * (recomputed[w->training.recompute] - skipped);
  const double gpus = (double)ss_workload_gpus(w), tokens = batch * (double)w->model.sequence;
  const double peak_flop = gpus * job->machine->matrix_flop_per_s * iteration_s;
  return (ss_metrics){.model_flop_per_iteration = model,
                      .mfu = model / peak_flop,
                      .hfu = hardware / peak_flop,
                      .tokens_per_s_per_gpu = tokens / (iteration_s * gpus),
                      .days = w->training.tokens / tokens * iteration_s / 86400.0};
}
