#include "model/block/amax.h"

#include "model/base/number.h"
#include "model/block/recipe.h"
#include "model/input/layer_kinds.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

#define LARGEST_BYTES 4.0

/* Tensors of a product whose largest values are kept (num_gemms * 3 and * 2 of TransformerEngineBaseModule). */
#define VALUES_OF_PRODUCT    3.0
#define GRADIENTS_OF_PRODUCT 2.0

int64_t ss_amax_ranks(const ss_workload *workload)
{
  const ss_amax_reduction reduction = workload->training.amax_reduction;
  const ss_precision precision = workload->training.precision;
  const int64_t replica = workload->parallelism.tp * workload->parallelism.cp * workload->parallelism.tp2;
  const bool delayed = ss_recipe_quantises(precision) && ss_recipe_of(precision)->scaling == SS_SCALING_DELAYED;
  if (!delayed || reduction == SS_AMAX_NONE) return 1;
  return reduction == SS_AMAX_TENSOR ? replica : replica * workload->parallelism.dp;
}

int64_t ss_amax_layers(const ss_workload *workload)
{
  if (ss_amax_ranks(workload) == 1) return 0;
  return ss_pipeline_even_layers(workload);
}

/* Products with weights in a layer, of those that have most: queries, keys and values, and the projection, or the
 * steps down and up of latent attention or of its queries; both of an MLP, of shared experts and of each expert of the
 * rank. */
static double products(const ss_workload *w)
{
  const double queries = w->model.q_rank > 0 ? 1.0 : 0.0;
  const double mixer = w->model.kv_rank > 0 ? 4.0 + queries : 2.0 + 2.0 * queries;
  if (w->model.experts == 0) return mixer + 2.0;
  const double shared = w->model.shared_experts > 0 ? 2.0 : 0.0;
  const double routed = w->training.expert_type == SS_AS_16BIT ? 0.0 : 2.0 * (double)w->model.experts;
  return mixer + shared + routed / (double)w->parallelism.ep;
}

/* Of kinds of layers, those that have most. */
static double most_products(const ss_workload *w)
{
  ss_layer_kinds kinds;
  if (w->model.pattern[0] == '\0') return products(w);
  SS_ASSERT(ss_layer_kinds_read(w->model.kinds, &kinds, NULL, 0));
  double most = 0.0;
  for (int64_t i = 0; i < kinds.count; ++i) {
    const ss_workload of_kind = ss_layer_kind_workload(w, &kinds.kind[i]);
    most = ss_max(most, products(&of_kind));
  }
  return most;
}

double ss_amax_bytes(const ss_workload *workload, bool gradients)
{
  const double tensors = (gradients ? GRADIENTS_OF_PRODUCT : VALUES_OF_PRODUCT) * most_products(workload);
  return LARGEST_BYTES * tensors * (double)ss_amax_layers(workload);
}
