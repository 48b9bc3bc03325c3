/* The graph of an iteration: what runs is what the job has, everything waits for what it needs, messages and groups
 * meet. */
#include <map>
#include <set>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/graph/chakra.h"
#include "model/graph/graph.h"
#include "model/profile/kernel_class.h"
}

using namespace stepsim;

namespace
{

struct Node {
  ss_graph_node of;
  int64_t group; /* its name; 0: none */
};

struct Graph {
  std::vector<Node> node;
  std::map<int64_t, std::vector<int32_t>> group; /* by name */
};

Graph graph_of(const Job &job, int64_t rank)
{
  Graph graph;
  ss_rank_groups groups;
  ss_error error = {};
  EXPECT_EQ(ss_rank_groups_init(&groups, job.get(), rank, &error), SS_OK) << error.message;
  const ss_graph_sink sink = {&graph, [](void *self, const ss_graph_node *node, ss_error *) {
                                Graph *g = static_cast<Graph *>(self);
                                const bool has_group = node->kind == SS_GRAPH_COLLECTIVE;
                                g->node.push_back({*node, has_group ? node->group->name : 0});
                                if (has_group)
                                  g->group[node->group->name].assign(node->group->rank,
                                                                     node->group->rank + node->group->count);
                                return SS_OK;
                              }};
  EXPECT_EQ(ss_graph_walk(job.get(), &groups, &sink, &error), SS_OK) << error.message;
  ss_rank_groups_free(&groups);
  return graph;
}

ss_workload parallel_workload(int tp, int cp, int pp, int dp, int micro_batches)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = tp;
  workload.parallelism.cp = cp;
  workload.parallelism.pp = pp;
  workload.parallelism.dp = dp;
  workload.training.global_batch = micro_batches * dp;
  ss_workload_derive(&workload);
  return workload;
}

/* On one GPU there are kernels only, one behind the other: as long as the closed form says compute and memory take. */
TEST(Graph, OfOneGpuIsAChain)
{
  const Job job(parallel_workload(1, 1, 1, 1, 2), machine_of(1, 1), SS_COST_CALIBRATED);
  const Graph graph = graph_of(job, 0);
  double time_s = 0.0;
  for (size_t i = 0; i < graph.node.size(); ++i) {
    const ss_graph_node &node = graph.node[i].of;
    EXPECT_EQ(node.id, static_cast<int64_t>(i));
    EXPECT_EQ(node.kind, SS_GRAPH_KERNEL);
    ASSERT_EQ(node.data_count, i > 0 ? 1 : 0);
    EXPECT_EQ(i > 0 ? node.data[0] : -1, static_cast<int64_t>(i) - 1);
    time_s += node.duration_s;
  }
  expect_close(time_s, job.replay().breakdown.iteration_s, 1e-9);
}

/* Every message of a rank is one of its peer, of the same size and tag; every rank of a group names it the same, and
 * calls it in the same order; no node waits for a later one. */
void expect_consistent(const ss_workload &workload, const ss_machine &machine)
{
  const Job job(workload, machine, SS_COST_CALIBRATED);
  std::map<std::vector<int64_t>, int> messages;
  std::map<int64_t, std::vector<int32_t>> group;
  std::map<int64_t, std::map<int64_t, std::vector<int>>> calls; /* by group and rank */
  for (int64_t rank = 0; rank < ss_workload_gpus(&workload); ++rank) {
    const Graph graph = graph_of(job, rank);
    EXPECT_FALSE(graph.node.empty());
    for (const auto &[node, name] : graph.node) {
      for (int i = 0; i < node.data_count; ++i) EXPECT_LT(node.data[i], node.id);
      for (int i = 0; i < node.control_count; ++i) EXPECT_LT(node.control[i], node.id);
      EXPECT_GE(node.duration_s, 0.0);
      const auto size = static_cast<int64_t>(node.bytes);
      if (node.kind == SS_GRAPH_SEND) ++messages[{rank, node.peer, node.tag, size}];
      if (node.kind == SS_GRAPH_RECEIVE) --messages[{node.peer, rank, node.tag, size}];
      if (node.kind == SS_GRAPH_COLLECTIVE) calls[name][rank].push_back(static_cast<int>(node.collective));
    }
    for (const auto &[name, members] : graph.group) EXPECT_EQ(group.emplace(name, members).first->second, members);
  }
  for (const auto &message : messages) EXPECT_EQ(message.second, 0);
  for (const auto &[name, of_ranks] : calls) {
    EXPECT_EQ(of_ranks.size(), group[name].size());
    for (const auto &of_rank : of_ranks) EXPECT_EQ(of_rank.second, of_ranks.begin()->second);
  }
}

TEST(Graph, RanksAgree)
{
  const ss_machine machine = machine_of(16, 8);
  expect_consistent(parallel_workload(2, 2, 2, 2, 4), machine);
  expect_consistent(parallel_workload(2, 1, 4, 2, 8), machine);
  ss_workload workload = parallel_workload(1, 1, 1, 8, 2);
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  expect_consistent(workload, machine);
  workload = parallel_workload(2, 1, 4, 2, 8);
  workload.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  workload.parallelism.interleave = 2;
  ss_workload_derive(&workload);
  expect_consistent(workload, machine);
  for (ss_pipeline pipeline : {SS_PIPELINE_ZERO_BUBBLE_1, SS_PIPELINE_V_HALF}) {
    workload = parallel_workload(1, 1, 4, 2, 8);
    workload.schedule.pipeline = pipeline;
    ss_workload_derive(&workload);
    expect_consistent(workload, machine);
  }
}

/* A stage without layers hands on each message that it has received, however many there are. */
TEST(Graph, StagesWithoutLayersHandOn)
{
  ss_workload workload = parallel_workload(1, 1, 4, 1, 32);
  workload.model.layers = 8;
  std::snprintf(workload.parallelism.layout, sizeof workload.parallelism.layout, "Et*4||t*2|t*2L");
  ss_workload_derive(&workload);
  const Job job(workload, machine_of(4, 4), SS_COST_CALIBRATED);
  for (const auto &[node, name] : graph_of(job, 1).node) {
    if (node.kind != SS_GRAPH_SEND) continue;
    const auto *last = node.data + node.data_count;
    EXPECT_NE(std::find(node.data, last, node.id - 1), last) << "message of micro-batch " << node.micro_batch;
  }
}

/* A table on both ends of a pipeline: its gradient is added up by the first and the last stage. */
TEST(Graph, StagesThatShareATable)
{
  ss_workload workload = parallel_workload(1, 1, 4, 2, 8);
  workload.model.vocabulary = 32000;
  workload.model.tied_embeddings = SS_YES;
  ss_workload_derive(&workload);
  expect_consistent(workload, machine_of(8, 8));
  const Job job(workload, machine_of(8, 8), SS_COST_CALIBRATED);
  const auto group = graph_of(job, 1).group;
  EXPECT_TRUE(std::any_of(group.begin(), group.end(), [](const auto &g) {
    return g.second == std::vector<int32_t>{1, 7};
  }));
}

/* tp 2 and dp 2 on a stage: rank 5 is tp 1, dp 0, pp 1. It sends gradients to rank 1, and is in {4, 5} and {5, 7}. */
TEST(Graph, PeersAndGroups)
{
  const Job job(parallel_workload(2, 1, 2, 2, 4), machine_of(8, 8), SS_COST_CALIBRATED);
  const Graph graph = graph_of(job, 5);
  int sends = 0, receives = 0;
  for (const auto &[node, name] : graph.node) {
    const bool is_message = node.kind == SS_GRAPH_SEND || node.kind == SS_GRAPH_RECEIVE;
    EXPECT_EQ(node.peer, is_message ? 1 : SS_NO_INDEX);
    sends += node.kind == SS_GRAPH_SEND;
    receives += node.kind == SS_GRAPH_RECEIVE;
  }
  EXPECT_EQ(sends, 4);
  EXPECT_EQ(receives, 4);
  std::set<std::vector<int32_t>> groups;
  for (const auto &group : graph.group) groups.insert(group.second);
  EXPECT_EQ(groups, (std::set<std::vector<int32_t>>{{4, 5}, {5, 7}}));
}

/* What goes into a gather is a part; durations of kernels add up but for half a microsecond; kernels say their class.
 */
TEST(Graph, AsMessagesOfChakra)
{
  const Job job(parallel_workload(2, 1, 1, 2, 1), machine_of(4, 4), SS_COST_CALIBRATED);
  const Graph graph = graph_of(job, 0);
  double elapsed_s = 0.0, kernels_s = 0.0;
  uint64_t micros = 0;
  for (const auto &[node, name] : graph.node) {
    if (node.kind != SS_GRAPH_KERNEL) continue;
    ss_wire_message message;
    ss_chakra_node(&node, 0, &elapsed_s, &message);
    ss_wire wire = {message.byte, message.byte + message.count, false};
    ss_wire_field field;
    std::string text;
    while (ss_wire_next(&wire, &field)) {
      if (field.number == SS_CHAKRA_DURATION) micros += field.value;
      if (field.number == SS_CHAKRA_ATTRIBUTE) text.append(reinterpret_cast<const char *>(field.bytes), field.length);
    }
    EXPECT_FALSE(wire.failed);
    const ss_kernel_class kind = ss_class_of_activity(node.activity, SS_STREAM_COMPUTE);
    EXPECT_NE(kind, SS_CLASS_COUNT);
    EXPECT_NE(text.find(ss_class_word(kind)), std::string::npos) << "a comparison reads the class";
    kernels_s += node.duration_s;
  }
  EXPECT_NEAR(static_cast<double>(micros), 1e6 * kernels_s, 0.51);
}

} /* namespace */
