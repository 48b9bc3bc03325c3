/* Every shipped workload against what is published of its model and against numbers by hand: parameters, flop of a
 * token, and memory of a GPU. */
#include <filesystem>
#include <set>
#include <string>

#include "tests/support/fixtures.hpp"
#include "tests/support/shipped_models.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/estimate/model_size.h"
#include "sim/io/io.h"
}

using namespace stepsim;

namespace
{

/* A shipped workload on GPUs of 80 GB. */
struct Loaded {
  explicit Loaded(const std::string &name)
  {
    ss_error error = {};
    EXPECT_EQ(ss_workload_load(source_path("workloads/" + name + ".xml").c_str(), &w, &error), SS_OK) << error.message;
    EXPECT_EQ(ss_machine_load(source_path("platforms/dgx-h100.xml").c_str(), &machine, &error), SS_OK) << error.message;
    ss_workload_derive(&w);
  }
  ss_workload w;
  ss_machine machine;
};

/* SigLIP of Gemma 3 (arXiv 2503.19786 section 2.1): layers with biases but for those of queries, keys and values;
 * patches of 14 x 14 colours with a bias, and positions. It is frozen. Behind it a norm and a product, which are not.
 */
struct Tower {
  Part layers, ends, projector;
  double patches, tokens; /* of the images of a sequence */
};

Tower tower_of(const Model &model)
{
  const double h = 1152;
  if (model.name != std::string("gemma3-27b")) return {};
  return {27 * gpt(h, 16, 4304, flash(4096), 0),
          {588 * h, 0, (588 + 1 + 4096) * h, 0, 0, 0},
          {h * model.sizes.hidden, 0, h * model.sizes.hidden + 2 * h, 0, 0, 0},
          4 * 4096,
          4 * 256};
}

/* All layers, or those of the first stage. */
Part sum_of(const Model &model, double Layers::*count)
{
  Part sum = {0, 0, 0, 0, 0, 0};
  for (const Layers &kind : model.layers) sum = sum + kind.*count * kind.of;
  return sum;
}

/* Of those layers; where there are any, nothing else is trained. */
Part adapters_of(const Model &model, double Layers::*count)
{
  Part sum = {};
  for (const Layers &kind : model.layers) sum = sum + kind.*count * model.adapters;
  return sum;
}

bool adapts(const Model &model)
{
  return model.adapters.products > 0;
}

bool is_gpt(const Loaded &loaded)
{
  return loaded.w.model.mlp == SS_MLP_GELU;
}

/* The module: a layer like the last, a product of twice the hidden size, three norms (arXiv 2412.19437 section 2.2). */
Part module_of(const Model &model)
{
  const double h = model.sizes.hidden;
  if (!model.has_module) return {0, 0, 0, 0, 0, 0};
  if (model.module.products > 0) return model.module;
  return model.layers.back().of + split(2 * h * h, kUnknown) + 3 * norm(h);
}

Part final_norm(const Model &model, const Loaded &loaded)
{
  const Part streams = model.streams > 1 ? contraction(model.sizes.hidden, model.streams) : Part{0, 0, 0, 0, 0, 0};
  return streams + (is_gpt(loaded) ? 2 : 1) * norm(model.sizes.hidden);
}

double all_parameters(const Part &p)
{
  return p.split + p.copied + p.experts;
}

double table_of(const Model &model)
{
  return model.sizes.vocabulary * model.sizes.hidden;
}

} /* namespace */

/* Each workload has a row, and what its file says has the parameters of the row, to the last one; GPT, Megatron's
 * models and BERT are published with one table for embedding and output layer, which their files have apart. */
TEST(ShippedModels, HaveTheirParameters)
{
  std::set<std::string> left;
  for (const auto &entry : std::filesystem::directory_iterator(source_path("workloads")))
    if (entry.path().extension() == ".xml") left.insert(entry.path().stem().string());
  for (const Model &model : models()) {
    SCOPED_TRACE(model.name);
    EXPECT_EQ(left.erase(model.name), 1u);
    const Loaded loaded(model.name);
    ss_model_size size = {};
    ASSERT_EQ(ss_model_size_of(&loaded.w, &loaded.machine, &size, nullptr), SS_OK);
    const Tower tower = tower_of(model);
    const Part layers = sum_of(model, &Layers::all) + module_of(model) + tower.layers + tower.ends + tower.projector;
    const double tables = model.sizes.tables == kShared ? 1 : 2;
    const double norms = model.sizes.vocabulary > 0 ? all_parameters(final_norm(model, loaded)) : 0;
    const double parameters =
        all_parameters(layers) + all_parameters(adapters_of(model, &Layers::all)) + tables * table_of(model) + norms;
    EXPECT_DOUBLE_EQ(size.parameters, parameters);
    const double published = parameters - (model.sizes.tables == kOnce ? table_of(model) : 0);
    expect_close(published, model.published.parameters, model.published.within);
  }
  EXPECT_TRUE(left.empty()) << *left.begin() << " has no row";
}

/* 6 flop for each parameter of a matrix that a token goes through, 4 where it is frozen, 3 times what attention and
 * scans take forward, and the output layer once for each prediction. Images go forward only, but for the product behind
 * the frozen tower. */
TEST(ShippedModels, HaveTheirFlop)
{
  for (const Model &model : models()) {
    SCOPED_TRACE(model.name);
    const Loaded loaded(model.name);
    const Part layers = sum_of(model, &Layers::all) + module_of(model);
    const double predictions = model.has_module ? 2 : 1;
    const Tower tower = tower_of(model);
    const double images = tower.patches * (2 * (tower.layers.products + tower.ends.products) + tower.layers.core) +
                          tower.tokens * 6 * tower.projector.products;
    const double token = (adapts(model) ? 4 : 6) * (layers.products + predictions * table_of(model)) +
                         6 * adapters_of(model, &Layers::all).products + 3 * layers.core +
                         images / model.sizes.sequence;
    const double tokens = model.sizes.sequence * (double)loaded.w.training.global_batch;
    const Job job(loaded.w, loaded.machine, SS_COST_CALIBRATED);
    expect_close(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration / tokens, token, 1e-12);
  }
}

namespace
{

/* Parameters of a GPU, of which the replicas that hold the same share out the states. */
struct Held {
  double layers, tables, experts; /* tables: the ends of the model */
  double frozen, adapters;
};

double on_rank(const Part &p, double tp)
{
  return p.split / tp + p.copied;
}

/* Whether a stage has both ends of the model. */
bool is_whole(const Loaded &loaded)
{
  return loaded.w.parallelism.pp == 1;
}

Held held_by_first_stage(const Model &model, const Loaded &loaded)
{
  const auto &p = loaded.w.parallelism;
  const double tp = (double)p.tp, expert_ranks = (double)(p.ep * ss_workload_etp(&loaded.w));
  const Part none = {0, 0, 0, 0, 0, 0};
  const Part layers = sum_of(model, &Layers::first) + (is_whole(loaded) ? module_of(model) : none);
  const Tower tower = tower_of(model);
  const double ends = is_whole(loaded) ? (model.sizes.tables == kShared ? 1 : 2) * table_of(model) / tp +
                                             on_rank(final_norm(model, loaded), tp)
                                       : table_of(model) / tp;
  return {on_rank(layers, tp), ends + on_rank(tower.projector, tp), layers.experts / expert_ranks,
          on_rank(tower.layers, tp) + on_rank(tower.ends, tp), on_rank(adapters_of(model, &Layers::first), tp)};
}

/* Replicas that hold the same weights, and the same experts. */
double dense_shards(const Loaded &loaded)
{
  const auto &p = loaded.w.parallelism;
  return p.sharding == SS_SHARDING_NONE ? 1 : (double)(p.dp * p.cp);
}
double expert_shards(const Loaded &loaded)
{
  const auto &p = loaded.w.parallelism;
  return dense_shards(loaded) * (double)p.tp / (double)(p.ep * ss_workload_etp(&loaded.w));
}

} /* namespace */

/* Parameters that get gradients: adapters, or all but what is frozen. */
Held trained(const Model &model, const Held &held)
{
  return adapts(model) ? Held{held.adapters, 0, 0, 0, 0} : held;
}

/* Bytes a parameter: 2, and two copies in fp8 with a scale in fp32 for 128 x 128 of those of layers; beside adapters
 * layers have but one of them. */
double weights_bytes(const Held &held, const ss_workload &w)
{
  const double copies = w.training.precision == SS_PRECISION_FP8_BLOCK ? 2 * (1 + 4 / (128.0 * 128.0)) : 0;
  const double layers = w.training.weights_type == SS_AS_OPERANDS ? 1 : 2 + copies;
  return 2 * (held.tables + held.frozen) + layers * (held.layers + held.experts + held.adapters);
}

/* Bytes a parameter: 4 of gradients, where they are in 16 bits 2; 12 of Adam. ZeRO shares out the last, the second, and
 * the first (arXiv 1910.02054); with ZeRO 3 weights are the 12 bytes. */
TEST(ShippedModels, HaveTheirStates)
{
  for (const Model &model : models()) {
    SCOPED_TRACE(model.name);
    const Loaded loaded(model.name);
    const Held held = held_by_first_stage(model, loaded);
    const ss_sharding sharding = loaded.w.parallelism.sharding;
    const auto &training = loaded.w.training;
    const bool half = training.precision == SS_PRECISION_FP16 || training.gradients == SS_GRADIENTS_16BIT;
    const double gradient = half ? 2 : 4;
    const Held stepped = trained(model, held);
    const double dense = stepped.layers + stepped.tables, experts = stepped.experts;
    const double shared = dense / dense_shards(loaded) + experts / expert_shards(loaded);
    const double weights = weights_bytes(held, loaded.w);
    const Job job(loaded.w, loaded.machine, SS_COST_CALIBRATED);
    const ss_memory memory = ss_estimate_stage_memory(job.get(), 0);
    const double gradients = memory.gradients_bytes - memory.placeholders_bytes - memory.unreduced_bytes;
    expect_close(memory.weights_bytes - memory.gathered_bytes, sharding == SS_SHARDING_PARAMETERS ? 0 : weights, 1e-12);
    expect_close(gradients, gradient * (sharding >= SS_SHARDING_GRADIENTS ? shared : dense + experts), 1e-12);
    const double states = training.moments == SS_MOMENTS_16BIT ? 8 : 12;
    expect_close(memory.optimizer_bytes, states * shared, 1e-12);
  }
}

namespace
{

/* Micro-batches that the first stage holds: in all of its chunks as many as its warm-up and one more (arXiv 2205.05198
 * section 4.2.3), and in the first chunk, once the last one has finished one of them. */
struct InFlight {
  double chunks, firsts;
};

InFlight in_flight(const Loaded &loaded)
{
  const auto &p = loaded.w.parallelism;
  const double stages = (double)p.pp, chunks = (double)p.interleave;
  if (chunks == 1) return {stages, stages};
  return {stages * chunks + stages - 1, 2 * stages};
}

/* Bytes that a token keeps of the embedding: its number, and a mask where the model drops out. Of the output layer:
 * what norm and product read, and logits in 16 bits and in fp32 (arXiv 2205.05198 section 4.3); a cap keeps its input.
 */
double kept_by_entry(const Model &model, const Loaded &loaded)
{
  const double own = model.sizes.hidden / (double)loaded.w.parallelism.tp;
  return model.sizes.vocabulary > 0 ? 8 + (loaded.w.training.dropout == SS_YES ? own : 0) : 0;
}
double kept_by_head(const Model &model, const Loaded &loaded)
{
  const double cap = loaded.w.model.soft_cap == SS_YES ? 2 * model.sizes.vocabulary : 0;
  return model.sizes.vocabulary > 0
             ? (4 * model.sizes.hidden + 4 * model.sizes.vocabulary + cap) / (double)loaded.w.parallelism.tp
             : 0;
}

} /* namespace */

/* Activations of the first stage: s b h L / t (34 + 5 a s / h) and its variants (arXiv 2205.05198 equations 1 to 6; of
 * flash attention 4 a in place of 5 a s), of each micro-batch in flight; 2 s b h with full recomputation, where
 * without sequence parallelism each rank has all of it, and those along the sequence have shares. No closed form is
 * known of experts, scans and adapters. */
TEST(ShippedModels, HaveTheirActivations)
{
  int known = 0;
  for (const Model &model : models()) {
    SCOPED_TRACE(model.name);
    const Loaded loaded(model.name);
    const auto &w = loaded.w;
    const bool full = w.training.recompute == SS_RECOMPUTE_FULL, spread = w.parallelism.sequence_parallel == SS_YES;
    double count = 0;
    for (const Layers &kind : model.layers) count += kind.first;
    const double tp = full && !spread ? 1 : (double)w.parallelism.tp;
    const double layers = full ? 2 * model.sizes.hidden * count
                               : (sum_of(model, &Layers::first) + adapters_of(model, &Layers::first)).kept;
    if (std::isnan(layers) || tower_of(model).tokens > 0) continue;
    ++known;
    const InFlight held = in_flight(loaded);
    const double token = held.chunks / (double)w.parallelism.interleave * layers / tp +
                         held.firsts * kept_by_entry(model, loaded) +
                         (is_whole(loaded) ? kept_by_head(model, loaded) : 0);
    const Job job(w, loaded.machine, SS_COST_CALIBRATED);
    const ss_memory memory = ss_estimate_stage_memory(job.get(), 0);
    const double scores = w.model.index_heads > 0 ? 1073741824 : 0; /* of an indexer, at a time */
    const double kept = memory.activations_bytes - memory.recompute_bytes - memory.messages_bytes - scores;
    const double tokens = model.sizes.sequence * (double)w.training.micro_batch / (double)w.parallelism.cp;
    expect_close(kept / tokens, token, 1e-12);
  }
  EXPECT_EQ(known, 22);
}
