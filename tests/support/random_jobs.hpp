/* Random valid workloads over everything a strategy can say, and machines to put them on; from a seed. */
#ifndef STEPSIM_TESTS_SUPPORT_RANDOM_JOBS_HPP
#define STEPSIM_TESTS_SUPPORT_RANDOM_JOBS_HPP

#include <random>
#include <set>
#include <string>

#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/methods.hpp"
#include "tests/support/random_adapters.hpp"
#include "tests/support/random_compressed.hpp"
#include "tests/support/seed.hpp"

extern "C" {
#include "model/block/recipe.h"
#include "model/plan/layers/layer_modules.h"
}

namespace stepsim
{

inline ss_algorithm pick_or_auto(std::mt19937 &random, std::vector<ss_algorithm> choices)
{
  choices.insert(choices.begin(), SS_ALGORITHM_AUTO);
  return pick(random, choices);
}

/* An algorithm that a choice left to the model would not consider. `random` is a copy: what is drawn next does not
 * depend on how many there are. */
inline ss_algorithm pick_unusual(std::mt19937 random, ss_collective kind)
{
  std::vector<ss_algorithm> unusual;
  for (const ss_algorithm algorithm : algorithms_of(SS_KIND_BIT(kind)))
    if ((ss_algorithm_row_of(algorithm)->considered & SS_KIND_BIT(kind)) == 0) unusual.push_back(algorithm);
  return pick(random, unusual);
}

/* 1d tensor parallelism more often than any other: most of the rest depends on it. */
inline ss_tensor pick_tensor(std::mt19937 &random)
{
  std::vector<ss_tensor> tensors(2, SS_TENSOR_1D);
  tensors.insert(tensors.end(), all_of<ss_tensor>.begin(), all_of<ss_tensor>.end());
  return pick(random, tensors);
}

/* The transformer: dense or with experts, GPT or Llama, ordinary or latent attention. */
inline void randomise_model(std::mt19937 &random, ss_workload &w)
{
  w.model.layers = pick(random, {4, 8, 12});
  w.model.vocabulary = pick(random, {0, 32000});
  w.model.mlp = pick(random, all_of<ss_mlp>);
  w.model.kv_heads = pick(random, {8, 4});
  w.model.causal = pick_switch(random);
  if (random() % 3 == 0) {
    w.model.experts = pick(random, {4, 8});
    w.model.top_k = pick(random, {1, 2});
    w.model.expert_ffn = pick(random, {1024, 4096});
    w.model.shared_experts = pick(random, {0, 1});
    if (w.model.shared_experts > 0) w.model.expert_latent = w.model.expert_ffn / 8;
    w.model.dense_layers = pick(random, {0, 1});
    w.model.routed_domains = pick(random, {0, 2});
    w.schedule.dispatch = pick(random, all_of<ss_dispatch>);
    if (coin(random))
      w.training.capacity_factor = pick(random, {0.0, 1.25});
    else
      w.training.imbalance = pick(random, {1.0, 1.5});
  }
  if (random() % 5 == 0) {
    w.model.kv_heads = w.model.heads;
    w.model.q_rank = pick(random, {0, 512});
    w.model.kv_rank = 256;
    w.model.rope_size = 64;
  }
  std::mt19937 own = random;
  if (w.model.kv_rank == 0) w.model.attention_output_gate = pick_switch(own);
  if (own() % 4 == 0) w.model.value_head_size = pick(own, {64, 192});
  if (w.model.experts > 0 && w.model.routed_domains == 0 && coin(own)) {
    w.model.router_groups = pick(own, {2, 4});
    w.model.router_group_top_k = w.model.router_groups / 2;
  }
  if (w.model.experts > 0 && w.model.routed_domains == 0 && w.model.router_groups == 0 && coin(own))
    w.model.zero_experts = pick(own, {2, 8});
}

inline void randomise_training(std::mt19937 &random, ss_workload &w)
{
  w.training.micro_batch = pick(random, {1, 2});
  w.training.attention = pick(random, all_of<ss_attention>);
  w.training.recompute = pick(random, all_of<ss_recompute>);
  const int64_t recomputing = pick(random, {1, 100});
  w.training.recompute_layers = w.training.recompute == SS_RECOMPUTE_NONE ? SS_DERIVED : recomputing;
  w.training.fused = pick_switch(random);
  w.training.dropout = pick_switch(random);
  w.training.precision = pick(random, all_but<ss_precision>(SS_PRECISION_FP8_ROWS));
  std::mt19937 own = random;
  const bool delays = ss_recipe_of(w.training.precision)->scaling == SS_SCALING_DELAYED;
  if (ss_recipe_quantises(w.training.precision) && delays)
    w.training.amax_reduction = pick(own, all_of<ss_amax_reduction>);
  if (ss_recipe_quantises(w.training.precision)) {
    w.training.gather_type = pick(random, all_of<ss_held_as>);
    w.training.weights_type = pick(random, all_of<ss_held_as>);
  }
  w.training.optimizer = pick(random, all_of<ss_optimizer>);
  w.training.master_weights = pick(random, {SS_MASTER_FP32, SS_MASTER_16BIT});
  if (own() % 4 == 0) w.training.master_weights = SS_MASTER_NONE;
  w.training.moments = pick(random, all_of<ss_moment_type>);
  if (w.model.experts > 0 && ss_recipe_takes_bytes(w.training.precision))
    w.training.dispatch_type = pick(random, all_of<ss_dispatch_type>);
  w.training.gradients = pick(random, all_of<ss_gradients>);
  w.training.gradient_accumulation = pick(random, {SS_ACCUMULATION_FUSED, SS_ACCUMULATION_SEPARATE});
  w.training.optimizer_step = pick(random, all_of<ss_optimizer_step>);
  w.training.offload_weights = random() % 6 == 0 ? SS_YES : SS_NO;
  w.training.offload_activations = random() % 6 == 0 ? SS_YES : SS_NO;
  w.training.offload_optimizer = random() % 6 == 0 ? SS_YES : SS_NO;
}

inline void randomise_parallelism(std::mt19937 &random, ss_workload &w)
{
  w.parallelism.tensor = pick_tensor(random);
  w.parallelism.tp = pick(random, {1, 2, 4});
  w.parallelism.pp = pick(random, {1, 2, 4});
  w.parallelism.dp = pick(random, {1, 2, 4});
  if (w.parallelism.tensor != SS_TENSOR_1D)
    w.parallelism.tp2 = pick(random, {1, 2, 4});
  else if (random() % 3 == 0)
    w.parallelism.cp = pick(random, {1, 2, 4});
  w.parallelism.panels = std::max(w.parallelism.tp, w.parallelism.tp2);
  w.parallelism.cp_exchange = pick(random, all_of<ss_cp_exchange>);
  w.parallelism.cp_balance = pick_switch(random);
  w.parallelism.ep = w.model.experts > 0 ? pick(random, {1, 2, 4, 8}) : 1;
  w.parallelism.etp = w.model.experts > 0 ? pick(random, {SS_DERIVED, SS_DERIVED, 1, 2, 4}) : SS_DERIVED;
  w.parallelism.expert_groups = pick(random, all_of<ss_expert_groups>);
  w.parallelism.sequence_parallel = pick_switch(random);
  w.parallelism.tp_redo = pick_switch(random);
  w.parallelism.sharding = pick(random, all_of<ss_sharding>);
}

inline void randomise_schedule(std::mt19937 &random, ss_workload &w)
{
  w.schedule.pipeline = pick(random, all_of<ss_pipeline>);
  if (ss_schedule_of(w.schedule.pipeline)->chunks == SS_CHUNKS_GIVEN) w.parallelism.interleave = pick(random, {1, 2});
  w.schedule.overlap_dp = pick_switch(random);
  w.schedule.overlap_pp = pick_switch(random);
  w.schedule.overlap_tp = pick(random, all_but<ss_tp_overlap>(SS_TP_OVERLAP_SYMMETRIC));
  if (w.parallelism.ep > 1 && coin(random)) w.schedule.overlap_ep = pick(random, all_of<ss_ep_overlap>);
  w.schedule.pipeline_rs_ag = pick_switch(random);
  w.schedule.bucket = pick(random, {0.0, 0.0, 100e6});
  w.schedule.prefetch = pick(random, {0, 1, 3});
  if (random() % 3 == 0)
    for (ss_algorithm *given : {&w.schedule.all_reduce, &w.schedule.all_gather, &w.schedule.reduce_scatter})
      *given = pick_or_auto(random, algorithms_of(SS_SHARDED_KINDS));
  if (random() % 6 == 0)
    w.schedule.all_reduce =
        pick(random, algorithms_of(SS_KIND_BIT(SS_ALL_REDUCE), SS_SHARDED_KINDS & ~SS_KIND_BIT(SS_ALL_REDUCE)));
  if (random() % 3 == 0) w.schedule.all_to_all = pick_unusual(random, SS_ALL_TO_ALL);
  const char *order = pick(random, {"tp,cp,dp,pp", "tp,cp,pp,dp", "dp,tp,cp,pp", "pp,dp,cp,tp"});
  std::snprintf(w.placement.order, sizeof w.placement.order, "%s", order);
}

/* Words that came later, now and then in place of those that are most like them. `random` is a copy: the jobs that
 * follow are what they are without this. */
inline void draw_later_words(std::mt19937 random, ss_workload &w)
{
  const bool in_16bit = w.training.gather_type == SS_AS_16BIT && w.training.weights_type == SS_AS_16BIT;
  if (coin(random) && w.schedule.overlap_tp == SS_TP_OVERLAP_RING) w.schedule.overlap_tp = SS_TP_OVERLAP_SYMMETRIC;
  if (coin(random) && w.training.precision == SS_PRECISION_FP8_CURRENT && in_16bit)
    w.training.precision = SS_PRECISION_FP8_ROWS;
  if (w.schedule.overlap_tp != SS_TP_OVERLAP_USER_BUFFERS) return;
  w.schedule.tp_reduction = pick(random, all_of<ss_tp_reduction>);
  if (ss_recipe_quantises(w.training.precision) && ss_recipe_of(w.training.precision)->scaling == SS_SCALING_DELAYED)
    w.training.reduce_type = pick(random, all_of<ss_held_as>);
}

/* Draws what the tests have words for; refused or not. */
inline ss_workload draw_workload(std::mt19937 &random)
{
  ss_workload w = make_workload();
  randomise_model(random, w);
  randomise_training(random, w);
  randomise_parallelism(random, w);
  randomise_schedule(random, w);
  draw_later_words(random, w);
  w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 2, 4, 5, 8});
  return w;
}

/* The choices that no function above draws: those that never differ from their default. */
inline std::vector<ss_attribute_index> choices_left()
{
  const ss_workload plain = make_workload();
  std::set<ss_attribute_index> drawn;
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const ss_workload w = draw_workload(random);
    for (const ss_attribute_index attribute : all_attributes())
      if (is_choice(attribute) && value_of(w, attribute) != value_of(plain, attribute)) drawn.insert(attribute);
  }
  drawn.insert(SS_AT_training_offload_step); /* with_host_step draws it */
  drawn.insert(SS_AT_training_stack);        /* sets what a job does not say, and these say it all */
  drawn.insert({SS_AT_model_shared_keys, SS_AT_model_rotary, SS_AT_model_biases, SS_AT_model_embedding_norm});
  drawn.insert(SS_AT_training_framework); /* refuses most of them, and changes nothing */
  std::vector<ss_attribute_index> left;
  for (const ss_attribute_index attribute : all_attributes())
    if (is_choice(attribute) && drawn.count(attribute) == 0) left.push_back(attribute);
  return left;
}

/* Draws the other choices, one by one, as far as the workload may have them: a new row of the table is in every test.
 * `random` is a copy: the jobs that follow are what they are without this. */
inline ss_workload with_choices_left(std::mt19937 random, ss_workload w)
{
  static const std::vector<ss_attribute_index> left = choices_left();
  for (const ss_attribute_index attribute : left) {
    const ss_workload before = w;
    const int words = words_of(attribute);
    set_value(w, attribute, words - 1 - static_cast<int>(random() % static_cast<unsigned>(words)));
    if (ss_workload_check(&w, nullptr) != SS_OK) w = before;
  }
  return w;
}

/* Sometimes fewer GPUs of each domain, which leaves room on 64 GPUs in domains of up to 8. `random` is a copy. */
inline ss_workload with_segment(std::mt19937 random, ss_workload w)
{
  const int64_t segment = pick(random, {1, 2, 3, 4});
  if (random() % 3 == 0 && 8 * segment >= ss_workload_gpus(&w)) w.placement.segment = segment;
  return w;
}

/* Sometimes context parallelism in two levels, as far as the workload may have it. `random` is a copy. */
inline ss_workload with_inner(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.parallelism.cp_inner = 2;
  return random() % 2 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* Sometimes copies of what is sharded, as far as the workload may have them. `random` is a copy. */
inline ss_workload with_copies(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.parallelism.shard_size = pick(random, {2, 3, 4, 8});
  return random() % 2 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* A layout of so many parts with up to three layers each, and one more in a part where there are none; modules are in
 * the last part with layers, or in one behind it. */
inline std::string random_layout(std::mt19937 &random, int64_t parts, int64_t modules, int64_t *layers)
{
  const int64_t from = modules > 0 ? static_cast<int64_t>(random() % static_cast<unsigned>(parts)) : parts;
  std::string text = "E";
  *layers = 0;
  for (int64_t i = 0; i < parts; ++i) {
    int64_t count = i <= from ? static_cast<int64_t>(random() % 4) : 0;
    if (i == std::min(from, parts - 1) && *layers + count == 0) count = 1;
    if (i > 0) text += '|';
    text.append(static_cast<size_t>(count), 't');
    if (i == from) text.append(static_cast<size_t>(modules), 'm');
    *layers += count;
  }
  return text + "L";
}

/* Sometimes multi-token-prediction modules, as far as the workload may have them. `random` is a copy. */
inline ss_workload with_modules(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.model.mtp_modules = pick(random, {1, 2});
  return random() % 3 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* Sometimes first and last layers in 16 bits, as far as the workload may have them. `random` is a copy. */
inline ss_workload with_16bit_layers(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.training.bf16_first_layers = pick(random, {0, 1, 2});
  w.training.bf16_last_layers = pick(random, {0, 1, 3});
  return ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* Sometimes documents that fill the sequences, as far as the workload may have them: all micro-batches are alike.
 * `random` is a copy. */
inline ss_workload with_documents_alike(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.training.documents = SS_DOCUMENTS_FIXED;
  w.training.document_mean = (double)w.model.sequence / pick(random, {1, 2, 8});
  return random() % 4 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* Sometimes latent attention whose indexer chooses tokens, as far as the workload may have it. `random` is a copy. */
inline ss_workload with_sparse_attention(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.model.kv_heads = w.model.heads;
  w.model.kv_rank = 256;
  w.model.rope_size = 64;
  w.model.attention_output_gate = w.model.qk_norm = SS_NO;
  w.model.causal = SS_YES;
  w.model.index_heads = pick(random, {2, 64});
  w.model.index_head_size = pick(random, {32, 128});
  w.model.index_top_k = pick(random, {64, 256, 5000});
  w.training.attention = SS_ATTENTION_FLASH;
  w.parallelism.sequence_parallel = SS_YES;
  w.parallelism.cp_exchange = SS_CP_GATHER;
  w.parallelism.cp_inner = 1;
  w.parallelism.cp_sums = SS_CP_SUMS_KERNEL;
  return random() % 4 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* Sometimes recomputation and offloading by module, groups of layers or some layers, as far as the workload may have
 * them. `random` is a copy. */
inline ss_workload with_layer_modules(std::mt19937 random, ss_workload w)
{
  ss_workload tried = w;
  if (random() % 3 == 0) {
    tried.training.recompute = SS_RECOMPUTE_SELECTIVE;
    tried.training.recompute_modules = pick_words(random, ss_layer_recompute_modules(&w));
  } else if (random() % 4 == 0) {
    tried.training.recompute = SS_RECOMPUTE_FULL;
    tried.training.recompute_method = SS_RECOMPUTE_UNIFORM;
    tried.training.recompute_layers = pick(random, {1, 2, 3});
  } else if (random() % 4 == 0) {
    tried.training.recompute = pick(random, {SS_RECOMPUTE_FULL, SS_RECOMPUTE_PER_OP});
    tried.training.recompute_layers = SS_DERIVED;
    std::snprintf(tried.training.recompute_layer_ids, sizeof tried.training.recompute_layer_ids, "%s",
                  pick(random, {"1", "0,2-3", "0-3"}));
  }
  if (ss_workload_check(&tried, nullptr) != SS_OK) tried = w;
  const ss_workload before = tried;
  tried.training.offload_activations = SS_YES;
  if (coin(random))
    tried.training.offload_modules = pick_words(random, ss_layer_offload_modules(&w));
  else
    tried.training.offload_layers = pick(random, {1, 3});
  return random() % 3 == 0 && ss_workload_check(&tried, nullptr) == SS_OK ? tried : before;
}

/* Sometimes a host that steps, or has a share of the states, as far as the workload may. `random` is a copy. */
inline ss_workload with_host_step(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  if (random() % 6 == 0) w.training.offload_optimizer = SS_YES;
  w.training.offload_step = pick(random, all_of<ss_offload_step>);
  w.training.offload_fraction = pick(random, {1.0, 1.0, 0.25, 0.75});
  return ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* A valid workload on at most 64 GPUs: the first draw that is not refused. */
inline ss_workload random_workload(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = draw_workload(random);
    if (ss_workload_gpus(&w) > 64 || ss_workload_check(&w, nullptr) != SS_OK) continue;
    for (auto *more : {with_modules, with_inner, with_copies, with_segment, with_sparse_attention,
                       with_compressed_attention, with_streams, with_layer_modules, with_choices_left,
                       with_documents_alike, with_16bit_layers, with_host_step, with_adapters})
      w = more(random, w);
    return w;
  }
}

inline PlatformSpec random_platform(std::mt19937 &random)
{
  PlatformSpec spec;
  spec.gpus = 64;
  spec.domain = pick(random, {4, 8});
  spec.nics = pick(random, {spec.domain / 2, spec.domain});
  spec.topology =
      pick(random, {std::string(), std::string("topology=\"FAT_TREE\" topo_parameters=\"2;8,%d;1,4;1,1\"")});
  const size_t at = spec.topology.find("%d");
  if (at != std::string::npos) spec.topology.replace(at, 2, std::to_string(spec.gpus / spec.domain * spec.nics / 8));
  return spec;
}

/* A machine that can do everything: 8-bit products, switches that reduce and a second memory tier. */
inline ss_machine able_machine(const PlatformSpec &spec)
{
  ss_machine machine = make_machine(spec);
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = 2 * machine.matrix_flop_per_s;
  machine.nvfp4_flop_per_s = 4 * machine.matrix_flop_per_s;
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 5e9;
  machine.nvlink_reduces = machine.fabric_reduces = 1;
  return machine;
}

/* An able machine, perhaps with protocols of NCCL and pairs of GPUs; `slows`: communication costs compute. */
inline ss_machine random_machine(std::mt19937 &random, bool slows = false)
{
  ss_machine machine = able_machine(random_platform(random));
  machine.offload_bytes_per_s = pick(random, {5e9, 100e9});
  std::mt19937 apart = random; /* the jobs that follow are what they are without this */
  if (apart() % 2 == 0) {
    machine = with_protocols(machine);
    machine.fabric_passing = pick(apart, {0.0, 0.5});
  }
  machine.nvlink_pairs = apart() % 3 == 0;
  machine.nvlink_copying = pick(apart, {0.0, 0.4});
  if (slows) {
    machine.nvlink_compute_cost = pick(random, {0.0, 0.2});
    machine.fabric_compute_cost = pick(random, {0.0, 0.1});
  }
  machine.matrix_sustained = pick(random, {1.0, 0.8});
  machine.vector_hbm_share = pick(random, {1.0, 0.6});
  machine.tile_start_bytes = pick(random, {0.0, 400.0});
  if (pick(random, {false, true})) machine.fp8_efficiency = {2, {1e9, 1e12}, {0.3, 0.7}};
  if (pick(random, {false, true})) machine.attention_forward = {2, {512, 8192}, {0.3, 0.6}};
  if (pick(random, {false, true})) machine.attention_backward = {1, {1}, {0.4}};
  if (pick(apart, {false, true})) machine.latent_forward = {1, {1}, {0.5}};
  if (pick(apart, {false, true})) machine.mxfp8_attention_forward = {1, {1}, {0.45}};
  if (pick(apart, {false, true})) machine.fp8_latent_backward = {1, {1}, {0.35}};
  if (pick(apart, {false, true})) machine.scan_efficiency = {2, {16, 256}, {0.02, 0.1}};
  machine.dispatch_efficiency = pick(apart, {0.0, 0.5 * machine.nvlink_efficiency});
  machine.kernel_speed = pick(apart, {1.0, 0.9});
  return machine;
}

/* The error that rounding may make of a replay: 1e-9, but where two flows that come just after each other share a link
 * or do not, all that follows moves with a rounding error. There, what kernels that differ by 1e-9 change at most in
 * some draws, up to 1 %. */
inline double rounding_of(const Job &job, ss_flow_mode flows)
{
  ss_machine shaken = *job->machine;
  shaken.kernel_noise = SS_SHAKE;
  ss_replay_options options = {};
  options.fold = SS_FOLD_NONE;
  options.flows = flows;
  const Job other(*job->workload, shaken, job->options.cost, {}, nullptr, job->options.free_gpus);
  const double alone_s = job.replay(options).breakdown.iteration_s;
  double most = 1e-9;
  for (options.seed = 0; options.seed < 8; ++options.seed)
    most = std::max(most, std::abs(other.replay(options).breakdown.iteration_s / alone_s - 1));
  return std::min(most, 1e-2);
}

/* No part is negative, and they make up the iteration. */
inline void expect_adds_up(const ss_breakdown &parts)
{
  expect_close(ss_breakdown_sum(&parts), parts.iteration_s, 1e-11);
  EXPECT_GT(parts.iteration_s, 0);
#define EXPECT_PART(field, label, help) EXPECT_GE(parts.field, -1e-12 * parts.iteration_s) << label;
  SS_PART_LIST(EXPECT_PART)
#undef EXPECT_PART
}

/* So does the memory of every stage, none of which has more than the fullest. */
inline void expect_memory_adds_up(const ss_job *job)
{
  const ss_memory fullest = ss_estimate_memory(job);
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    const ss_memory memory = ss_estimate_stage_memory(job, stage);
    double sum_bytes = 0;
#define ADD_MEMORY(field, label)                                                                                       \
  EXPECT_GE(memory.field, 0) << label;                                                                                 \
  sum_bytes += memory.field;
    SS_MEMORY_LIST(ADD_MEMORY)
#undef ADD_MEMORY
    EXPECT_DOUBLE_EQ(sum_bytes, memory.total_bytes);
    EXPECT_LE(memory.total_bytes, fullest.total_bytes);
  }
}

} // namespace stepsim

#endif
