/* Searches over modules and layers that recompute or are offloaded, and over the ranks of a vision tower: against jobs
 * that try every value by themselves. */
#include <algorithm>
#include <limits>

#include "tests/support/searches.hpp"
#include "tests/support/towers.hpp"

extern "C" {
#include "model/plan/layers/layer_modules.h"
#include "model/search/module_sets.h"
}

using namespace stepsim;

namespace
{

/* Every value that an attribute can have here: all words, all sets of modules, or no count and the first `most`. */
std::vector<int64_t> values_of(ss_attribute_index attribute, int64_t most, ss_word_set modules)
{
  std::vector<int64_t> values;
  const int64_t last = row_of(attribute).type == SS_ATTRIBUTE_SET ? modules
                       : is_choice(attribute)                     ? words_of(attribute) - 1
                                                                  : most;
  for (int64_t value = 0; value <= last; ++value)
    if (row_of(attribute).type != SS_ATTRIBUTE_SET || (value & ~modules) == 0) values.push_back(value);
  return values;
}

/* Combinations of values of several attributes. */
std::vector<ss_workload> with_values(const std::vector<ss_workload> &given, ss_attribute_index attribute,
                                     const std::vector<int64_t> &values)
{
  std::vector<ss_workload> all;
  for (const ss_workload &workload : given)
    for (const int64_t value : values) {
      all.push_back(workload);
      set_value(all.back(), attribute, value);
    }
  return all;
}

/* The least time of all sizes and placements of all of these workloads that are allowed and fit. */
double least_s(const std::vector<ss_workload> &tried, const std::vector<ss_candidate> &candidates,
               const ss_machine &machine)
{
  double best_s = std::numeric_limits<double>::infinity();
  for (const ss_workload &workload : tried)
    for (const ss_candidate &candidate : candidates) {
      ss_workload own = workload;
      ss_candidate_apply(&candidate, &own);
      if (ss_workload_check(&own, nullptr) != SS_OK) continue;
      if (ss_workload_refused_by(&own, &machine, nullptr) != SS_REFUSAL_TOTAL) continue;
      const Job job(own, machine, SS_COST_CALIBRATED);
      const double total_s = ss_estimate_time(job.get()).iteration_s;
      if (ss_estimate_memory(job.get()).fits) best_s = std::min(best_s, total_s);
    }
  return best_s;
}

/* A machine of which candidates fill the memory, with a second tier that is no faster than it has to be. */
ss_machine tight_machine(double hbm_bytes)
{
  ss_machine machine = machine_of(8, 4);
  machine.hbm_bytes = hbm_bytes;
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 20e9;
  return machine;
}

ss_search_options options_with(ss_knob_set knobs)
{
  ss_search_options options = options_of(8, one_d);
  options.cost = SS_COST_CALIBRATED;
  options.knobs = knobs | SS_KNOBS_FOLLOWING;
  options.top = 1;
  return options;
}

ss_workload small_model()
{
  ss_workload w = small_workload();
  w.training.global_batch = 8;
  w.model.sequence = 4096; /* activations are most of the memory */
  return w;
}

/* Experts in all layers but the first, with latent attention. */
ss_workload model_with_experts()
{
  ss_workload w = small_model();
  w.model.experts = 4;
  w.model.top_k = 2;
  w.model.expert_ffn = 1024;
  w.model.dense_layers = 1;
  w.model.shared_experts = 1;
  w.model.kv_rank = 256;
  w.model.rope_size = 64;
  ss_workload_derive(&w);
  return w;
}

/* All values of a knob over a whole search, in the order in which the first ones appear. */
std::vector<int64_t> tried_values(const ss_workload &own, ss_knob_set knobs, ss_knob_index knob)
{
  ss_workload scratch = own;
  ss_knob_values values;
  std::vector<int64_t> tried;
  for (bool more = ss_knob_next(knobs, &own, &scratch, &values, true); more;
       more = ss_knob_next(knobs, &own, &scratch, &values, false))
    if (std::count(tried.begin(), tried.end(), values.of[knob]) == 0) tried.push_back(values.of[knob]);
  return tried;
}

/* Sanitizers make all these jobs slow. */
#if defined(__SANITIZE_ADDRESS__)
constexpr double kMemories[] = {0.4e9, 0.8e9};
#else
constexpr double kMemories[] = {0.4e9, 0.5e9, 0.6e9, 0.8e9, 1e9, 2e9};
#endif

} /* namespace */

/* A dense layer has attention, norms and a feed-forward part: none, each of them, and what is usual of them. Of fused
 * attention the empty set is not tried beside recompute none; one that is given comes last. */
TEST(SearchModules, SetsOfADenseModel)
{
  const unsigned core = SS_WORD_BIT(SS_RECOMPUTE_CORE_ATTN), norm = SS_WORD_BIT(SS_RECOMPUTE_LAYERNORM),
                 mlp = SS_WORD_BIT(SS_RECOMPUTE_MLP);
  ss_workload w = small_model();
  const ss_knob_set modules = SS_KNOB_BIT(SS_KNOB_recompute_modules), both = modules | SS_KNOB_BIT(SS_KNOB_recompute);
  w.training.recompute = SS_RECOMPUTE_SELECTIVE;
  const std::vector<int64_t> sets = {0, core, norm, mlp, norm | mlp, norm | core, norm | mlp | core};
  EXPECT_EQ(tried_values(w, modules, SS_KNOB_recompute_modules), sets);
  EXPECT_EQ(tried_values(w, both, SS_KNOB_recompute_modules), sets); /* the empty one with none and full */
  w.training.recompute_modules = core | mlp;
  std::vector<int64_t> given = sets;
  given.push_back(core | mlp);
  EXPECT_EQ(tried_values(w, modules, SS_KNOB_recompute_modules), given);
  w.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_EQ(tried_values(w, modules, SS_KNOB_recompute_modules), std::vector<int64_t>{0});
}

/* Nothing else than modules that layers have, no output of attention without what it takes, and none twice. */
TEST(SearchModules, SetsAreOfTheLayers)
{
  for (const ss_workload &w : {small_model(), model_with_experts()})
    for (const auto next : {ss_recompute_sets_next, ss_offload_sets_next}) {
      const ss_word_set has =
          next == ss_recompute_sets_next ? ss_layer_recompute_modules(&w) : ss_layer_offload_modules(&w);
      std::vector<int64_t> sets;
      for (int64_t set = next(SS_MODULE_SETS_END, &w); set != SS_MODULE_SETS_END; set = next(set, &w)) {
        EXPECT_EQ(set & ~has, 0) << set;
        EXPECT_EQ(std::count(sets.begin(), sets.end(), set), 0) << set;
        sets.push_back(set);
      }
      for (int word = 0; word < 7; ++word) {
        const bool alone = next == ss_recompute_sets_next || word != SS_OFFLOAD_ATTN_PROJ;
        const int64_t set = SS_WORD_BIT(word);
        EXPECT_EQ(std::count(sets.begin(), sets.end(), set), (set & has) != 0 && alone ? 1 : 0) << word;
      }
    }
}

/* Of 8 layers on one stage all, or 1 to 7; of 24 in steps of 3; as many as were given, too. Groups of 8 are 1, 2, 4 or
 * 8 layers. Two chunks of two stages have 2 each. */
TEST(SearchModules, Layers)
{
  const ss_knob_set layers = SS_KNOB_BIT(SS_KNOB_recompute_layers), offload = SS_KNOB_BIT(SS_KNOB_offload_layers);
  ss_workload w = small_model();
  EXPECT_EQ(tried_values(w, layers, SS_KNOB_recompute_layers), std::vector<int64_t>{SS_DERIVED});
  w.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_EQ(tried_values(w, layers, SS_KNOB_recompute_layers), (std::vector<int64_t>{SS_DERIVED, 1, 2, 3, 4, 5, 6, 7}));
  w.training.recompute_method = SS_RECOMPUTE_UNIFORM;
  w.training.recompute_layers = 3;
  EXPECT_EQ(tried_values(w, layers, SS_KNOB_recompute_layers), (std::vector<int64_t>{1, 2, 3, 4, 8}));
  w.training.recompute_method = SS_RECOMPUTE_BLOCK;
  w.model.layers = 24;
  w.training.recompute_layers = 5;
  const std::vector<int64_t> steps = {SS_DERIVED, 3, 5, 6, 9, 12, 15, 18, 21};
  EXPECT_EQ(tried_values(w, layers, SS_KNOB_recompute_layers), steps);
  w.training.offload_activations = SS_YES;
  EXPECT_EQ(tried_values(w, offload, SS_KNOB_offload_layers), std::vector<int64_t>{SS_DERIVED}); /* refused */
  w.training.recompute = SS_RECOMPUTE_NONE;
  w.training.offload_layers = 23;
  EXPECT_EQ(tried_values(w, offload, SS_KNOB_offload_layers),
            (std::vector<int64_t>{SS_DERIVED, 3, 6, 9, 12, 15, 18, 21, 23}));
  w.model.layers = 8;
  w.parallelism.pp = w.parallelism.interleave = 2;
  w.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  EXPECT_EQ(tried_values(w, offload, SS_KNOB_offload_layers), (std::vector<int64_t>{SS_DERIVED, 1}));
}

/* Four heads: divisors of tp that divide them, all but tp itself where ranks share images out. Images are shared over
 * ranks that are there. */
TEST(SearchModules, RanksOfATower)
{
  const ss_knob_set tp = SS_KNOB_BIT(SS_KNOB_vision_tp), share = SS_KNOB_BIT(SS_KNOB_vision_share);
  ss_workload w = small_model();
  w.parallelism.tp = 8;
  EXPECT_EQ(tried_values(w, tp, SS_KNOB_vision_tp), std::vector<int64_t>{SS_DERIVED});
  EXPECT_EQ(tried_values(w, share, SS_KNOB_vision_share), std::vector<int64_t>{SS_IMAGES_WHOLE});
  w = with_tower(w);
  EXPECT_EQ(tried_values(w, tp, SS_KNOB_vision_tp), (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(tried_values(w, share, SS_KNOB_vision_share), (std::vector<int64_t>{SS_IMAGES_WHOLE, SS_IMAGES_TENSOR}));
  w.parallelism.tp = 4;
  w.parallelism.cp = 2;
  EXPECT_EQ(tried_values(w, share, SS_KNOB_vision_share), (std::vector<int64_t>{0, 1, 2, 3}));
  w.parallelism.vision_share = SS_IMAGES_ALL;
  EXPECT_EQ(tried_values(w, tp, SS_KNOB_vision_tp), (std::vector<int64_t>{1, 2}));
  w.parallelism.tp = 1;
  EXPECT_EQ(tried_values(w, tp, SS_KNOB_vision_tp), std::vector<int64_t>{1});
  EXPECT_EQ(tried_values(w, share, SS_KNOB_vision_share), (std::vector<int64_t>{SS_IMAGES_WHOLE, SS_IMAGES_CONTEXT}));
}

/* All sets of a dense model are tried but core_attn with mlp; with every recomputation, and every number of layers. */
TEST(SearchModules, RecomputeAsByBruteForce)
{
  const ss_workload base = small_model();
  const ss_knob_set knobs =
      SS_KNOB_BIT(SS_KNOB_recompute) | SS_KNOB_BIT(SS_KNOB_recompute_modules) | SS_KNOB_BIT(SS_KNOB_recompute_layers);
  const unsigned untried = SS_WORD_BIT(SS_RECOMPUTE_CORE_ATTN) | SS_WORD_BIT(SS_RECOMPUTE_MLP);
  std::vector<int64_t> sets = values_of(SS_AT_training_recompute_modules, 0, ss_layer_recompute_modules(&base));
  sets.erase(std::remove(sets.begin(), sets.end(), (int64_t)untried), sets.end());
  std::vector<ss_workload> tried = with_values({base}, SS_AT_training_recompute, {0, 1, 2});
  tried = with_values(tried, SS_AT_training_recompute_modules, sets);
  tried = with_values(tried, SS_AT_training_recompute_layers, values_of(SS_AT_training_recompute_layers, 8, 0));
  int without = 0;
  for (const double hbm_bytes : kMemories) {
    const ss_machine machine = tight_machine(hbm_bytes);
    const double best_s = least_s(tried, candidates_of(base, machine, 8, one_d), machine);
    const Search search(base, machine, options_with(knobs)), plain(base, machine, options_with(0));
    ASSERT_GT(search->count, 0) << hbm_bytes;
    EXPECT_DOUBLE_EQ(search.best().estimate.iteration_s, best_s) << hbm_bytes;
    without += plain->count == 0 || plain.best().estimate.iteration_s > best_s;
  }
  EXPECT_GT(without, 0); /* memories ask for it */
}

/* Modules with experts: every set that is tried, by itself. */
TEST(SearchModules, ModulesOfExpertsAsByBruteForce)
{
  ss_workload base = model_with_experts();
  base.training.recompute = SS_RECOMPUTE_SELECTIVE;
  const ss_knob_set knobs = SS_KNOB_BIT(SS_KNOB_recompute_modules);
  const std::vector<ss_workload> tried =
      with_values({base}, SS_AT_training_recompute_modules,
                  values_of(SS_AT_training_recompute_modules, 0, ss_layer_recompute_modules(&base)));
  EXPECT_EQ(tried.size(), 128u);
  for (const double hbm_bytes : kMemories) {
    const ss_machine machine = tight_machine(2 * hbm_bytes);
    std::vector<ss_workload> usual;
    for (const ss_workload &workload : tried) {
      const std::vector<int64_t> sets = tried_values(base, knobs, SS_KNOB_recompute_modules);
      if (std::count(sets.begin(), sets.end(), workload.training.recompute_modules) > 0) usual.push_back(workload);
    }
    const double best_s = least_s(usual, candidates_of(base, machine, 8, one_d), machine);
    const Search search(base, machine, options_with(knobs));
    if (search->count > 0) {
      EXPECT_DOUBLE_EQ(search.best().estimate.iteration_s, best_s) << hbm_bytes;
    } else {
      EXPECT_TRUE(std::isinf(best_s)) << hbm_bytes;
    }
  }
}

/* Activations that are kept or offloaded, all of them, of modules, or of layers. */
TEST(SearchModules, OffloadAsByBruteForce)
{
  const ss_workload base = small_model();
  const ss_knob_set knobs =
      ss_knob_find("offload", 7) | SS_KNOB_BIT(SS_KNOB_offload_modules) | SS_KNOB_BIT(SS_KNOB_offload_layers);
  std::vector<ss_workload> tried = {base};
  for (const ss_attribute_index attribute :
       {SS_AT_training_offload_weights, SS_AT_training_offload_activations, SS_AT_training_offload_optimizer})
    tried = with_values(tried, attribute, {SS_NO, SS_YES});
  tried = with_values(tried, SS_AT_training_offload_modules,
                      tried_values(
                          [&] {
                            ss_workload own = base;
                            own.training.offload_activations = SS_YES;
                            return own;
                          }(),
                          SS_KNOB_BIT(SS_KNOB_offload_modules), SS_KNOB_offload_modules));
  tried = with_values(tried, SS_AT_training_offload_layers, values_of(SS_AT_training_offload_layers, 8, 0));
  int asked = 0;
  for (const double hbm_bytes : kMemories) {
    const ss_machine machine = tight_machine(hbm_bytes / 2);
    const double best_s = least_s(tried, candidates_of(base, machine, 8, one_d), machine);
    const Search search(base, machine, options_with(knobs));
    ASSERT_GT(search->count, 0) << hbm_bytes;
    EXPECT_DOUBLE_EQ(search.best().estimate.iteration_s, best_s) << hbm_bytes;
    const ss_knob_values &value = search.best().candidate.value;
    asked += value.of[SS_KNOB_offload_modules] != 0 || value.of[SS_KNOB_offload_layers] != SS_DERIVED;
  }
  EXPECT_GT(asked, 0);
}

/* Every number of ranks that may split a tower, and every way to share its images out, where four tensor-parallel ranks
 * are given, with and without context parallelism. */
TEST(SearchModules, TowerAsByBruteForce)
{
  int shared = 0;
  for (const int64_t cp : {1, 2})
    for (const int64_t images : {1, 16}) {
      ss_workload base = with_tower(small_model());
      base.model.vision_layers = 24;
      base.model.vision_tokens = 256;
      base.model.vision_hidden = 1024;
      base.model.vision_images = images;
      base.parallelism.tp = 4;
      base.parallelism.cp = cp;
      const ss_machine machine = tight_machine(80e9);
      std::vector<ss_candidate> candidates = candidates_of(base, machine, 8, one_d);
      const auto is_other = [](const ss_candidate &c) { return c.tp != 4; };
      candidates.erase(std::remove_if(candidates.begin(), candidates.end(), is_other), candidates.end());
      std::vector<ss_workload> tried =
          with_values({base}, SS_AT_parallelism_vision_share, values_of(SS_AT_parallelism_vision_share, 0, 0));
      tried = with_values(tried, SS_AT_parallelism_vision_tp, values_of(SS_AT_parallelism_vision_tp, 8, 0));
      ss_search_options options = options_with(SS_KNOB_BIT(SS_KNOB_vision_share) | SS_KNOB_BIT(SS_KNOB_vision_tp));
      options.pins = SS_SIZE_BIT(SS_SIZE_tp);
      const Search search(base, machine, options);
      ASSERT_GT(search->count, 0);
      EXPECT_DOUBLE_EQ(search.best().estimate.iteration_s, least_s(tried, candidates, machine)) << cp << ", " << images;
      shared += search.best().candidate.value.of[SS_KNOB_vision_share] != SS_IMAGES_WHOLE;
    }
  EXPECT_GT(shared, 0);
}

/* With all of these knobs, what a bound leaves out changes nothing: neither what is fastest or smallest, nor the front
 * of time and memory. */
TEST(SearchModules, BoundsCutNothing)
{
  const ss_knob_set knobs = SS_KNOBS_BY_NAME | SS_KNOB_BIT(SS_KNOB_recompute) | ss_knob_find("offload", 7) |
                            SS_KNOB_BIT(SS_KNOB_vision_share) | SS_KNOB_BIT(SS_KNOB_vision_tp);
  ss_workload base = with_tower(small_model());
  base.model.layers = 4;
  base.parallelism.tp = 2;
  const ss_machine machine = tight_machine(0.6e9);
  for (const auto objective : {SS_OBJECTIVE_TIME, SS_OBJECTIVE_MEMORY})
    for (const bool pareto : {false, true}) {
      ss_search_options options = options_with(knobs);
      options.top = 20;
      options.pins = SS_SIZE_BIT(SS_SIZE_tp);
      options.objective = objective;
      options.pareto = pareto;
      const Search cut(base, machine, options);
      options.exhaustive = true;
      const Search all(base, machine, options);
      ASSERT_EQ(cut->count, all->count);
      EXPECT_EQ(cut->candidates, all->candidates);
      EXPECT_EQ(cut->feasible, all->feasible);
      for (int64_t i = 0; i < all->count; ++i) {
        EXPECT_EQ(cut.best(i).variant, all.best(i).variant) << i;
        EXPECT_EQ(cut.best(i).estimate.iteration_s, all.best(i).estimate.iteration_s) << i;
        EXPECT_EQ(cut.best(i).memory.total_bytes, all.best(i).memory.total_bytes) << i;
      }
    }
}
