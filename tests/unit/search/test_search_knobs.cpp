/* Knobs of a search: which are varied, and how many candidates that makes. */
#include <algorithm>

#include "tests/support/searches.hpp"

extern "C" {
#include "model/input/stack.h"
}

using namespace stepsim;

/* 14 without knobs, as test_search.cpp counts them: tp 1: 1 + 2 + 3 for pp 1, 2, 4; tp 2: 2 + 3 for pp 1, 2; tp 4: 3
 * for pp 1. Of two words each, overlap-pp does nothing with pp 1, and sequence-parallel nothing with tp 1. */
TEST(Search, CountsKnobs)
{
  ss_search_options options = options_of(4, one_d);
  options.knobs = SS_KNOB_BIT(SS_KNOB_overlap_pp) | SS_KNOB_BIT(SS_KNOB_sequence_parallel);
  const Search search(small_workload(), machine_of(4, 4), options);
  EXPECT_EQ(search->candidates, (1 + 2 * 2 + 2 * 3) + (2 * 2 + 4 * 3) + 2 * 3);
  EXPECT_EQ(search->feasible, search->candidates);
}

/* Experts, an interleaved schedule and layers that 16 stages do not divide call for a knob each, and recompute is
 * always one; whoever sets an attribute keeps it. */
TEST(Search, KnobsThatAModelNeeds)
{
  const auto knob = [](const std::string &name) { return ss_knob_find(name.c_str(), name.size()); };
  const ss_machine machine = machine_of(8, 4), rack = machine_of(12, 6);
  ss_workload w = small_workload();
  w.model.layers = 32;
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8), knob("recompute"));
  const ss_knob_set some = knob("recompute") | knob("offload");
  EXPECT_EQ(ss_knobs_left(some, &w), some);
  w.line[SS_AT_training_offload_optimizer] = SS_LINE_OVERRIDE; /* one of the three that are varied together */
  EXPECT_EQ(ss_knobs_left(some, &w), knob("recompute"));
  for (const int64_t gpus : {16, 24}) /* stages of 32 layers are never a third, but a batch of 6 is */
    for (const int64_t batch : {4, 6}) {
      w.training.global_batch = batch;
      const ss_knob_set uneven = gpus == 24 && batch == 4 ? knob("uneven-stages") : 0;
      EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, gpus), knob("recompute") | uneven);
    }
  w.model.sequence = 16384;
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8), knob("recompute") | knob("cp"));
  w.model.sequence = 8192;
  w.model.experts = 8;
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8), knob("recompute") | knob("ep") | knob("etp"));
  EXPECT_EQ(ss_knobs_by_themselves(&w, &rack, 8), knob("recompute") | knob("ep") | knob("etp") | knob("segment"));
  w.placement.segment = 4;
  EXPECT_EQ(ss_knobs_by_themselves(&w, &rack, 8), knob("recompute") | knob("ep") | knob("etp"));
  w.model.layers = 61;
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8),
            knob("recompute") | knob("ep") | knob("etp") | knob("uneven-stages"));
  w.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8),
            knob("recompute") | knob("ep") | knob("etp") | knob("uneven-stages") | knob("interleave"));
  w.training.framework = SS_RUNNER_MEGATRON; /* which sends beside compute with several chunks only */
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8), knob("recompute") | knob("ep") | knob("etp") |
                                                         knob("uneven-stages") | knob("interleave") |
                                                         knob("overlap-pp"));
  w.training.framework = SS_RUNNER_TORCHTITAN; /* whose users choose degrees of shards */
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8), knob("recompute") | knob("ep") | knob("etp") |
                                                         knob("uneven-stages") | knob("interleave") | knob("sharding") |
                                                         knob("shard-size"));
  w.line[SS_AT_parallelism_sharding] = w.line[SS_AT_parallelism_shard_size] = SS_LINE_OVERRIDE;
  w.line[SS_AT_training_recompute] = w.line[SS_AT_parallelism_interleave] = SS_LINE_OVERRIDE;
  EXPECT_EQ(ss_knobs_by_themselves(&w, &machine, 8), knob("ep") | knob("etp") | knob("uneven-stages"));
}

/* 24 GPUs in domains of 6: whole segments of 6 and 4 make up 24, of 5 do not, and 3 is no more than half. With tp x dp,
 * 6 is filled by 1 x 6 of 1 x 24; 1 x 6 or 2 x 3 of 2 x 12; the same of 4 x 6; 2 x 3 of 8 x 3. 4 is filled by 1 x 4 of
 * 1 x 24; 1 x 4 or 2 x 2 of 2 x 12; 2 x 2 or 4 x 1 of 4 x 6; 4 x 1 of 8 x 3. Segments of 4 need six domains. */
TEST(Search, TriesSegments)
{
  ss_workload w = small_workload();
  w.training.global_batch = 24;
  ss_search_options options = options_of(24, one_d);
  options.pins = SS_SIZE_BIT(SS_SIZE_pp) | SS_SIZE_BIT(SS_SIZE_micro_batch);
  w.parallelism.pp = w.training.micro_batch = 1;
  const Search whole(w, machine_of(24, 6), options);
  options.knobs = ss_knob_find("segment", 7);
  const Search segments(w, machine_of(36, 6), options), full(w, machine_of(24, 6), options);
  EXPECT_EQ(whole->candidates, 6);
  EXPECT_EQ(full->candidates, 6);
  EXPECT_EQ(segments->candidates, 12);
  for (int64_t i = 0; i < segments->count; ++i) {
    const ss_candidate &c = segments->top[i].candidate;
    const int64_t product = c.inside.tp * c.inside.cp * c.inside.dp * c.inside.pp;
    EXPECT_EQ(c.value.of[SS_KNOB_segment], product);
    EXPECT_TRUE(product == 6 || product == 4) << product;
    ss_workload chosen = w;
    ss_candidate_apply(&c, &chosen);
    const Job job(chosen, machine_of(36, 6), options.cost);
    EXPECT_EQ(job->placement.segment, product);
    EXPECT_DOUBLE_EQ(ss_estimate_time(job.get()).iteration_s, segments->top[i].estimate.iteration_s);
  }
}

/* The same 24 GPUs where seven domains of 6 have 6, 4, 3, 6, 5, 6 and 4 free: three have all of them, six have 4. */
TEST(Search, TakesFreeGpus)
{
  const ss_machine machine = machine_of(42, 6);
  const FreeGpus free_gpus(machine, {6, 4, 3, 6, 5, 6, 4});
  ss_workload w = small_workload();
  w.training.global_batch = 24;
  ss_search_options options = options_of(24, one_d);
  options.pins = SS_SIZE_BIT(SS_SIZE_pp) | SS_SIZE_BIT(SS_SIZE_micro_batch);
  options.free_gpus = free_gpus.get();
  w.parallelism.pp = w.training.micro_batch = 1;
  EXPECT_EQ(Search(w, machine, options)->candidates, 6); /* whole domains are too few, so that segments are tried */
  options.knobs = ss_knob_find("segment", 7);
  const Search search(w, machine, options);
  EXPECT_EQ(search->candidates, 6);
  for (int64_t i = 0; i < search->count; ++i) {
    ss_workload chosen = w;
    ss_candidate_apply(&search->top[i].candidate, &chosen);
    const Job job(chosen, machine, options.cost, {}, nullptr, free_gpus.get());
    EXPECT_EQ(job->placement.segment, 4);
    EXPECT_EQ(std::count(job->placement.gpu, job->placement.gpu + 24, 3 * 6), 1);
    EXPECT_EQ(std::count(job->placement.gpu, job->placement.gpu + 24, 2 * 6), 0);
    EXPECT_EQ(ss_estimate_time(job.get()).iteration_s, search->top[i].estimate.iteration_s);
  }
  w.placement.segment = 4;
  options.knobs = 0;
  EXPECT_EQ(Search(w, machine, options)->candidates, 6);
}

/* 12 GPUs are no whole domains of 8, but two segments of 6: the replicas of tp 1 have 6 in each, those of tp 2 three.
 */
TEST(Search, TakesPartsOfDomains)
{
  const ss_machine machine = machine_of(64, 8);
  ss_workload w = small_workload();
  w.training.global_batch = 12;
  ss_search_options options = options_of(12, one_d);
  options.pins = SS_SIZE_BIT(SS_SIZE_pp) | SS_SIZE_BIT(SS_SIZE_micro_batch);
  w.parallelism.pp = w.training.micro_batch = 1;
  const Search search(w, machine, options);
  EXPECT_GT(search->feasible, 0);
  for (int64_t i = 0; i < search->count; ++i) {
    ss_workload chosen = w;
    ss_candidate_apply(&search->top[i].candidate, &chosen);
    EXPECT_EQ(chosen.placement.segment, 6);
  }
  w.placement.segment = 8; /* is said */
  EXPECT_EQ(Search(w, machine, options)->candidates, 0);
}

/* Ranks of TorchTitan are numbered one way: of 16 GPUs in domains of 8, tp 2 has one placement, and it is that of a job
 * without a placement, in whatever order the file has them. */
TEST(Search, PlacesAsLaunchersDo)
{
  const ss_machine machine = machine_of(16, 8);
  ss_workload w = small_workload();
  w.training.global_batch = 16;
  w.training.framework = SS_RUNNER_TORCHTITAN;
  w.parallelism.sharding = SS_SHARDING_PARAMETERS;
  w.parallelism.sequence_parallel = SS_YES;
  std::strcpy(w.placement.order, "tp,cp,pp,dp");
  ss_search_options options = options_of(16, one_d);
  options.cost = SS_COST_CALIBRATED;
  options.top = 1000;
  ss_stack_apply(&w);
  const Search search(w, machine, options);
  EXPECT_GT(search->count, 4);
  for (int64_t i = 0; i < search->count; ++i) {
    ss_workload chosen = w;
    ss_candidate_apply(&search->top[i].candidate, &chosen);
    EXPECT_STREQ(chosen.placement.order, "tp,cp,dp,pp");
    EXPECT_EQ(chosen.parallelism.tp_redo, SS_NO);
    chosen.placement.domain[0] = '\0';
    const Job job(chosen, machine, options.cost);
    EXPECT_DOUBLE_EQ(ss_estimate_time(job.get()).iteration_s, search->top[i].estimate.iteration_s);
  }
}

/* So do those of Megatron-LM, whose file says which of two orders it has. Of 16 GPUs in domains of 8, tp 2 and pp 2
 * leave dp 4: a domain has tp 2 dp 4, or with stages inside tp 2 pp 2 dp 2, and never pp 1 dp 4 there. */
TEST(Search, PlacesAsLaunchersOfMegatronDo)
{
  const ss_machine machine = machine_of(16, 8);
  for (const bool stages_inside : {false, true}) {
    ss_workload w = small_workload();
    w.training.global_batch = 16;
    w.training.framework = SS_RUNNER_MEGATRON;
    std::strcpy(w.placement.order, stages_inside ? "tp,cp,pp,dp" : "tp,cp,dp,pp");
    ss_search_options options = options_of(16, one_d);
    options.cost = SS_COST_CALIBRATED;
    options.top = 1000;
    const Search search(w, machine, options);
    int of_both = 0;
    for (int64_t i = 0; i < search->count; ++i) {
      ss_workload chosen = w;
      ss_candidate_apply(&search->top[i].candidate, &chosen);
      const bool both = chosen.parallelism.tp == 2 && chosen.parallelism.pp == 2;
      const char *inside = stages_inside ? "tp=2,cp=1,dp=2,pp=2" : "tp=2,cp=1,dp=4,pp=1";
      if (both) {
        EXPECT_STREQ(chosen.placement.domain, inside);
      }
      of_both += both;
      chosen.placement.domain[0] = '\0';
      const Job job(chosen, machine, options.cost);
      EXPECT_DOUBLE_EQ(ss_estimate_time(job.get()).iteration_s, search->top[i].estimate.iteration_s);
    }
    EXPECT_GT(of_both, 0);
  }
}

/* Four GPUs are in one domain if one has as many free, else in segments of 2. */
TEST(Search, OneDomainOfFreeGpus)
{
  const ss_machine machine = machine_of(18, 6);
  ss_search_options options = options_of(4, one_d);
  options.knobs = ss_knob_find("segment", 7);
  for (const bool one : {true, false}) {
    const FreeGpus free_gpus(machine, {2, one ? 5 : 3, 2});
    options.free_gpus = free_gpus.get();
    const Search search(small_workload(), machine, options);
    EXPECT_EQ(search->candidates, one ? 6 + 5 + 3 : (1 + 4 + 3) + (4 + 6) + 3); /* as in Counts1d */
    for (int64_t i = 0; i < search->count; ++i)
      EXPECT_EQ(search->top[i].candidate.value.of[SS_KNOB_segment], one ? 4 : 2);
  }
}

/* Each name is listed once, as varied or as not varied. */
TEST(Search, KnobsAreListedOnce)
{
  const ss_knob_set set = ss_knob_find("offload", 7) | ss_knob_find("ep", 2);
  std::vector<std::string> varied, others;
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if (ss_knob_listed(set, i, true) != nullptr) varied.emplace_back(ss_knob_listed(set, i, true));
    if (ss_knob_listed(set, i, false) != nullptr) others.emplace_back(ss_knob_listed(set, i, false));
  }
  EXPECT_EQ(varied, (std::vector<std::string>{"ep", "offload"}));
  EXPECT_EQ(std::count(others.begin(), others.end(), "interleave"), 1);
  EXPECT_EQ(std::count(others.begin(), others.end(), ""), 0);
}

/* Shards of TorchTitan: every sharding with every size of shards, of all sizes and placements, is worked out by itself;
 * those that are allowed and fit have the times that the search lists. Where nobody else has the weights, and where all
 * ranks share a copy, one row says it. */
TEST(Search, ShardsOfTorchTitan)
{
  const ss_machine machine = machine_of(8, 4);
  ss_workload workload = small_workload();
  workload.training.framework = SS_RUNNER_TORCHTITAN;
  workload.training.global_batch = 8;
  std::vector<float> times_s; /* to a search, times that differ by rounding are the same */
  for (const ss_candidate &candidate : candidates_of(workload, machine, 8, one_d)) {
    for (int sharding = SS_SHARDING_NONE; sharding <= SS_SHARDING_PARAMETERS; ++sharding) {
      for (int64_t size = 1; size < 8; ++size) {
        ss_workload own = workload;
        ss_candidate_apply(&candidate, &own);
        own.parallelism.sharding = (ss_sharding)sharding;
        own.parallelism.shard_size = size > 1 ? size : SS_DERIVED;
        const bool is_one = own.parallelism.dp == 1 && sharding != SS_SHARDING_PARAMETERS;
        const bool repeats = is_one || own.parallelism.shard_size == own.parallelism.dp;
        if (repeats || ss_workload_check(&own, nullptr) != SS_OK) continue;
        const Job job(own, machine);
        if (ss_estimate_memory(job.get()).total_bytes > machine.hbm_bytes) continue;
        times_s.push_back((float)ss_estimate_time(job.get()).iteration_s);
      }
    }
  }
  ss_search_options options = options_of(8, one_d);
  options.top = 1000;
  options.knobs = ss_knob_find("sharding", 8) | ss_knob_find("shard-size", 10);
  const Search search(workload, machine, options);
  EXPECT_EQ(search->feasible, (int64_t)times_s.size());
  std::vector<float> listed_s;
  for (int64_t i = 0; i < search->count; ++i) listed_s.push_back((float)search.best(i).estimate.iteration_s);
  std::sort(times_s.begin(), times_s.end());
  times_s.erase(std::unique(times_s.begin(), times_s.end()), times_s.end());
  listed_s.erase(std::unique(listed_s.begin(), listed_s.end()), listed_s.end());
  EXPECT_EQ(listed_s, times_s);
}
