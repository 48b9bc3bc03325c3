/* Context parallelism in two levels: neighbours exchange heads, groups of them keys and values; bytes, groups and times
 * against numbers worked out by hand. */
#include <vector>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

constexpr double kTokens = 4096, kHeads = 8, kKeyHeads = 4, kHeadSize = 128;

ss_workload hierarchical(int64_t cp, int64_t inner, ss_cp_exchange exchange = SS_CP_RING)
{
  ss_workload w = make_workload();
  w.model.layers = 4;
  w.model.hidden = static_cast<int64_t>(kHeads * kHeadSize);
  w.model.heads = static_cast<int64_t>(kHeads);
  w.model.kv_heads = static_cast<int64_t>(kKeyHeads);
  w.model.head_size = static_cast<int64_t>(kHeadSize);
  w.model.sequence = static_cast<int64_t>(kTokens);
  w.training.attention = SS_ATTENTION_FLASH;
  w.parallelism.cp = cp;
  w.parallelism.cp_inner = inner;
  w.parallelism.cp_exchange = exchange;
  return w;
}

/* The bytes of all calls of a pass of a layer over a group, in their order. */
std::vector<double> bytes_of(const Job &job, ss_pass pass, ss_group group)
{
  std::vector<double> bytes;
  const ss_task_list *list = ss_job_tasks(job.get(), SS_BLOCK_LAYER, pass);
  for (int64_t i = 0; i < list->count; ++i)
    for (int64_t call = 0; call < list->task[i].calls; ++call)
      if (list->task[i].call[call].group == group) bytes.push_back(list->task[i].call[call].volume_bytes);
  return bytes;
}

void expect_span(const ss_span &span, int64_t size, int64_t domains, int64_t per_domain)
{
  EXPECT_EQ(span.size, size);
  EXPECT_EQ(span.domains, domains);
  EXPECT_EQ(span.per_domain, per_domain);
}

} // namespace

/* Eight ranks on two domains of four. Two neighbours are in one domain; ranks 0, 2, 4 and 6 have the same place: two in
 * each domain. Four neighbours fill a domain, two ranks have the same place in both. */
TEST(HierarchicalContext, GroupsAreNeighboursAndThoseApart)
{
  const ss_machine machine = machine_of(8, 4);
  const Job two(hierarchical(8, 2), machine), four(hierarchical(8, 4), machine), none(hierarchical(8, 1), machine);
  expect_span(two->span[SS_GROUP_CONTEXT_INNER], 2, 1, 2);
  expect_span(two->span[SS_GROUP_CONTEXT], 4, 2, 2);
  expect_span(four->span[SS_GROUP_CONTEXT_INNER], 4, 1, 4);
  expect_span(four->span[SS_GROUP_CONTEXT], 2, 2, 1);
  expect_span(none->span[SS_GROUP_CONTEXT_INNER], 1, 1, 1);
  expect_span(none->span[SS_GROUP_CONTEXT], 8, 2, 4);
}

/* Of l tokens, a rank of eight has l / 8 with all heads: 2 (h + 2 k) d l / 8 bytes of queries, keys and values go out
 * to two neighbours, 2 h d l / 8 of output come back. Each has l / 4 tokens of half of the heads then, so that the ring
 * of four passes 2 * 2 (k / 2) d l bytes of keys and values around; backward with gradients, twice as much. */
TEST(HierarchicalContext, MovesHeadsInsideAndKeysAcross)
{
  const Job job(hierarchical(8, 2), machine_of(8, 4), SS_COST_CALIBRATED);
  const double in_bytes = 2 * (kHeads + 2 * kKeyHeads) * kHeadSize * kTokens / 8;
  const double out_bytes = 2 * kHeads * kHeadSize * kTokens / 8;
  const double ring_bytes = 2 * 2 * (kKeyHeads / 2) * kHeadSize * kTokens;
  EXPECT_EQ(bytes_of(job, SS_PASS_FORWARD, SS_GROUP_CONTEXT_INNER), (std::vector<double>{in_bytes, out_bytes}));
  EXPECT_EQ(bytes_of(job, SS_PASS_BACKWARD, SS_GROUP_CONTEXT_INNER), (std::vector<double>{out_bytes, in_bytes}));
  EXPECT_EQ(bytes_of(job, SS_PASS_FORWARD, SS_GROUP_CONTEXT), (std::vector<double>{ring_bytes}));
  EXPECT_EQ(bytes_of(job, SS_PASS_BACKWARD, SS_GROUP_CONTEXT), (std::vector<double>{2 * ring_bytes}));
}

/* Attention itself does as much as without exchange of heads: twice the tokens of half of the heads. */
TEST(HierarchicalContext, ComputesAsMuch)
{
  const ss_machine machine = machine_of(8, 4);
  for (const ss_cp_exchange exchange : {SS_CP_RING, SS_CP_GATHER}) {
    const Job flat(hierarchical(8, 1, exchange), machine), two(hierarchical(8, 2, exchange), machine);
    expect_close(ss_estimate_metrics(two.get(), 1.0).hfu, ss_estimate_metrics(flat.get(), 1.0).hfu, 1e-12);
    EXPECT_DOUBLE_EQ(ss_estimate_memory(two.get()).optimizer_bytes, ss_estimate_memory(flat.get()).optimizer_bytes);
  }
}

/* Closed form and replay are the same where nothing contends, and folding changes nothing. */
TEST(HierarchicalContext, ReplayIsClosedForm)
{
  for (const ss_cp_exchange exchange : {SS_CP_RING, SS_CP_GATHER})
    for (const int64_t inner : {2, 4}) {
      const Job job(hierarchical(8, inner, exchange), machine_of(16, 4), SS_COST_CALIBRATED, own_links());
      ss_replay_options options = {}, unfolded = {};
      options.private_links = true;
      unfolded.fold = SS_FOLD_NONE;
      expect_close(job.replay(options).breakdown.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
      expect_close(job.replay().breakdown.iteration_s, job.replay(unfolded).breakdown.iteration_s, 1e-9);
    }
}

/* Splits of a domain give the same groups as a look at every GPU does. */
TEST(HierarchicalContext, EvenGroupsAreThoseListed)
{
  int evens = 0;
  for (const int64_t inner : {1, 2, 3, 4, 6})
    for (const char *split : {"cp=4", "tp=2,cp=2", "cp=2,dp=2", "tp=2,dp=2", "cp=3"}) {
      ss_workload w = hierarchical(12, inner);
      w.model.sequence = 12288;
      w.model.heads = w.model.kv_heads = 24;
      w.model.hidden = 24 * 128;
      w.parallelism.tp = w.parallelism.dp = w.training.global_batch = 2;
      std::snprintf(w.placement.domain, sizeof w.placement.domain, "%s", split);
      w.placement.segment = std::string(split) == "cp=3" ? 3 : 4;
      const ss_machine machine = machine_of(96, 4);
      const Job placed(w, machine);
      const std::vector<int32_t> gpus(placed->placement.gpu, placed->placement.gpu + 48);
      w.placement.domain[0] = '\0';
      w.placement.segment = SS_DERIVED;
      const Job listed(w, machine, SS_COST_SC24, {}, gpus.data());
      SCOPED_TRACE(testing::Message() << "inner " << inner << " split " << split);
      evens += placed->placement.even;
      for (const ss_group group : {SS_GROUP_CONTEXT, SS_GROUP_CONTEXT_INNER}) {
        const ss_span span = listed->span[group];
        expect_span(placed->span[group], span.size, span.domains, span.per_domain);
      }
    }
  EXPECT_GE(evens, 15);
}
