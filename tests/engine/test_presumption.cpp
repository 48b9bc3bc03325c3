/* Flows that are presumed to be alike, and found out where they are not. */
#include <cstdlib>
#include <set>
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "sim/engine/headroom/presumption_watch.h"
}

using namespace stepsim;

namespace
{

enum { kOut, kIn, kLateOut, kLateIn, kLinks };

/* Flows of the ring: six between ordinary ports come first. */
enum { kOutOfLate = 6, kIntoLate, kFlows };

/* A ring of eight flows over ports that carry 10 bytes/s, or late ones that carry less: six between ordinary ports, one
 * out of a late one, one into it. A message of kind 1 crosses every ordinary port out, the late one of kind 2 its own.
 * One flow stands for each kind. */
class Ring
{
public:
  explicit Ring(double late_bytes_per_s = 10, double tolerance_s = 0)
  {
    links_.links = kLinks;
    links_.bytes_per_s = static_cast<double *>(std::calloc(kLinks, sizeof(double)));
    links_.hops.item_bytes = sizeof(ss_hop);
    for (int link = 0; link < kLinks; ++link) links_.bytes_per_s[link] = link < kLateOut ? 10 : late_bytes_per_s;
    add_flow({kOut, kIn, kLateOut, kLateIn});
    add_flow({kOut});
    add_flow({kLateOut});
    EXPECT_EQ(ss_presumption_init(&presumption_, 3, kFlows), SS_OK);
    for (int flow = 0; flow < kOutOfLate; ++flow) add_type(flow, {0, kOut, kIn});
    add_type(kOutOfLate, {0, kIn, kLateOut});
    add_type(kIntoLate, {0, kOut, kLateIn});
    EXPECT_EQ(ss_presumption_sort(&presumption_), SS_OK);
    presumption_.tolerance_s = tolerance_s;
    common_.tie_s = 1e-9;
    world_.common = &common_;
    world_.job = &job_;
    EXPECT_EQ(ss_presumption_watch_open(&watch_, &presumption_, &links_, &world_), SS_OK);
  }
  ~Ring()
  {
    ss_presumption_watch_free(&watch_);
    ss_presumption_free(&presumption_);
    ss_link_paths_free(&links_);
  }
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;
  void begin(int kind, double at_s)
  {
    watch_.observer.flow_begin(watch_.observer.self, &flow_[static_cast<size_t>(kind)], at_s);
  }
  void end(int kind, double at_s)
  {
    const ss_flow *flow = &flow_[static_cast<size_t>(kind)];
    ss_carried carried = {};
    carried.flow = flow;
    carried.hop = ss_link_paths_hops(&links_, flow->path, &carried.hops);
    carried.end_s = at_s;
    carried.is_over = true;
    watch_.observer.flow(watch_.observer.self, &carried);
  }
  /* The flows that got marks, and how many different ones. */
  std::vector<int> marked(size_t *different = nullptr)
  {
    ss_flow_marks marks = {};
    ss_presumed presumed = {};
    EXPECT_EQ(ss_presumption_watch_conclude(&watch_, &marks, &presumed), SS_OK);
    EXPECT_EQ(presumed.flows, 0);
    std::vector<int> flows;
    std::set<uint64_t> all;
    for (int64_t i = 0; i < marks.count; ++i) flows.push_back(marks.mark[i].flow);
    for (int64_t i = 0; i < marks.count; ++i) all.insert(marks.mark[i].mark);
    if (different != nullptr) *different = all.size();
    std::free(marks.mark);
    return flows;
  }
  /* The flows that are taken for others. */
  ss_presumed presumed()
  {
    ss_flow_marks marks = {};
    ss_presumed presumed = {};
    EXPECT_EQ(ss_presumption_watch_conclude(&watch_, &marks, &presumed), SS_OK);
    EXPECT_EQ(marks.given, 0);
    EXPECT_FALSE(world_.in_vain);
    return presumed;
  }
  /* Somebody who waits for flows would be so much earlier. */
  void goes_on_with(double early_s)
  {
    watch_.drifts.most.early_s = early_s;
  }
  const ss_presumption &presumption() const
  {
    return presumption_;
  }

private:
  void add_flow(const std::vector<int> &links)
  {
    std::vector<ss_hop> hops;
    for (int link : links) hops.push_back({link, 1});
    ss_flow flow = {};
    flow.kind = static_cast<int32_t>(flow_.size());
    flow.path = ss_link_paths_find(&links_, hops.data(), static_cast<int64_t>(hops.size()));
    flow_.push_back(flow);
  }
  void add_type(int flow, const std::vector<int32_t> &item)
  {
    EXPECT_EQ(ss_presumption_add(&presumption_, flow, item.data(), static_cast<int64_t>(item.size())), SS_OK);
  }
  ss_link_paths links_ = {};
  std::vector<ss_flow> flow_;
  ss_presumption presumption_ = {};
  ss_common common_ = {};
  ss_job job_ = {};
  ss_world world_ = {};
  ss_presumption_watch watch_ = {};
};

/* A job of FSDP on as many replicas as asked for, of four stages of two ranks each. */
ss_workload sharded(int replicas)
{
  ss_workload w = make_workload();
  w.parallelism.tp = 2;
  w.parallelism.pp = 4;
  w.parallelism.dp = replicas;
  w.parallelism.sharding = SS_SHARDING_PARAMETERS;
  w.training.global_batch = 6 * replicas;
  w.schedule.pipeline = SS_PIPELINE_1F1B;
  return w;
}

/* Stage replicas that are simulated of a job with a GPU at half its speed, which is what it is unfolded. */
int64_t simulated_beside_slow_gpu(const ss_workload &workload)
{
  PlatformSpec spec;
  spec.gpus = static_cast<int>(ss_workload_gpus(&workload));
  ss_machine machine = make_machine(spec);
  std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "5:0.5");
  const Job job(workload, machine);
  ss_replay_options options = {};
  const ss_replay_result some = job.replay(options);
  options.fold = SS_FOLD_NONE;
  const ss_replay_result all = job.replay(options);
  expect_close(some.breakdown.iteration_s, all.breakdown.iteration_s, 1e-9);
  EXPECT_EQ(some.flows, all.flows);
  EXPECT_EQ(some.links.used, all.links.used);
  return some.simulated_stage_replicas;
}

} // namespace

/* The most flows are of the type between ordinary ports, of which there are six. */
TEST(Presumption, CountsTypes)
{
  const Ring ring;
  const int64_t *first = ring.presumption().first_type;
  EXPECT_EQ(first[1] - first[0], 3);
  EXPECT_EQ(first[2] - first[1], 0);
}

/* Alone, all have 10 bytes/s. With messages on all ports out, each has 5: the flow into the late port shares its
 * ordinary port out, too. */
TEST(Presumption, HoldsWhereAllHaveTheSame)
{
  Ring ring;
  ring.begin(0, 0);
  ring.begin(1, 1);
  ring.begin(2, 1);
  ring.end(1, 2);
  ring.end(2, 2);
  ring.end(0, 3);
  EXPECT_EQ(ring.marked(), std::vector<int>());
}

/* Alone, all have the 5 bytes/s of late ports, which those between ordinary ports do not cross: they would have 10. */
TEST(Presumption, LooksAtFlowsThatAreAlone)
{
  Ring ring(5);
  ring.begin(0, 0);
  EXPECT_EQ(ring.marked(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

/* Links are numbered in the order in which paths cross them: that into the late port is the first, of no path the last.
 */
TEST(Presumption, IsNarrowed)
{
  ss_link_paths paths = {}, narrow = {};
  paths.links = kLinks;
  paths.bytes_per_s = static_cast<double *>(std::calloc(kLinks, sizeof(double)));
  paths.hops.item_bytes = sizeof(ss_hop);
  const ss_hop hop[] = {{kLateIn, 1}, {kOut, 1}};
  const int32_t item[] = {0, kOut, kLateIn};
  ASSERT_GE(ss_link_paths_find(&paths, hop, 2), 0);
  ASSERT_EQ(ss_link_paths_narrow(&paths, nullptr, &narrow), SS_OK);
  ss_presumption presumption = {};
  ASSERT_EQ(ss_presumption_init(&presumption, 1, 1), SS_OK);
  ASSERT_EQ(ss_presumption_add(&presumption, 0, item, 3), SS_OK);
  presumption.is_upper = static_cast<bool *>(std::calloc(kLinks, sizeof(bool)));
  presumption.is_upper[kOut] = true;
  ASSERT_EQ(ss_presumption_narrow(&presumption, &paths, &narrow), SS_OK);
  EXPECT_TRUE(presumption.is_upper[1] && !presumption.is_upper[0]);
  int64_t count;
  const int32_t *link = ss_presumption_type(&presumption, 0, &count);
  EXPECT_EQ(std::vector<int32_t>(link, link + count), (std::vector<int32_t>{1, 0}));
  ss_presumption_free(&presumption);
  ss_link_paths_free(&paths);
  ss_link_paths_free(&narrow);
}

/* With messages on ordinary ports only, the flow out of the late port would have 10 bytes/s where the others have 5. */
TEST(Presumption, TellsWhoHasMore)
{
  Ring ring;
  ring.begin(1, 0);
  ring.begin(0, 1);
  EXPECT_EQ(ring.marked(), std::vector<int>{kOutOfLate});
}

/* With the late message only, it alone has 5 bytes/s, and all others would have 10: they are told from it, and presumed
 * to be alike again, whichever links they cross. */
TEST(Presumption, TellsWhoHasLess)
{
  Ring ring;
  ring.begin(0, 0);
  ring.begin(2, 1);
  size_t marks = 0;
  EXPECT_EQ(ring.marked(&marks), (std::vector<int>{0, 1, 2, 3, 4, 5, kIntoLate}));
  EXPECT_EQ(marks, 1u);
}

/* The flow out of the late port would have more while messages are on ordinary ports, all others while one is on the
 * late port: they get different marks. */
TEST(Presumption, TellsApartWhatDiffersAtOtherTimes)
{
  Ring ring;
  ring.begin(1, 0);
  ring.begin(0, 1);
  ring.end(1, 2);
  ring.begin(2, 3);
  size_t marks = 0;
  EXPECT_EQ(ring.marked(&marks).size(), static_cast<size_t>(kFlows));
  EXPECT_EQ(marks, 2u);
}

/* The flow out of the late port would be twice as fast from second 1 to 3, so that it would be ahead by one second's
 * work. The late message of second 5 makes the ring as slow as itself, and all others would be twice as fast until 5.5.
 * That is within a tolerance of a second; half a second later it is not. Nobody waits for them until then, when
 * somebody would be 0.5 s earlier; 2 s is more than they are ahead. */
TEST(Presumption, TakesFlowsForOthersWithinATolerance)
{
  Ring ring(10, 1.0 + 1e-6);
  ring.begin(1, 0);
  ring.begin(0, 1);
  ring.end(0, 3);
  ring.end(1, 4);
  EXPECT_EQ(ring.presumed().flows, 1);
  expect_close(ring.presumed().ahead_s, 1.0, 1e-6);
  ring.begin(0, 5);
  ring.begin(2, 5);
  ring.end(2, 5.5);
  EXPECT_EQ(ring.presumed().flows, kFlows);
  expect_close(ring.presumed().ahead_s, 1.0, 1e-6);
  ring.goes_on_with(0.5);
  ring.begin(1, 6);
  expect_close(ring.presumed().ahead_s, 0.5, 1e-6);
  ring.goes_on_with(2.0);
  ring.end(0, 7);
  ring.end(1, 7);
  EXPECT_EQ(ring.marked().size(), static_cast<size_t>(kFlows));
}

/* What is simultaneous is seen as a whole. */
TEST(Presumption, LooksWhenTimeGoesOn)
{
  Ring ring;
  ring.begin(0, 0);
  ring.begin(2, 1);
  ring.begin(1, 1 + 1e-10);
  ring.end(1, 2);
  ring.end(2, 2 + 1e-10);
  EXPECT_EQ(ring.marked(), std::vector<int>());
}

/* FSDP gathers beside messages all the time, so that ports are shared in fact; but the replicas that have nothing to do
 * with the slow GPU stay alike, however many there are. */
TEST(Presumption, FoldsWhereGathersMeetMessages)
{
  const int64_t few = simulated_beside_slow_gpu(sharded(8)), many = simulated_beside_slow_gpu(sharded(32));
  EXPECT_LE(few, 3 * 4);
  EXPECT_LE(many, 3 * 4);
}

/* Experts that meet over the fabric go on at the pace of the slow GPU; groups without it are told from it, and replicas
 * within them are not. */
TEST(Presumption, FoldsWhereExpertsMeet)
{
  ss_workload w = make_workload();
  w.model.experts = 16;
  w.model.top_k = 2;
  w.model.expert_ffn = 512;
  w.parallelism.pp = 2;
  w.parallelism.ep = 16;
  w.schedule.pipeline = SS_PIPELINE_1F1B;
  std::vector<int64_t> simulated;
  for (int replicas : {32, 64}) {
    w.parallelism.dp = replicas;
    w.training.global_batch = 6 * replicas;
    simulated.push_back(simulated_beside_slow_gpu(w));
  }
  EXPECT_LE(simulated[0], 5 * 2);
  EXPECT_EQ(simulated[1], simulated[0]);
}
