/* What a search leaves out or shares changes nothing: against a search that cuts nothing, and against jobs of their
 * own.
 */
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/random_jobs.hpp"
#include "tests/support/searches.hpp"

using namespace stepsim;

namespace
{

ss_knob_set random_knobs(std::mt19937 &random, int count)
{
  ss_knob_set knobs = 0;
  for (int i = 0; i < count; ++i) {
    const char *name = ss_knobs()[random() % SS_KNOB_TOTAL].name;
    knobs |= ss_knob_find(name, std::strlen(name));
  }
  return knobs;
}

/* A machine whose memory is full for some of the candidates. */
ss_machine tight_machine(std::mt19937 &random)
{
  ss_machine machine = random_machine(random, coin(random));
  machine.hbm_bytes = pick(random, {1e9, 2e9, 4e9, 80e9});
  return machine;
}

ss_search_options random_options(std::mt19937 &random)
{
  ss_search_options options = {};
  options.gpus = pick(random, {8, 16, 32, 64});
  options.tensors = pick(random, {1u, 1u, 3u, 7u});
  options.knobs = random_knobs(random, 2);
  options.cost = pick(random, {SS_COST_CALIBRATED, SS_COST_CALIBRATED, SS_COST_SC24});
  options.objective = pick(random, {SS_OBJECTIVE_TIME, SS_OBJECTIVE_TIME, SS_OBJECTIVE_MEMORY, SS_OBJECTIVE_GPU_HOURS});
  options.top = pick(random, {1, 3, 20});
  options.pareto = random() % 4 == 0;
  return options;
}

/* Of any workload, one that a search can start from. */
ss_workload random_base(std::mt19937 &random)
{
  ss_workload workload = random_workload(random);
  workload.training.global_batch = pick(random, {8, 16, 24});
  workload.parallelism.first_stage_layers = workload.parallelism.last_stage_layers = SS_DERIVED;
  return workload;
}

void expect_same(const ss_search &a, const ss_search &b, const std::string &where)
{
  EXPECT_EQ(a.candidates, b.candidates) << where;
  EXPECT_EQ(a.feasible, b.feasible) << where;
  EXPECT_EQ(a.too_large, b.too_large) << where;
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) EXPECT_EQ(a.refused[i], b.refused[i]) << where;
  ASSERT_EQ(a.count, b.count) << where;
  for (int64_t i = 0; i < a.count; ++i) {
    EXPECT_EQ(a.top[i].sizes, b.top[i].sizes) << where << ", place " << i;
    EXPECT_EQ(a.top[i].variant, b.top[i].variant) << where << ", place " << i;
    EXPECT_EQ(a.top[i].estimate.iteration_s, b.top[i].estimate.iteration_s) << where << ", place " << i;
  }
}

/* Every found strategy, as a job of its own, comes out the same to the last bit. */
void expect_found(const ss_workload &base, const ss_machine &machine, const ss_search_options &options,
                  const ss_search &search, const std::string &where)
{
  for (int64_t i = 0; i < search.count; ++i) {
    const ss_strategy &found = search.top[i];
    ss_workload workload = base;
    ss_candidate_apply(&found.candidate, &workload);
    const Job job(workload, machine, options.cost);
    const ss_breakdown estimate = ss_estimate_time(job.get());
    const ss_memory memory = ss_estimate_memory(job.get());
    for (int part = 0; part < SS_PART_COUNT; ++part)
      EXPECT_EQ(ss_breakdown_part(&estimate, (ss_part)part), ss_breakdown_part(&found.estimate, (ss_part)part))
          << where << ", place " << i << ", " << ss_part_field((ss_part)part);
    EXPECT_EQ(memory.total_bytes, found.memory.total_bytes) << where << ", place " << i;
    EXPECT_EQ(memory.stage, found.memory.stage) << where << ", place " << i;
    for (const bool anywhere : {false, true})
      EXPECT_LE(ss_estimate_least_s(job.get(), anywhere), estimate.iteration_s) << where << ", place " << i;
  }
}

/* A long pipeline of stages that are mostly alike, with messages that are not. */
ss_workload random_pipeline(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.model.layers = 96;
    w.placement.segment = SS_DERIVED; /* of another number of GPUs */
    w.parallelism.pp = pick(random, {8, 16, 32});
    w.parallelism.tp = w.parallelism.tp2 = w.parallelism.cp = w.parallelism.panels = 1;
    w.parallelism.dp = w.parallelism.ep = pick(random, {1, 2});
    w.training.imbalance = 1.0;
    if (coin(random)) w.parallelism.sharding = SS_SHARDING_GRADIENTS;
    if (coin(random)) {
      w.model.vocabulary = 0;
      w.model.tied_embeddings = SS_NO;
    }
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 3, 8, 20, 32, 64});
    const int inside = pick(random, {1, 2, 4});
    std::snprintf(w.placement.domain, sizeof w.placement.domain, "pp=%d,dp=%d", inside,
                  inside == 4 ? 1 : static_cast<int>(w.parallelism.dp));
    if (w.model.experts == 0) w.parallelism.ep = 1;
    if (ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

} /* namespace */

TEST(SearchCut, FiftyRandomSpaces)
{
  std::mt19937 random(1 + seed);
  for (int i = 0; i < 50; ++i) {
    const ss_workload workload = random_base(random);
    const ss_machine machine = tight_machine(random);
    ss_search_options options = random_options(random);
    const char *name = ss_knobs()[i % SS_KNOB_TOTAL].name; /* each of them in turn */
    options.knobs |= ss_knob_find(name, std::strlen(name));
    const Search cut(workload, machine, options);
    options.exhaustive = true;
    const Search all(workload, machine, options);
    const std::string where = "space " + std::to_string(i);
    expect_same(*cut.get(), *all.get(), where);
    expect_found(workload, machine, options, *all.get(), where);
  }
}

/* All candidates of small spaces, whose kernels and collectives have been worked out for others before them: knobs that
 * put collectives beside kernels in pieces, over placements that differ in their links. */
TEST(SearchCut, EveryCandidateOfSmallSpaces)
{
  std::mt19937 random(6 + seed);
  const char *const knobs = "overlap-tp";
  int64_t found = 0;
  for (int i = 0; i < 12; ++i) {
    const ss_workload workload = random_base(random);
    ss_machine machine = random_machine(random, coin(random));
    machine.hbm_bytes = 1e12;
    machine.nvlink_compute_cost = pick(random, {0.0, 0.1, 0.3});
    ss_search_options options = {};
    options.gpus = pick(random, {4, 8});
    options.tensors = pick(random, {1u, 3u, 7u});
    options.knobs = ss_knob_find(knobs, std::strlen(knobs)) | random_knobs(random, 1);
    options.cost = pick(random, {SS_COST_CALIBRATED, SS_COST_SC24});
    options.top = 3000;
    options.exhaustive = true;
    const Search all(workload, machine, options);
    expect_found(workload, machine, options, *all.get(), "space " + std::to_string(i));
    found += all->count;
  }
  EXPECT_GT(found, 800);
}

TEST(SearchCut, SlicesAddUp)
{
  std::mt19937 random(2 + seed);
  for (int i = 0; i < 20; ++i) {
    const ss_workload workload = random_base(random);
    const ss_machine machine = tight_machine(random);
    ss_search_options options = random_options(random);
    const Search whole(workload, machine, options);
    ss_search sum = {};
    options.slices = pick(random, {1, 2, 5});
    for (options.slice = 0; options.slice < options.slices; ++options.slice) {
      const Search slice(workload, machine, options);
      ASSERT_EQ(ss_search_merge(&sum, slice.get(), &options), SS_OK);
    }
    expect_same(sum, *whole.get(), "space " + std::to_string(i));
    ss_search_free(&sum);
  }
}

/* Stages that are alike are looked at once: as if each were looked at by itself. */
TEST(SearchCut, AlikeStages)
{
  std::mt19937 random(4 + seed);
  for (int i = 0; i < 1000; ++i) {
    const ss_workload workload = random_pipeline(random);
    ss_machine machine = random_machine(random, coin(random));
    if (coin(random)) machine.fabric_bytes_per_s = pick(random, {5e7, 3e8, 1e9});
    const Job job(workload, machine, pick(random, {SS_COST_CALIBRATED, SS_COST_CALIBRATED, SS_COST_SC24}));
    ss_memory fullest = ss_estimate_stage_memory(job.get(), 0);
    for (int64_t stage = 1; stage < job->stages; ++stage) {
      const ss_memory memory = ss_estimate_stage_memory(job.get(), stage);
      if (memory.total_bytes > fullest.total_bytes) fullest = memory;
    }
    EXPECT_EQ(ss_estimate_memory(job.get()).total_bytes, fullest.total_bytes) << "pipeline " << i;
    EXPECT_EQ(ss_estimate_memory(job.get()).stage, fullest.stage) << "pipeline " << i;
    ss_job single = *job.get();
    std::vector<char> repeats((size_t)job->stages, 0);
    single.repeats = reinterpret_cast<bool *>(repeats.data());
    const double all_s = ss_estimate_time(job.get()).iteration_s, single_s = ss_estimate_time(&single).iteration_s;
    EXPECT_NEAR(all_s, single_s, 1e-9 * single_s) << "pipeline " << i;
  }
}

/* Every bound of every strategy, not only of those that are found. */
TEST(SearchCut, BoundsHold)
{
  std::mt19937 random(3 + seed);
  for (int i = 0; i < 2000; ++i) {
    const ss_workload workload = random_workload(random);
    const Job job(workload, random_machine(random, coin(random)), pick(random, {SS_COST_CALIBRATED, SS_COST_SC24}));
    const double time_s = ss_estimate_time(job.get()).iteration_s;
    EXPECT_LE(ss_estimate_least_s(job.get(), false), time_s) << "workload " << i;
    EXPECT_LE(ss_estimate_least_s(job.get(), true), time_s) << "workload " << i;
  }
}

/* Interleaved with one chunk is 1f1b. */
TEST(SearchCut, OneChunkIsNotInterleaved)
{
  std::mt19937 random(5 + seed);
  for (int i = 0; i < 300; ++i) {
    ss_workload workload = random_pipeline(random);
    workload.parallelism.interleave = 1;
    workload.schedule.overlap_ep = SS_EP_OVERLAP_NONE;
    workload.training.global_batch =
        workload.parallelism.dp * workload.training.micro_batch * 2 * workload.parallelism.pp;
    const ss_machine machine = random_machine(random, coin(random));
    workload.schedule.pipeline = SS_PIPELINE_1F1B;
    if (ss_workload_check(&workload, nullptr) != SS_OK) continue; /* pairs of passes, shards over copies of the model */
    const Job plain(workload, machine, SS_COST_CALIBRATED);
    workload.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
    const Job chunks(workload, machine, SS_COST_CALIBRATED);
    EXPECT_EQ(ss_estimate_time(plain.get()).iteration_s, ss_estimate_time(chunks.get()).iteration_s) << "job " << i;
    EXPECT_EQ(ss_estimate_memory(plain.get()).total_bytes, ss_estimate_memory(chunks.get()).total_bytes) << "job " << i;
  }
}
