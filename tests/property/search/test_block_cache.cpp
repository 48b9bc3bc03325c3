/* A search changes one job from candidate to candidate and takes blocks and walks from caches. What it estimates is
 * what a job of its own says: for every row of knobs.def, every size, and every attribute that might become a row. */
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/estimate/pipeline_walk.h"
#include "model/estimate/walk_cache.h"
#include "model/plan/block_cache.h"
#include "model/plan/check/refusals.h"
#include "model/search/space.h"
#include "model/search/varied.h"
}

using namespace stepsim;

namespace
{

/* All words of a choice, some counts and sets, and no texts. */
std::vector<int64_t> values_of(ss_attribute_index attribute)
{
  if (row_of(attribute).type == SS_ATTRIBUTE_TEXT) return {};
  if (!is_choice(attribute)) return {1, 2, 4};
  std::vector<int64_t> values(static_cast<size_t>(words_of(attribute)));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/* Workload and job of a search: the job is estimated only, and updated after the workload has changed. */
class SearchedJob
{
public:
  SearchedJob(const ss_workload &given, const ss_machine &machine, const std::vector<ss_attribute_index> *varied)
      : workload(given), machine_(machine)
  {
    if (varied != nullptr) cache_ = ss_block_cache_create(varied->data(), static_cast<int64_t>(varied->size()));
    ss_job_options options = {};
    options.cost = SS_COST_CALIBRATED;
    options.estimate_only = true;
    options.blocks = cache_;
    if (varied != nullptr) walks_ = ss_walk_cache_create();
    options.walks = walks_;
    ss_error error = {};
    EXPECT_EQ(ss_job_init(&job_, &workload, &machine_, options, &error), SS_OK) << error.message;
  }
  SearchedJob(const SearchedJob &) = delete;
  SearchedJob &operator=(const SearchedJob &) = delete;
  ~SearchedJob()
  {
    ss_job_free(&job_);
    ss_block_cache_destroy(cache_);
    ss_walk_cache_destroy(walks_);
  }
  void update(const ss_coordinates *inside = nullptr)
  {
    ss_error error = {};
    ASSERT_EQ(ss_job_update(&job_, inside, &error), SS_OK) << error.message;
  }
  void move(const ss_coordinates *inside)
  {
    ss_error error = {};
    ASSERT_EQ(ss_job_move(&job_, inside, &error), SS_OK) << error.message;
  }
  const ss_job *get() const
  {
    return &job_;
  }

  ss_workload workload;

private:
  ss_machine machine_;
  ss_block_cache *cache_ = nullptr;
  ss_walk_cache *walks_ = nullptr;
  ss_job job_ = {};
};

void expect_same_job(const ss_job *actual, const ss_job *expected)
{
  const ss_breakdown times = ss_estimate_time(actual), expected_times = ss_estimate_time(expected);
  EXPECT_EQ(std::memcmp(&times, &expected_times, sizeof times), 0)
      << times.iteration_s << " and " << expected_times.iteration_s;
  EXPECT_EQ(ss_estimate_memory(actual).total_bytes, ss_estimate_memory(expected).total_bytes);
}

/* The workload is usable on the machine, and its groups can be placed. */
bool is_possible(const ss_workload &workload, const ss_machine &machine)
{
  const ss_room room = {&machine, nullptr};
  const int64_t segment = workload.placement.segment, used = segment != SS_DERIVED ? segment : machine.domain_size;
  return ss_workload_check(&workload, nullptr) == SS_OK &&
         ss_workload_refused_by(&workload, &machine, nullptr) == SS_REFUSAL_TOTAL &&
         ss_workload_gpus(&workload) <= ss_room_ranks(room, used);
}

/* Goes from every value of an attribute to every other, with the cache that a search would have. */
void expect_same_over_pairs(const ss_workload &base, const ss_machine &machine, ss_attribute_index attribute,
                            const std::vector<ss_attribute_index> &varied)
{
  std::vector<ss_workload> possible;
  for (const int64_t value : values_of(attribute)) {
    possible.push_back(base);
    set_value(possible.back(), attribute, value);
    if (!is_possible(possible.back(), machine)) possible.pop_back();
  }
  for (const ss_workload &from : possible)
    for (const ss_workload &to : possible) {
      SCOPED_TRACE(testing::Message() << row_of(attribute).element << "." << row_of(attribute).name);
      SearchedJob job(from, machine, &varied);
      job.workload = to;
      job.update();
      expect_same_job(job.get(), SearchedJob(to, machine, nullptr).get());
    }
}

/* What the space of a search with these knobs puts into the key. */
std::vector<ss_attribute_index> varied_by(const ss_workload &workload, const ss_machine &machine, ss_knob_set knobs)
{
  ss_space space;
  ss_space_rule rule = {};
  rule.gpus = 1;
  rule.knobs = knobs;
  EXPECT_EQ(ss_space_init(&space, &workload, &machine, &rule), SS_OK);
  std::vector<ss_attribute_index> varied(SS_ATTRIBUTE_TOTAL);
  varied.resize(static_cast<size_t>(ss_space_block_attributes(&space, varied.data())));
  ss_space_free(&space);
  return varied;
}

/* With other values of some of these knobs. */
ss_workload turned(const ss_workload &workload, ss_knob_set knobs, std::mt19937 &random)
{
  ss_workload next = workload;
  for (int knob = 0; knob < SS_KNOB_TOTAL; ++knob)
    if ((knobs & SS_KNOB_BIT(knob)) != 0 && random() % 4 == 0) {
      const std::vector<int64_t> values = values_of(ss_knobs()[knob].attribute);
      if (!values.empty()) set_value(next, ss_knobs()[knob].attribute, values[random() % values.size()]);
    }
  return next;
}

/* The splits of whole domains. */
std::vector<ss_coordinates> splits_of(const ss_workload &w, const ss_machine &machine)
{
  const int64_t domain = machine.domain_size, cp = w.parallelism.cp * w.parallelism.tp2;
  std::vector<ss_coordinates> splits;
  if (ss_workload_gpus(&w) % domain != 0) return splits;
  for (int64_t in_tp = 1; in_tp <= w.parallelism.tp; ++in_tp)
    for (int64_t in_cp = 1; in_cp <= cp; ++in_cp)
      for (int64_t in_dp = 1; in_dp <= w.parallelism.dp; ++in_dp) {
        const int64_t beside = in_tp * in_cp * in_dp, in_pp = domain / beside;
        if (domain % beside != 0 || w.parallelism.tp % in_tp != 0 || cp % in_cp != 0) continue;
        if (w.parallelism.dp % in_dp == 0 && w.parallelism.pp % in_pp == 0)
          splits.push_back({in_tp, in_cp, in_dp, in_pp});
      }
  return splits;
}

/* As the workload says it. */
ss_workload with_split(ss_workload workload, const ss_coordinates &at)
{
  const std::string text = "tp=" + std::to_string(at.tp) + ",cp=" + std::to_string(at.cp) +
                           ",dp=" + std::to_string(at.dp) + ",pp=" + std::to_string(at.pp);
  (void)snprintf(workload.placement.domain, sizeof workload.placement.domain, "%s", text.c_str());
  return workload;
}

/* Sanitizers clear the caches of all these jobs. */
#if defined(__SANITIZE_ADDRESS__)
constexpr int kBases = 1;
#else
constexpr int kBases = 15;
#endif

} // namespace

/* Every row of knobs.def and every size. */
TEST(BlockCache, EveryKnobIsAsWithoutIt)
{
  std::mt19937 random(21 + seed);
  for (int i = 0; i < kBases; ++i) {
    const ss_workload base = random_workload(random);
    const ss_machine machine = random_machine(random);
    SCOPED_TRACE(testing::Message() << "case " << i);
    for (int knob = 0; knob < SS_KNOB_TOTAL; ++knob)
      expect_same_over_pairs(base, machine, ss_knobs()[knob].attribute, varied_by(base, machine, SS_KNOB_BIT(knob)));
    for (const ss_attribute_index attribute : all_attributes())
      if (ss_size_of(attribute) != 0) expect_same_over_pairs(base, machine, attribute, varied_by(base, machine, 0));
  }
}

/* Every choice that is not one of the model: as SS_KNOB it would be right. */
TEST(BlockCache, EveryChoiceMightBecomeAKnob)
{
  std::mt19937 random(22 + seed);
  for (int i = 0; i < kBases; ++i) {
    const ss_workload base = random_workload(random);
    const ss_machine machine = random_machine(random);
    SCOPED_TRACE(testing::Message() << "case " << i);
    for (const ss_attribute_index attribute : all_attributes())
      if (is_choice(attribute) && std::string(row_of(attribute).element) != "model")
        expect_same_over_pairs(base, machine, attribute, {attribute});
  }
}

/* The whole key at once: a job that goes at random through values of all knobs and sizes. */
TEST(BlockCache, AnyPathThroughAllKnobsIsAsWithoutIt)
{
  std::mt19937 random(23 + seed);
  for (int i = 0; i < kBases; ++i) {
    ss_workload base = random_workload(random);
    base.model.layers = 8;
    const ss_machine machine = random_machine(random);
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_knob_set all = ss_knob_unique((SS_KNOB_BIT(SS_KNOB_TOTAL - 1) << 1) - 1);
    const std::vector<ss_attribute_index> varied = varied_by(base, machine, all);
    SearchedJob job(base, machine, &varied);
    for (int step = 0; step < 200; ++step) {
      const ss_workload next = turned(job.workload, all, random);
      if (!is_possible(next, machine)) continue;
      job.workload = next;
      job.update();
      expect_same_job(job.get(), SearchedJob(next, machine, nullptr).get());
    }
  }
}

/* A job that goes through all splits of a domain, and again with other values of knobs. */
TEST(KeptPlaces, MovedJobsAreAsPlacedAnew)
{
  std::mt19937 random(27 + seed);
  int64_t moves = 0;
  for (int i = 0; i < 2 * kBases; ++i) {
    ss_workload base = random_workload(random);
    base.model.layers = 8;
    base.placement.segment = SS_DERIVED;
    base.placement.domain[0] = '\0';
    const ss_machine machine = random_machine(random);
    SCOPED_TRACE(testing::Message() << "case " << i);
    if (!is_possible(base, machine)) continue;
    const ss_knob_set all = ss_knob_unique((SS_KNOB_BIT(SS_KNOB_TOTAL - 1) << 1) - 1) & ~SS_KNOB_BIT(SS_KNOB_segment);
    const std::vector<ss_attribute_index> varied = varied_by(base, machine, all);
    SearchedJob job(base, machine, &varied);
    for (int step = 0; step < 40; ++step) {
      const ss_workload next = step == 0 ? base : turned(job.workload, all, random);
      const std::vector<ss_coordinates> splits = splits_of(next, machine);
      if (!is_possible(next, machine) || splits.empty()) continue;
      job.workload = next;
      for (const ss_coordinates &at : splits) {
        if (&at == splits.data())
          job.update(&at);
        else
          job.move(&at);
        expect_same_job(job.get(), SearchedJob(with_split(next, at), machine, nullptr).get());
        ++moves;
      }
    }
  }
  EXPECT_GT(moves, kBases);
}

namespace
{

/* Every candidate of a walk: all of what differs, one after the other, and all of it again. */
std::vector<ss_workload> walked_workloads(std::mt19937 &random, const ss_machine &machine)
{
  std::vector<ss_workload> found;
  ss_workload base = random_workload(random);
  base.model.layers = 8;
  const int pipelines = words_of(SS_AT_schedule_pipeline), shardings = words_of(SS_AT_parallelism_sharding);
  for (int index = 0; index < 4 * pipelines * shardings; ++index) {
    ss_workload next = base;
    set_value(next, SS_AT_training_offload_optimizer, index % 2);
    set_value(next, SS_AT_schedule_overlap_dp, index / 2 % 2);
    set_value(next, SS_AT_parallelism_sharding, index / 4 % shardings);
    set_value(next, SS_AT_schedule_pipeline, index / 4 / shardings);
    if (is_possible(next, machine)) found.push_back(next);
  }
  return found;
}

} // namespace

/* Candidates that share walks, in an order that comes back to each of them. */
TEST(WalkCache, SharedWalksAreAsWithoutIt)
{
  std::mt19937 random(24 + seed);
  for (int i = 0; i < kBases; ++i) {
    const ss_machine machine = random_machine(random);
    const std::vector<ss_workload> workloads = walked_workloads(random, machine);
    if (workloads.empty()) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    const std::vector<ss_attribute_index> varied = {SS_AT_schedule_pipeline, SS_AT_parallelism_sharding};
    SearchedJob job(workloads[0], machine, &varied);
    for (int round = 0; round < 2; ++round)
      for (const ss_workload &next : workloads) {
        job.workload = next;
        job.update();
        expect_same_job(job.get(), SearchedJob(next, machine, nullptr).get());
      }
  }
}

/* Candidates with another number of flows on a NIC may differ in what the data stream loses, and in nothing else. */
TEST(WalkCache, WhatTheDataStreamLosesIsOfTheKey)
{
  ss_workload base = make_workload();
  base.model.experts = 8;
  base.model.top_k = 2;
  base.parallelism.pp = 2;
  base.parallelism.dp = base.parallelism.ep = 8; /* over two domains */
  base.training.global_batch = 64;
  base.parallelism.sharding = SS_SHARDING_GRADIENTS;
  const std::vector<ss_attribute_index> varied = {SS_AT_schedule_pipeline};
  const SearchedJob job(base, make_machine({}), &varied);
  ss_job later = *job.get();
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (ss_link_time &links : later.links[kind]) links.nic_s *= 1.5;
  ss_job alone = later;
  alone.options.walks = nullptr;
  const double before_s = ss_estimate_time(job.get()).iteration_s;
  EXPECT_NE(ss_estimate_time(&later).iteration_s, before_s);
  EXPECT_EQ(ss_estimate_time(&later).iteration_s, ss_estimate_time(&alone).iteration_s);
}
