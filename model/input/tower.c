#include "model/input/tower.h"

#include <string.h>

#include "model/base/number.h"

ss_workload ss_tower_workload(const ss_workload *workload)
{
  ss_workload tower = *workload;
  const int64_t heads = workload->model.vision_heads;
  memset(&tower.model, 0, sizeof tower.model);
  tower.model.layers = workload->model.vision_layers;
  tower.model.hidden = workload->model.vision_hidden;
  tower.model.ffn = workload->model.vision_ffn;
  tower.model.heads = tower.model.kv_heads = heads;
  tower.model.head_size = workload->model.vision_hidden / heads;
  tower.model.sequence = workload->model.vision_images * workload->model.vision_tokens;
  tower.model.chunk = workload->model.vision_tokens;
  tower.model.mlp = workload->model.vision_mlp;
  tower.model.causal = SS_NO;
  tower.model.residual_streams = 1;
  if (workload->parallelism.vision_share != SS_IMAGES_WHOLE) {
    tower.training.micro_batch = 1;
    tower.model.sequence = (int64_t)ss_tower_own_patches(workload);
  }
  tower.parallelism.tp = ss_tower_tp(workload);
  if (tower.parallelism.tp == 1) tower.parallelism.sequence_parallel = SS_NO;
  tower.parallelism.cp = tower.parallelism.cp_inner = 1;
  tower.training.dropout = SS_NO;
  tower.training.documents = SS_DOCUMENTS_NONE;
  tower.training.document_mean = tower.training.document_sigma = 0.0;
  tower.training.document_lengths[0] = '\0';
  return tower;
}

int64_t ss_tower_tp(const ss_workload *workload)
{
  const int64_t tp = workload->parallelism.tp, said = workload->parallelism.vision_tp;
  if (said != SS_DERIVED) return said;
  if (ss_tower_shares_over_tensor(workload)) return 1;
  return workload->model.vision_heads % tp == 0 ? tp : 1;
}

bool ss_tower_is_spread(const ss_workload *workload)
{
  return ss_tower_tp(workload) == workload->parallelism.tp;
}

bool ss_tower_shares_over_tensor(const ss_workload *workload)
{
  const ss_vision_share share = workload->parallelism.vision_share;
  return share == SS_IMAGES_TENSOR || share == SS_IMAGES_ALL;
}

bool ss_tower_shares_over_context(const ss_workload *workload)
{
  const ss_vision_share share = workload->parallelism.vision_share;
  return share == SS_IMAGES_CONTEXT || share == SS_IMAGES_ALL;
}

/* Tensor-parallel ranks that have the same of it. */
static int64_t tensor_copies(const ss_workload *workload)
{
  return workload->parallelism.tp / ss_tower_tp(workload);
}

bool ss_tower_layer_has_windows(const ss_workload *workload, int64_t layer)
{
  const int64_t every = workload->model.vision_full_every;
  return workload->model.vision_window > 0 && (every == 0 || (layer + 1) % every != 0);
}

double ss_tower_patches(const ss_workload *workload)
{
  return (double)(workload->model.vision_images * workload->model.vision_tokens);
}

double ss_tower_own_patches(const ss_workload *workload)
{
  const int64_t images = workload->training.micro_batch * workload->model.vision_images;
  const int64_t tensor = ss_tower_shares_over_tensor(workload) ? tensor_copies(workload) : 1;
  const int64_t ranks = tensor * (ss_tower_shares_over_context(workload) ? workload->parallelism.cp : 1);
  const int64_t own_images = ss_divide_up(images, ranks);
  return (double)(own_images * workload->model.vision_tokens);
}

double ss_tower_copies(const ss_workload *workload)
{
  const double ranks = (double)(tensor_copies(workload) * workload->parallelism.cp);
  return ranks * ss_tower_own_patches(workload) / ((double)workload->training.micro_batch * ss_tower_patches(workload));
}

double ss_tower_tokens(const ss_workload *workload)
{
  return ss_tower_patches(workload) / (double)workload->model.vision_merge;
}

double ss_projector_width(const ss_workload *workload)
{
  const int64_t joined = workload->model.vision_join == SS_YES ? workload->model.vision_merge : 1;
  return (double)(joined * workload->model.vision_hidden);
}

double ss_projector_parameters(const ss_workload *workload)
{
  const double in = ss_projector_width(workload), inner = (double)workload->model.vision_projector;
  const double out = (double)workload->model.hidden;
  return inner > 0.0 ? (in + out) * inner : in * out;
}
