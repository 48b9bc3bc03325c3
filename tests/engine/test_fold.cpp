/* What is simulated once stands for all that does the same; and flows that are alone need no simulator. */
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "sim/engine/setup/symmetry.h"
}

using namespace stepsim;

namespace
{

/* Sanitizers have every simulated flow run on threads. */
#if defined(__SANITIZE_ADDRESS__)
constexpr int kFoldedJobs = 20, kFoldedLeast = 8, kCollectiveJobs = 6; /* 0.56 of 360 are folded */
#else
constexpr int kFoldedJobs = 120, kFoldedLeast = 60, kCollectiveJobs = 60;
#endif

ss_replay_result replay(const Job &job, ss_fold fold, ss_flow_mode flows)
{
  ss_replay_options options = {};
  options.fold = fold;
  options.flows = flows;
  return job.replay(options);
}

/* Random jobs on fabrics with and without contention. */
struct Matrix {
  std::mt19937 random;
  ss_machine machine(int index)
  {
    static const char *const fabrics[] = {
        "",
        "topology=\"FAT_TREE\" topo_parameters=\"2;8,%d;1,8;1,1\"",
        "topology=\"FAT_TREE\" topo_parameters=\"2;8,%d;1,2;1,1\"",
        "topology=\"FAT_TREE\" topo_parameters=\"2;16,%d;1,4;1,2\"",
        "topology=\"TORUS\" topo_parameters=\"%d,4,2\"",
    };
    PlatformSpec spec = random_platform(random);
    const int nics = spec.gpus / spec.domain * spec.nics, divisors[] = {1, 8, 8, 16, 8};
    char text[128];
    std::snprintf(text, sizeof text, fabrics[index % 5], nics / divisors[index % 5]);
    spec.topology = text;
    return able_machine(spec);
  }
};

struct Joined {
  int32_t from, to;
  int label;
};

/* The partition by its definition: colours are what a node was and the sorted colours that it sees, until there are no
 * more of them. */
std::vector<int32_t> refined_by_definition(const std::vector<uint64_t> &colour, const std::vector<Joined> &pairs)
{
  const size_t nodes = colour.size();
  std::vector<size_t> now(colour.begin(), colour.end());
  for (size_t before = 0, classes = 1; classes > before;) {
    std::vector<std::pair<size_t, std::multiset<std::pair<int, size_t>>>> seen(nodes);
    for (size_t v = 0; v < nodes; ++v) seen[v].first = now[v];
    for (const Joined &arc : pairs) {
      if (arc.label != SS_GRAPH_BLIND && arc.label != SS_GRAPH_LAST)
        seen[static_cast<size_t>(arc.from)].second.insert({arc.label, now[static_cast<size_t>(arc.to)]});
      seen[static_cast<size_t>(arc.to)].second.insert({arc.label + 1, now[static_cast<size_t>(arc.from)]});
    }
    std::map<decltype(seen)::value_type, size_t> number;
    for (size_t v = 0; v < nodes; ++v) now[v] = number.emplace(seen[v], number.size()).first->second;
    before = classes;
    classes = number.size();
  }
  std::vector<int32_t> twin;
  for (size_t v = 0; v < nodes; ++v)
    twin.push_back(static_cast<int32_t>(std::find(now.begin(), now.end(), now[v]) - now.begin()));
  return twin;
}

/* Paths, rings and what chance joins, one way now and then; and a few nodes behind these that nobody sees. */
std::vector<Joined> random_pairs(std::mt19937 &random, int nodes, int unseen, int shape)
{
  std::vector<Joined> pairs;
  for (int v = 0; shape < 2 && v + (shape == 0) < nodes; ++v) pairs.push_back({v, (v + 1) % nodes, 0});
  for (int k = 0; shape == 2 && k < nodes; ++k)
    pairs.push_back({static_cast<int32_t>(random() % nodes), static_cast<int32_t>(random() % nodes),
                     pick(random, {0, 2, SS_GRAPH_BLIND})});
  for (int k = 0; k < 2 * unseen; ++k)
    pairs.push_back({static_cast<int32_t>(random() % nodes), nodes + k % unseen, SS_GRAPH_LAST});
  return pairs;
}

struct Graph {
  ss_graph graph = {};
  Graph(const std::vector<uint64_t> &colour, const std::vector<Joined> &pairs)
  {
    EXPECT_EQ(ss_graph_init(&graph, static_cast<int64_t>(colour.size())), SS_OK);
    std::copy(colour.begin(), colour.end(), graph.colour);
    for (const Joined &arc : pairs) ss_graph_join(&graph, arc.from, arc.to, arc.label);
    EXPECT_EQ(ss_graph_make_room(&graph), SS_OK);
    for (const Joined &arc : pairs) ss_graph_join(&graph, arc.from, arc.to, arc.label);
  }
  ~Graph()
  {
    ss_graph_free(&graph);
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
};

} // namespace

/* Where it is enough to know that there are more classes than some, that is known of just those partitions that have
 * more; all others are found. */
TEST(Symmetry, IsTheCoarsestEquitablePartition)
{
  std::mt19937 random(1968 + seed);
  int stopped = 0;
  for (int i = 0; i < 200; ++i) {
    const int nodes = 1 + static_cast<int>(random() % 40), unseen = static_cast<int>(random() % 5);
    std::vector<uint64_t> colour(static_cast<size_t>(nodes));
    for (uint64_t &c : colour) c = random() % 20 == 0;
    colour.resize(colour.size() + static_cast<size_t>(unseen), 2);
    const std::vector<Joined> pairs = random_pairs(random, nodes, unseen, i % 3);
    const std::vector<int32_t> expected = refined_by_definition(colour, pairs);
    const int64_t classes = static_cast<int64_t>(std::set<int32_t>(expected.begin(), expected.begin() + nodes).size()),
                  enough = 1 + static_cast<int64_t>(random() % 10);
    const Graph graph(colour, pairs);
    std::vector<int32_t> twin(colour.size() + 1);
    const ss_graph_bounds all = {}, some = {2, {{0, nodes, 1}, {0, nodes, enough}}};
    bool exceeded = true;
    EXPECT_EQ(ss_graph_refine(&graph.graph, &all, twin.data(), &exceeded), SS_OK);
    EXPECT_FALSE(exceeded);
    twin.pop_back();
    EXPECT_EQ(twin, expected) << "graph " << i;
    EXPECT_EQ(ss_graph_refine(&graph.graph, &some, twin.data(), &exceeded), SS_OK);
    EXPECT_EQ(exceeded, classes > enough && classes > 1) << "graph " << i;
    if (!exceeded) {
      EXPECT_EQ(twin, expected) << "graph " << i;
    }
    stopped += exceeded;
  }
  EXPECT_GT(stopped, 20);
}

TEST(Fold, EqualsTheWholeOnRandomJobs)
{
  Matrix matrix = {std::mt19937(20260501 + seed)};
  int folded = 0;
  for (int i = 0; i < kFoldedJobs; ++i) {
    const ss_machine machine = matrix.machine(i);
    const Job job(random_workload(matrix.random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_flow_mode flows = i % 2 == 0 ? SS_FLOWS_SHARED : SS_FLOWS_ALL;
    const ss_replay_result some = replay(job, SS_FOLD_AUTO, flows), all = replay(job, SS_FOLD_NONE, flows);
    expect_close(some.breakdown.iteration_s, all.breakdown.iteration_s, 1e-9);
    EXPECT_EQ(some.flows, all.flows);
    expect_close(some.fabric_bytes + 1, all.fabric_bytes + 1, 1e-9);
    EXPECT_EQ(all.simulated_stage_replicas, all.stage_replicas);
    folded += some.simulated_stage_replicas < some.stage_replicas;
  }
  EXPECT_GT(folded, kFoldedLeast);
}

/* Links are listed under the name of the first of those that are alike, folded or not: a ring of two GPUs goes out of
 * the first one and into the second one first. */
TEST(Fold, NamesTheSameLinks)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.dp = 4;
  workload.training.global_batch = 4;
  const Job job(workload, make_machine({}));
  const ss_replay_result some = replay(job, SS_FOLD_AUTO, SS_FLOWS_ALL), all = replay(job, SS_FOLD_NONE, SS_FLOWS_ALL);
  ASSERT_EQ(some.links.count, all.links.count);
  EXPECT_LT(some.simulated_stage_replicas, some.stage_replicas);
  for (int64_t i = 0; i < all.links.count; ++i) {
    EXPECT_STREQ(some.links.link[i].name, all.links.link[i].name);
    EXPECT_EQ(some.links.link[i].alike, all.links.link[i].alike);
    expect_close(some.links.link[i].bytes, all.links.link[i].bytes, 1e-9);
  }
}

namespace
{

/* By how much the replay of a what-if on private links, put together by itself, is longer than its closed form. */
double gap_s(const Job &of, ss_what_if what_if)
{
  const ss_job *job = of.get();
  ss_job_options options = {};
  options.cost = job->options.cost;
  options.what_if = what_if;
  options.ranks = job->options.ranks;
  ss_replay_options alone = {};
  alone.private_links = alone.only_time = true;
  ss_job changed;
  ss_replay_result result = {};
  ss_error error = {};
  EXPECT_EQ(ss_job_init(&changed, job->workload, job->machine, options, &error), SS_OK) << error.message;
  EXPECT_EQ(ss_replay(&changed, &alone, &result, &error), SS_OK) << error.message;
  const double gap = result.breakdown.iteration_s - ss_estimate_time(&changed).iteration_s;
  ss_job_free(&changed);
  return gap;
}

} // namespace

/* Replays of what-ifs serve one another where they are put together alike, which changes none of them. */
TEST(Explanation, IsThatOfReplaysByThemselves)
{
  Matrix matrix = {std::mt19937(20261127 + seed)};
  for (int i = 0; i < kFoldedJobs; ++i) {
    const ss_machine machine = matrix.machine(i);
    const Job job(random_workload(matrix.random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    ss_explanation why = {};
    ss_error error = {};
    const ss_replay_options options = {};
    ASSERT_EQ(ss_explain(job.get(), &options, 0.0, &why, &error), SS_OK) << error.message;
    ss_what_if what_if = {};
    what_if.own_links = what_if.equal_gpus = true;
    const double equal = gap_s(job, what_if);
    what_if.no_latency = true;
    const double late = gap_s(job, what_if);
    what_if.equal_stages = true;
    const double stages = gap_s(job, what_if);
    what_if.free_messages = true;
    const double messages = gap_s(job, what_if);
    EXPECT_EQ(why.latency_s, equal - late);
    EXPECT_EQ(why.stages_s, late - stages);
    EXPECT_EQ(why.overlap_s, stages - messages);
    EXPECT_EQ(why.schedule_s, messages);
  }
}

TEST(Lone, EqualsTheSimulatorOnRandomJobs)
{
  Matrix matrix = {std::mt19937(7 + seed)};
  for (int i = 0; i < kCollectiveJobs; ++i) {
    const ss_machine machine = matrix.machine(i);
    const Job job(random_workload(matrix.random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_replay_result lone = replay(job, SS_FOLD_NONE, SS_FLOWS_ALL),
                           simulated = replay(job, SS_FOLD_NONE, SS_FLOWS_SIMULATED);
    const double apart = std::abs(lone.breakdown.iteration_s / simulated.breakdown.iteration_s - 1);
    if (apart > 1e-9) {
      EXPECT_LE(apart, rounding_of(job, SS_FLOWS_ALL));
    }
    EXPECT_EQ(lone.flows, simulated.flows);
  }
}
