/* Random parts of a model and of what its sequences are, for jobs that combine everything: layers of kinds, windows,
 * state spaces, a vision tower, sizes, documents. What they change may be refused. */
#ifndef STEPSIM_TESTS_SUPPORT_RANDOM_PARTS_HPP
#define STEPSIM_TESTS_SUPPORT_RANDOM_PARTS_HPP

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/input/tower.h"
}

namespace stepsim
{

inline void randomise_sizes(std::mt19937 &random, ss_workload &w)
{
  w.model.hidden = pick(random, {768, 1024, 2048});
  w.model.heads = pick(random, {8, 16});
  w.model.head_size = pick(random, {64, 128});
  w.model.kv_heads = w.model.kv_rank > 0 ? w.model.heads : pick(random, {4, 8});
  w.model.ffn = pick(random, {2048, 4096});
  w.model.sequence = pick(random, {512, 1024});
}

inline void randomise_reach(std::mt19937 &random, ss_workload &w)
{
  w.model.causal = SS_YES;
  w.model.window = pick(random, {0, 64, 200, 5000});
  w.model.chunk = w.model.window == 0 ? pick(random, {64, 200, 5000}) : 0;
}

inline void randomise_states(std::mt19937 &random, ss_workload &w)
{
  w.model.state_heads = pick(random, {8, 16});
  w.model.state_head_size = pick(random, {32, 64});
  w.model.state_size = pick(random, {32, 128});
  w.model.state_groups = pick(random, {4, 8});
  w.model.state_chunk = pick(random, {64, 128, 256});
  w.model.convolution = pick(random, {2, 4});
  std::mt19937 own = random;
  w.model.state_rank = pick(own, {0, 16, 96});
}

inline void randomise_mixer(std::mt19937 &random, ss_workload &w)
{
  randomise_states(random, w);
  w.model.mixer = pick(random, all_of<ss_mixer>);
  w.model.feed_forward = pick(random, all_of<ss_feed_forward>);
}

/* Kinds with attention of their own, state spaces, other feed-forward parts; each layer is of any of them. */
inline void randomise_kinds(std::mt19937 &random, ss_workload &w)
{
  const char *kinds =
      pick(random, {"f; w window=128", "f; c chunk=128", "a kv-heads=8; b kv-heads=4 ffn=2048",
                    "M mixer=mamba feed-forward=none; a; m feed-forward=mlp",
                    "l mixer=linear; a window=200 attention-output-gate=yes", "k mixer=kda; c mixer=convolution; a",
                    "e; d feed-forward=mlp ffn=2048", "a; n mixer=none; M mixer=mamba; f feed-forward=none",
                    "g mlp=gelu post-norms=yes; s mlp=swiglu qk-norm=yes; p feed-forward=mlp parallel=yes"});
  std::mt19937 own = random;
  if (w.model.experts > 0 && coin(own))
    kinds = pick(own, {"a; b experts=16 top-k=3 expert-ffn=2048; d feed-forward=mlp",
                       "a shared-experts=2; b experts=8 top-k=4 expert-ffn=512 shared-experts=0"});
  if (own() % 4 == 0) kinds = "m mixer=mamba-1; h mixer=hybrid; a keys-as-values=yes";
  const bool plain = w.model.kv_rank == 0 && w.model.q_rank == 0 && w.model.keys_as_values == SS_NO;
  const bool shares = plain && w.parallelism.pp == 1 && w.parallelism.tensor == SS_TENSOR_1D &&
                      w.training.attention == SS_ATTENTION_FLASH && w.training.attention_type == SS_AS_16BIT;
  if (shares) kinds = "a; s shared-keys=yes; f ffn=2048";
  if (shares) w.line[SS_AT_model_kinds] = 1; /* layers of one kind are told by it from a model of one */
  if (w.model.index_top_k > 0) kinds = "a; s index-heads=0; f index-heads=0 index-top-k=0";
  randomise_states(random, w);
  w.model.mixer = SS_MIXER_ATTENTION;
  w.model.feed_forward = SS_FEED_FORWARD_AUTO;
  w.model.dense_layers = 0;
  std::string letters = "", pattern;
  const std::string said = kinds;
  for (size_t at = 0; at != std::string::npos; at = said.find("; ", at + 1)) letters += said[at == 0 ? 0 : at + 2];
  for (int64_t layer = 0; layer < w.model.layers; ++layer) pattern += letters[random() % letters.size()];
  if (w.model.index_top_k > 0 || shares) pattern[0] = 'a'; /* others share with one before */
  std::snprintf(w.model.kinds, sizeof w.model.kinds, "%s", kinds);
  std::snprintf(w.model.pattern, sizeof w.model.pattern, "%s", pattern.c_str());
  if (w.model.mtp_modules > 0 && coin(own)) w.model.mtp_kind[0] = letters[own() % letters.size()];
}

inline void randomise_tower(std::mt19937 &random, ss_workload &w)
{
  w.model.vocabulary = 32000;
  w.model.vision_layers = pick(random, {1, 2, 3, 7});
  w.model.vision_hidden = pick(random, {256, 512});
  w.model.vision_ffn = pick(random, {1024, 2048});
  w.model.vision_heads = pick(random, {4, 8});
  w.model.vision_mlp = pick(random, all_of<ss_mlp>);
  w.model.vision_tokens = pick(random, {64, 256});
  w.model.vision_images = pick(random, {1, 2});
  w.model.vision_patch = 588;
  w.model.vision_positions = pick(random, {0, 256});
  w.model.vision_merge = pick(random, {1, 4});
  w.model.vision_join = pick_switch(random);
  w.model.vision_projector = pick(random, {0, 1024});
  w.model.vision_window = pick(random, {0, 16});
  w.model.vision_full_every = w.model.vision_window > 0 ? pick(random, {0, 2, 3}) : 0;
  w.training.freeze_vision = pick_switch(random);
  w.parallelism.vision_tp = pick(random, {SS_DERIVED, 1, 2});
  w.parallelism.vision_stages = pick(random, {0, 0, 1, 2});
  std::mt19937 own = random;
  w.parallelism.vision_share = pick(own, all_of<ss_vision_share>);
  if (ss_tower_shares_over_tensor(&w) && ss_tower_is_spread(&w)) w.parallelism.vision_share = SS_IMAGES_CONTEXT;
}

/* Packed whole, or shared out by context-parallel ranks as their sequences are. */
inline void randomise_packing(std::mt19937 &random, ss_workload &w)
{
  w.training.packing = pick(random, all_of<ss_packing>);
  if (w.training.packing != SS_PACKING_CUT) {
    w.training.document_padding = pick(random, {SS_DERIVED, SS_DERIVED, 16, 24});
    w.training.long_documents = pick(random, all_of<ss_long_documents>);
  }
  w.parallelism.cp_split = pick(random, all_of<ss_cp_split>);
}

/* Documents that are drawn, so that micro-batches differ. */
inline void randomise_documents(std::mt19937 &random, ss_workload &w)
{
  w.training.documents =
      pick(random, {SS_DOCUMENTS_FIXED, SS_DOCUMENTS_UNIFORM, SS_DOCUMENTS_EXPONENTIAL, SS_DOCUMENTS_LOG_NORMAL});
  w.training.document_mean = pick(random, {100.0, 700.0, 3000.0});
  w.training.document_sigma = w.training.documents == SS_DOCUMENTS_LOG_NORMAL ? pick(random, {0.3, 1.2}) : 0.0;
}

/* Attention and the output layer in fewer bits, where there are any. */
inline void randomise_operands(std::mt19937 &random, ss_workload &w)
{
  const bool attends = ss_recipe_attends(w.training.precision) && w.training.attention == SS_ATTENTION_FLASH &&
                       w.training.documents == SS_DOCUMENTS_NONE && w.model.index_top_k == 0;
  w.training.attention_type = attends ? pick(random, all_of<ss_held_as>) : SS_AS_16BIT;
  const bool own_table = w.model.tied_embeddings == SS_NO || w.parallelism.pp > 1;
  const bool quantised = ss_recipe_quantises(w.training.precision);
  w.training.output_type = own_table && quantised ? pick(random, all_of<ss_held_as>) : SS_AS_16BIT;
}

inline void randomise_host(std::mt19937 &random, ss_workload &w)
{
  const auto left_out = w.training.capacity_factor > 0 ? SS_GRAPH_MOE_ROUTER : SS_GRAPH_MOE;
  const ss_word_set modules = pick_words(random, ss_layer_graph_modules(&w));
  w.training.host = pick(random, {SS_HOST_EAGER, SS_HOST_EAGER_TIMED});
  const bool fusible = w.training.precision == SS_PRECISION_MXFP8;
  w.training.cross_entropy = pick(random, {SS_CROSS_ENTROPY_SEPARATE, SS_CROSS_ENTROPY_FUSED, SS_CROSS_ENTROPY_ONLINE});
  w.training.layout_copies = pick(random, {SS_NO, SS_YES});
  const bool pads = w.training.attention == SS_ATTENTION_FLASH && w.model.index_top_k == 0;
  w.training.unpadding = pads ? pick(random, {SS_NO, SS_YES}) : SS_NO;
  if (w.training.recompute_method == SS_RECOMPUTE_BLOCK)
    w.training.recompute_early_stop = pick(random, {SS_NO, SS_YES});
  w.parallelism.fsdp = pick(random, all_of<ss_fsdp>);
  w.training.loss_metrics = pick(random, {0, 2});
  randomise_operands(random, w);
  w.training.norms = SS_NORMS_FRAMEWORK;
  if (w.training.fused == SS_YES) w.training.norms = pick(random, all_of<ss_norms>);
  w.training.projections = SS_PROJECTIONS_FUSED;
  if (w.parallelism.tensor != SS_TENSOR_SUMMA && random() % 3 == 0) w.training.projections = SS_PROJECTIONS_SEPARATE;
  w.training.expert_kernels = SS_EXPERT_KERNELS_EACH;
  if (w.model.experts > 0)
    w.training.expert_kernels = pick(random, {SS_EXPERT_KERNELS_EACH, SS_EXPERT_KERNELS_GROUPED,
                                              fusible ? SS_EXPERT_KERNELS_FUSED : SS_EXPERT_KERNELS_GROUPED});
  w.training.router = SS_ROUTER_FUSED;
  w.training.router_type = SS_ROUTER_16BIT;
  w.training.permutation = SS_PERMUTATION_FUSED;
  std::mt19937 later = random; /* a copy: the jobs that follow are what they are without these words */
  if (w.model.experts > 0) {
    w.training.router = pick(later, all_of<ss_router>);
    w.training.router_type = pick(later, all_of<ss_router_type>);
    w.training.permutation = pick(later, all_of<ss_permutation>);
  }
  w.training.rotary = pick(later, all_of<ss_rotary>);
  w.training.biases = pick(later, all_of<ss_biases>);
  const bool apart = w.model.attention_output_gate == SS_NO && w.model.parallel == SS_NO &&
                     w.model.keys_as_values == SS_NO && w.model.mixer != SS_MIXER_HYBRID;
  if (apart && w.model.kv_rank == 0) w.model.q_rank = w.parallelism.tensor == SS_TENSOR_1D ? pick(later, {0, 256}) : 0;
  if (w.model.q_rank > 0 && w.model.kv_rank == 0) w.model.kv_heads = 1;
  const bool whole = w.parallelism.pp == 1 && w.parallelism.tensor == SS_TENSOR_1D && w.model.mtp_modules == 0;
  w.model.layer_embedding = whole && w.model.vocabulary > 0 && later() % 3 == 0 ? 64 : 0;
  w.training.expert_padding =
      w.model.experts > 0 && ss_recipe_quantises(w.training.precision) ? pick(random, {SS_NO, SS_YES}) : SS_NO;
  std::mt19937 own = later;
  const bool less = w.training.dispatch_type == SS_DISPATCH_FP8 ||
                    w.training.expert_kernels == SS_EXPERT_KERNELS_FUSED || w.training.expert_padding == SS_YES;
  w.training.expert_type = w.model.experts > 0 && !less && own() % 4 == 0 ? SS_AS_16BIT : SS_AS_OPERANDS;
  const bool scaled = ss_recipe_quantises(w.training.precision) && w.training.precision != SS_PRECISION_FP8 &&
                      w.training.precision != SS_PRECISION_FP8_WGRAD16;
  const auto fewer = w.training.precision == SS_PRECISION_NVFP4 ? 0u : SS_WORD_BIT(SS_PRECISE_OUT_PROJ);
  w.training.precise_modules =
      scaled ? static_cast<ss_word_set>(pick_words(own, ss_layer_precise_modules(&w)) & ~fewer) : ss_word_set{0};
  w.model.positions = w.model.vocabulary > 0 && w.model.mtp_modules == 0 && own() % 4 == 0 ? w.model.sequence : 0;
  w.model.embedding_norm = w.model.vocabulary > 0 && own() % 4 == 0 ? SS_YES : SS_NO;
  w.model.rotary = pick(own, all_of<ss_model_rotary>);
  w.model.biases = pick(own, all_of<ss_model_biases>);
  if (!ss_layers_run_again(&w)) w.training.graphs = static_cast<ss_word_set>(modules & ~SS_WORD_BIT(left_out));
}

} /* namespace stepsim */

#endif
