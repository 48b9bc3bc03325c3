#include "model/block/mixer/attended.h"
#include "model/block/mixer/attention.h"
#include "model/block/mixer/compressed_attention.h"
#include "model/block/mixer/packing.h"
#include "model/block/mixer/sparse_attention.h"
#include "model/block/mixer/state_space.h"
#include "model/block/recipe.h"
#include "model/block/streams.h"
#include "model/estimate/adapter_flop.h"
#include "model/estimate/estimate.h"
#include "model/estimate/model_size.h"
#include "model/input/tower.h"
#include "model/input/workload.h"

#include <math.h>

/* Matrix products of one layer for one sequence. What the model asks for counts attention in full; what runs leaves out
 * what a kernel skips of it. */
typedef struct layer_flop {
  double model;             /* forward */
  double model_index;       /* forward and backward, of the indexer of sparse attention, beside that */
  double model_products;    /* of model, those with weights */
  double all;               /* forward, as it runs */
  double products;          /* of all, those with weights */
  double index;             /* of the indexer, beside that */
  double index_weights;     /* gradients of its weights */
  double logits, attend;    /* of that, the core of attention */
  double up;                /* the up-projections of latent attention */
  double mlp;               /* an MLP that is not of experts */
  double experts;           /* router, routed and shared experts */
  double shared;            /* of that, the shared ones */
  ss_adapter_flop adapters; /* beside all of these */
} layer_flop;

/* Parameters of the products of attention, and of one MLP of `ffn` columns: two matrices, swiglu three. */
static double attention_parameters(const ss_workload *w)
{
  const double e = (double)w->model.hidden, h = (double)w->model.heads, q = (double)w->model.head_size;
  const double v = (double)ss_workload_value_size(w);
  const double kv_heads = w->model.shared_keys == SS_YES ? 0.0 : (double)w->model.kv_heads;
  const double value_heads = w->model.keys_as_values == SS_YES ? 0.0 : kv_heads;
  const double q_rank = (double)w->model.q_rank, kv_rank = (double)w->model.kv_rank;
  const double plain = ss_attention_query_heads(w) * q;
  if (ss_workload_is_compressed(w)) return ss_compressed_parameters(w);
  if (w->model.kv_rank == 0)
    return (q_rank > 0.0 ? q_rank * (e + plain) : e * plain) + e * (q * kv_heads + v * (h + value_heads));
  const double rope = (double)w->model.rope_size, queries = h * (q + rope);
  const double q_parameters = q_rank > 0.0 ? q_rank * (e + queries) : e * queries;
  return q_parameters + e * (kv_rank + rope) + kv_rank * h * (q + v) + h * v * e;
}

static double mlp_parameters(const ss_workload *w, double ffn)
{
  return (w->model.mlp == SS_MLP_SWIGLU ? 3.0 : 2.0) * (double)w->model.hidden * ffn;
}

/* What each tensor-parallel rank has whole of the way to the experts: the router, and the products around latent ones.
 */
static double way_parameters(const ss_workload *w)
{
  return (double)w->model.hidden * (double)(w->model.experts + w->model.zero_experts + 2 * w->model.expert_latent);
}

/* One routed expert. */
static double routed_parameters(const ss_workload *w)
{
  const double share = (double)ss_workload_expert_hidden(w) / (double)w->model.hidden;
  return share * mlp_parameters(w, (double)w->model.expert_ffn);
}

/* A token goes to those of its top-k experts that compute, and to the shared ones. */
static double expert_parameters(const ss_workload *w)
{
  const double shared = (double)w->model.shared_experts * mlp_parameters(w, (double)w->model.expert_ffn);
  return ss_workload_choices(w) * routed_parameters(w) + shared + way_parameters(w);
}

/* Up from the low ranks of latent attention, which recompute module mla_up_proj runs again. */
static double up_parameters(const ss_workload *w)
{
  if (ss_workload_is_compressed(w)) return ss_compressed_up_parameters(w);
  if (w->model.kv_rank == 0) return 0.0;
  const double h = (double)w->model.heads, q = (double)w->model.head_size, queries = q + (double)w->model.rope_size;
  const double from = (double)(w->model.q_rank > 0 ? w->model.q_rank : w->model.hidden);
  return from * h * queries + (double)w->model.kv_rank * h * (q + (double)ss_workload_value_size(w));
}

/* Parameters of what runs of experts beyond what the model asks for: the way to them where each tensor-parallel rank
 * has the same tokens; tokens that a capacity adds (or drops). */
static double extra_expert_parameters(const ss_workload *w, double copies)
{
  const double ways = copies * way_parameters(w);
  if (w->training.capacity_factor <= 0.0) return ways;
  const double routed = ss_workload_choices(w) * routed_parameters(w);
  return ways + (w->training.capacity_factor - 1.0) * routed;
}

/* Where each tensor-parallel rank has the same tokens, all but one of them. */
static double copies_of(const ss_workload *w)
{
  return w->parallelism.sequence_parallel == SS_YES ? 0.0 : (double)w->parallelism.tp - 1.0;
}

/* Parameters of what runs of attention beyond what the model asks for: copies, where each tensor-parallel rank has the
 * same tokens and weights, or there are fewer keys and values than ranks. */
static double extra_attention_parameters(const ss_workload *w)
{
  const double e = (double)w->model.hidden, tp = (double)w->parallelism.tp;
  const double q_rank = (double)w->model.q_rank, kv_rank = (double)w->model.kv_rank;
  const double of_head = (double)(w->model.head_size + ss_workload_value_size(w));
  const double latents = kv_rank + (double)w->model.rope_size, pairs = (double)w->model.kv_heads * of_head;
  const double low = kv_rank > 0.0 ? q_rank + latents : q_rank > 0.0 ? q_rank + pairs : 0.0, down = e * low;
  const bool split = low == 0.0 && w->model.shared_keys == SS_NO;
  const double kv_copies = split ? fmax(tp - (double)w->model.kv_heads, 0.0) : 0.0;
  const double group_copies = ss_state_product_parameters(w, tp) - ss_state_product_parameters(w, 1.0);
  if (!ss_workload_attends(w)) return copies_of(w) * ss_state_shared_parameters(w) + group_copies;
  const int64_t of_copy = w->model.head_size + (w->model.keys_as_values == SS_YES ? 0 : ss_workload_value_size(w));
  return copies_of(w) * down + e * (double)of_copy * kv_copies + group_copies;
}

/* Fused attention skips the half of the logits that causal attention does not need. */
static bool skips_logits(const ss_job *job, const ss_workload *w)
{
  return w->training.attention == SS_ATTENTION_FLASH && w->model.causal == SS_YES &&
         !ss_cost_traits_of(job->options.cost).as_published;
}

/* The product of a module that makes one state of two (ss_builder_add_merger). */
static double merger_parameters(const ss_workload *w)
{
  const double states = (double)w->model.residual_streams; /* each of which has a product */
  return (1.0 + states) * (double)w->model.hidden * (double)w->model.hidden;
}

/* Of what a model asks for, what attention computes: flash attention that looks back only, half of the keys that a
 * query has in both directions, but of a window all that lie in it; without flash attention all of the sequence. */
static double computed_share(const ss_job *job, const ss_workload *w, double asked)
{
  const double l = (double)w->model.sequence;
  const bool in_chunks = w->model.chunk > 0 && w->training.attention == SS_ATTENTION_FLASH;
  if (skips_logits(job, w)) return in_chunks ? 0.5 : 1.0 - asked / (2.0 * l);
  return in_chunks && !ss_cost_traits_of(job->options.cost).as_published ? 1.0 : l / asked;
}

/* What attention is asked for of each query, and the share of it that it computes. */
typedef struct asked_keys {
  double keys, computed;
} asked_keys;

static asked_keys keys_asked(const ss_job *job, const ss_workload *w)
{
  if (w->training.documents == SS_DOCUMENTS_NONE)
    return (asked_keys){ss_attention_asked(w), computed_share(job, w, ss_attention_asked(w))};
  const ss_attention_reach reach = ss_attention_reach_of(w);
  const double skipped = w->model.chunk > 0 ? 1.0 : reach.span / reach.seen; /* of what looks both ways */
  const double share = skips_logits(job, w) ? reach.share : skipped;
  return (asked_keys){reach.asked, share * (reach.seen / reach.asked)};
}

/* Of an indexer of so many parameters that is asked for scores of so many keys of each query, which each
 * tensor-parallel rank has whole. */
static void add_indexer(const ss_workload *w, const ss_sparse_shape *s, double parameters, double scored,
                        layer_flop *flop)
{
  const ss_sparse_flop of = ss_sparse_flop_of(s);
  const double l = (double)w->model.sequence, tp = (double)w->parallelism.tp;
  const double products = 2.0 * l * parameters, pair = 2.0 * s->index_heads * s->index_size;
  const double useful = ss_useful_share(w) * products, of_sequence = tp * (double)w->parallelism.cp / s->batch;
  const bool learns = w->training.index_loss == SS_YES;
  flop->index = tp * products + of_sequence * (of.scores + (learns ? of.target + of.gradients : 0.0));
  flop->index_weights = learns ? tp * products : 0.0;
  flop->model_index = useful + l * pair * scored;
  if (learns) flop->model_index += useful + 2.0 * l * pair * s->most;
}

/* Of sparse attention the core computes with latents, and the indexer, which each tensor-parallel rank has, does all
 * but the gradients of its weights forward. The model is asked for scores of as many tokens as full attention would
 * look at, and for gradients of those that are chosen. */
static void add_sparse_attention(const ss_job *job, const ss_workload *w, layer_flop *flop)
{
  const double tp = (double)w->parallelism.tp, ranks = tp * (double)w->parallelism.cp;
  const ss_sparse_shape s = ss_sparse_shape_of(w, tp, ranks / tp);
  const ss_sparse_flop of = ss_sparse_flop_of(&s);
  const ss_workload whole = ss_workload_without_choice(w);
  flop->logits = ranks / s.batch * of.logits;
  flop->attend = ranks / s.batch * of.attend;
  if (w->model.index_heads > 0) add_indexer(w, &s, ss_index_parameters(w), keys_asked(job, &whole).keys, flop);
}

/* Compressed attention is asked for what it computes. */
static layer_flop compressed_flop(const ss_workload *w)
{
  const ss_sparse_shape attended = ss_compressed_shape_of(w), indexed = ss_compressed_index_shape_of(w);
  const ss_sparse_flop of = ss_sparse_flop_of(&attended);
  const double pairs = 2.0 * (double)(w->model.sequence * w->model.heads) * attended.chosen;
  layer_flop flop = {.model = pairs * (attended.latent_size + attended.value_size),
                     .logits = of.logits / attended.batch,
                     .attend = of.attend / attended.batch};
  if (w->model.index_heads > 0) add_indexer(w, &indexed, ss_compressed_index_parameters(w), indexed.scored, &flop);
  return flop;
}

/* Scores and sums of attention over the tokens that a token sees, which are half of them where it looks back only; the
 * model is asked for the other half, too (a convention that all share), and a window is taken as it is. Of several
 * documents, it is the mean of what each asks for. */
static layer_flop attention_flop(const ss_job *job, const ss_workload *w)
{
  const double l = (double)w->model.sequence, q = (double)w->model.head_size;
  const double v = (double)ss_workload_value_size(w);
  const double rope = w->model.kv_rank > 0 ? (double)w->model.rope_size : 0.0;
  const asked_keys asked = keys_asked(job, w);
  const double column = 2.0 * (double)w->model.heads * l * asked.keys, share = asked.computed;
  layer_flop flop = {
      .model = column * (q + v + rope), .logits = share * column * (q + rope), .attend = share * column * v};
  if (ss_workload_is_sparse(w)) add_sparse_attention(job, w, &flop);
  return flop;
}

double ss_estimate_mixer_parameters(const ss_workload *workload)
{
  const double attention = ss_workload_attends(workload) ? attention_parameters(workload) : 0.0;
  return attention + ss_state_product_parameters(workload, 1.0);
}

/* Down to the embedding that a layer has of its own, and up again. */
static double own_embedding_parameters(const ss_workload *w)
{
  return 2.0 * (double)w->model.hidden * (double)w->model.layer_embedding;
}

/* Products that make weights of residual streams, one for each part of a layer. */
static double stream_parameters(const ss_workload *w)
{
  const int parts = (w->model.mixer != SS_MIXER_NONE) + (w->model.feed_forward != SS_FEED_FORWARD_NONE);
  return (double)parts * ss_stream_parameters(w);
}

static double feed_forward_parameters(const ss_workload *w, bool experts)
{
  if (w->model.feed_forward == SS_FEED_FORWARD_NONE) return 0.0;
  return experts ? expert_parameters(w) : mlp_parameters(w, (double)w->model.ffn);
}

/* A layer, or a module, which has one of the model's last kind or of its own (model.mtp-kind). */
static layer_flop forward_flop(const ss_job *job, ss_block_kind kind)
{
  const ss_workload *w = ss_layer_plan_workload(&job->layers, job->workload, kind);
  const ss_block_traits *traits = ss_block_traits_of(kind);
  const bool alike = traits->module || ss_block_kind_index(kind) >= 0;
  const bool experts = alike ? ss_workload_has_experts(w) : traits->experts;
  const double merger = (traits->module ? merger_parameters(w) : 0.0) + own_embedding_parameters(w);
  const bool attends = ss_workload_attends(w);
  const double l = (double)w->model.sequence, scan = l * ss_state_scan_flop(w, 1.0);
  const double scanned = l * ss_state_scan_flop(w, (double)(w->parallelism.tp * w->parallelism.cp));
  const double more = experts ? extra_expert_parameters(w, copies_of(w)) : 0.0;
  const double feed_forward = feed_forward_parameters(w, experts);
  const double products = 2.0 * l * (ss_estimate_mixer_parameters(w) + feed_forward + merger + stream_parameters(w));
  const double whole = copies_of(w) * own_embedding_parameters(w);
  const double streams = copies_of(w) * stream_parameters(w);
  const double extra = 2.0 * l * (extra_attention_parameters(w) + more + whole + streams);
  const double shared =
      experts ? (double)w->model.shared_experts * mlp_parameters(w, (double)w->model.expert_ffn) : 0.0;
  const layer_flop core = ss_workload_is_compressed(w) ? compressed_flop(w)
                          : attends                    ? attention_flop(job, w)
                                                       : (layer_flop){.model = 0.0};
  return (layer_flop){.model = ss_useful_share(w) * (products + scan) + core.model,
                      .model_products = ss_useful_share(w) * products,
                      .products = products + extra,
                      .model_index = core.model_index,
                      .all = products + extra + core.logits + core.attend + scanned,
                      .index = core.index,
                      .index_weights = core.index_weights,
                      .logits = core.logits,
                      .attend = core.attend,
                      .up = attends ? 2.0 * l * up_parameters(w) : 0.0,
                      .mlp = experts ? 0.0 : 2.0 * l * feed_forward,
                      .experts = experts ? 2.0 * l * (feed_forward + more) : 0.0,
                      .shared = 2.0 * l * shared,
                      .adapters = ss_adapter_flop_of(job, kind, w, experts)};
}

/* What the modules that a layer recomputes run again. Flash attention computes its logits again whatever the layer
 * keeps (arXiv 2205.14135, algorithm 4), and therefore nothing more of its core where no modules are given. Shared
 * experts run once more inside of experts. */
static double selected_flop(const ss_workload *w, layer_flop flop)
{
  const double core = flop.logits + flop.attend + flop.index;
  const double of_module[] = {[SS_RECOMPUTE_CORE_ATTN] = core,
                              [SS_RECOMPUTE_MOE_ACT] = 0.0,
                              [SS_RECOMPUTE_LAYERNORM] = 0.0,
                              [SS_RECOMPUTE_MLA_UP_PROJ] = flop.up + flop.adapters.up,
                              [SS_RECOMPUTE_MLP] = flop.mlp > 0.0 ? flop.mlp + flop.adapters.mlp : 0.0,
                              [SS_RECOMPUTE_MOE] =
                                  flop.experts > 0.0 ? flop.experts + flop.adapters.mlp + flop.adapters.routed : 0.0,
                              [SS_RECOMPUTE_SHARED_EXPERTS] = flop.shared > 0.0 ? flop.shared + flop.adapters.mlp : 0.0,
                              [SS_RECOMPUTE_MHC] = 0.0};
  const int modules = sizeof of_module / sizeof of_module[0];
  if (w->training.recompute_modules == 0) return w->training.attention == SS_ATTENTION_FLASH ? 0.0 : core;
  double sum = 0.0;
  for (int i = 0; i < modules; ++i) sum += (w->training.recompute_modules & SS_WORD_BIT(i)) != 0 ? of_module[i] : 0.0;
  return sum;
}

/* Of what runs again operation by operation, on all ranks that share a sequence. */
static double again_flop(const ss_job *job, ss_block_kind kind)
{
  const ss_workload *w = job->workload;
  const double ranks = (double)(w->parallelism.tp * w->parallelism.tp2 * w->parallelism.cp);
  return job->block[kind].again_flop * ranks / (double)w->training.micro_batch;
}

/* What backward runs again of a layer: also what training.recompute-layers leaves out, if that is inside of a group. */
static double recomputed_flop(const ss_job *job, ss_block_kind kind, layer_flop flop)
{
  const ss_workload *w = job->workload;
  const bool recomputes = ss_block_traits_of(kind)->recomputes || w->training.recompute_method == SS_RECOMPUTE_UNIFORM;
  double again = 0.0;
  switch (recomputes ? w->training.recompute : SS_RECOMPUTE_NONE) {
  case SS_RECOMPUTE_NONE: break;
  case SS_RECOMPUTE_SELECTIVE: again = selected_flop(w, flop); break;
  case SS_RECOMPUTE_FULL:
    again =
        w->training.recompute_early_stop == SS_YES ? again_flop(job, kind) : flop.all + flop.index + flop.adapters.all;
    break;
  case SS_RECOMPUTE_PER_OP:
  case SS_RECOMPUTE_KEEP_PRODUCTS: again = again_flop(job, kind); break;
  }
  return again + (w->training.attention == SS_ATTENTION_FLASH ? flop.logits : 0.0);
}

/* Forward and backward through one layer for one sequence: what the model asks for, and what runs. */
typedef struct counted_flop {
  double model, hardware;
} counted_flop;

/* What the workload of the tower has of the images of a sequence. */
static double share_of_images(const ss_job *job)
{
  const ss_workload *tower = job->layers.tower;
  return (double)tower->model.sequence / ss_tower_patches(job->workload);
}

/* What no gradients of weights are asked for beside adapters. */
static counted_flop frozen_flop(const ss_job *job, layer_flop flop)
{
  const bool adapts = ss_workload_adapts(job->workload);
  return adapts ? (counted_flop){flop.model_products, flop.products} : (counted_flop){0.0, 0.0};
}

static counted_flop count_layer(const ss_job *job, ss_block_kind kind)
{
  const layer_flop flop = forward_flop(job, kind);
  const bool tower = (SS_BLOCK_BIT(kind) & SS_BLOCKS_OF_VISION) != 0;
  const double share = tower ? share_of_images(job) : 1.0;
  const double copies = tower ? ss_tower_copies(job->workload) / share : 1.0, model = flop.model / share;
  if ((job->frozen & SS_BLOCK_BIT(kind)) != 0) return (counted_flop){model, copies * flop.all};
  const double index = flop.index + flop.index_weights;
  const counted_flop frozen = frozen_flop(job, flop);
  const double adapters = 3.0 * flop.adapters.all;
  return (counted_flop){3.0 * model - frozen.model + flop.model_index + ss_useful_share(job->workload) * adapters,
                        copies * (3.0 * flop.all - frozen.hardware + index + recomputed_flop(job, kind, flop)) +
                            adapters};
}

/* Of each kind of layers, counted once. */
typedef struct counts {
  bool known[SS_BLOCK_COUNT];
  counted_flop of[SS_BLOCK_COUNT];
} counts;

static void add_chunk(const ss_job *job, ss_chunk chunk, counts *layers, counted_flop *sum)
{
  const int64_t count = ss_job_block_count(job, chunk);
  for (int64_t i = 0; i < count; ++i) {
    const ss_block_kind kind = ss_job_block_kind(job, chunk, i);
    if (!ss_block_traits_of(kind)->layer && (SS_BLOCK_BIT(kind) & SS_BLOCKS_OF_VISION) == 0) continue;
    if (!layers->known[kind]) layers->of[kind] = count_layer(job, kind);
    layers->known[kind] = true;
    sum->model += layers->of[kind].model;
    sum->hardware += layers->of[kind].hardware;
  }
}

/* Products of the ends of the vision tower; images ask for no gradients. */
static double tower_ends_flop(const ss_job *job)
{
  const ss_workload *w = job->workload;
  if (!job->has_ends || !ss_has_tower(w)) return 0.0;
  const double passes = job->frozen != 0 ? 1.0 : 2.0;
  const double patches = passes * 2.0 * ss_tower_patches(w) * (double)(w->model.vision_patch * w->model.vision_hidden);
  return patches + 3.0 * 2.0 * ss_tower_tokens(w) * ss_projector_parameters(w);
}

/* Of the product that makes embeddings of all layers of that of a token. */
static double embedding_columns(const ss_job *job)
{
  const ss_workload *w = job->workload;
  return job->has_ends ? (double)(w->model.layers * w->model.layer_embedding) : 0.0;
}

/* Of the choices of experts that tokens make, what the capacity of experts leaves out. */
static double dropped_share(const ss_workload *w)
{
  const double capacity = w->training.capacity_factor;
  return capacity > 0.0 ? fmax(1.0 - capacity, 0.0) : 0.0;
}

ss_metrics ss_estimate_metrics(const ss_job *job, double iteration_s)
{
  const ss_workload *w = job->workload;
  const double batch = (double)w->training.global_batch, sequence = (double)w->model.sequence;
  const double predictions = 1.0 + (double)w->model.mtp_modules;
  const double columns = predictions * (double)w->model.vocabulary + embedding_columns(job);
  const double passes = ss_workload_adapts(w) ? 2.0 : 3.0; /* no gradients of the weights beside adapters */
  const double output = passes * 2.0 * sequence * (double)w->model.hidden * columns + tower_ends_flop(job);
  const double useful = ss_useful_share(w);
  counted_flop flop = {useful * output, ss_cost_traits_of(job->options.cost).ends_of_model ? output : 0.0};
  counts layers = {.known = {false}};
  for (int64_t part = 0; part < ss_shape_parts(&job->shape); ++part)
    add_chunk(job, ss_schedule_chunk(&job->shape, (ss_model_part){.index = part}), &layers, &flop);
  const double gpus = (double)ss_workload_gpus(w), tokens = batch * sequence;
  const double peak_flop = gpus * job->machine->matrix_flop_per_s * iteration_s;
  const ss_model_size size = ss_model_size_of_job(job);
  const ss_engine products = ss_format_row_of(ss_recipe_of(w->training.precision)->forward)->engine;
  return (ss_metrics){.parameters = size.parameters,
                      .active_parameters = size.active,
                      .model_flop_per_iteration = batch * flop.model,
                      .mfu = batch * flop.model / peak_flop,
                      .hfu = batch * flop.hardware / peak_flop,
                      .tokens_per_s_per_gpu = tokens / (iteration_s * gpus),
                      .useful = useful,
                      .useful_tokens_per_s_per_gpu = useful * tokens / (iteration_s * gpus),
                      .days = w->training.tokens / (useful * tokens) * iteration_s / 86400.0,
                      .peak_flop_per_s = job->machine->matrix_flop_per_s,
                      .products = products,
                      .products_peak_flop_per_s = ss_engine_peak_flop_per_s(job->machine, products),
                      .dropped = dropped_share(w)};
}
