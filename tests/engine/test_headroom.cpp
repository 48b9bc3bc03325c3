/* Links that are never short are left out of a replay, which is the same as with them. */
#include <cmath>
#include <cstdlib>

#include "tests/support/forwarding.hpp"
#include "tests/support/tight_jobs.hpp"

extern "C" {
#include "sim/engine/child.h"
#include "sim/engine/headroom/headroom.h"
#include "sim/engine/headroom/watch.h"
#include "sim/engine/setup/fold.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kJobs = 30;
#else
constexpr int kJobs = 500;
#endif

/* Links of a machine of 16 GPUs with a NIC each and four leaf switches, and what crosses one of them. */
struct Spared {
  ss_machine machine;
  ss_links links = {};
  ss_headroom headroom = {};
  explicit Spared(int64_t kinds)
  {
    PlatformSpec spec;
    spec.topology = "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,4;1,1\"";
    machine = make_machine(spec);
    EXPECT_EQ(ss_links_init(&links, &machine, nullptr), SS_OK);
    EXPECT_EQ(ss_headroom_init(&headroom, &links, kinds), SS_OK);
  }
  ~Spared()
  {
    ss_headroom_free(&headroom);
    ss_links_free(&links);
  }
  Spared(const Spared &) = delete;
  Spared &operator=(const Spared &) = delete;
  int32_t find(const char *name) const
  {
    char other[SS_LINK_NAME_SIZE];
    for (int64_t link = 0; link < links.paths.links; ++link) {
      ss_fabric_name(links.fabric, link, other);
      if (std::string(other) == name) return static_cast<int32_t>(link);
    }
    ADD_FAILURE() << name;
    return 0;
  }
  /* A flow of a kind over a link, from one NIC to another. */
  ss_crossing flow(const char *link, int32_t kind, int from, int to) const
  {
    const std::string out = "nic-" + std::to_string(from) + ":out", in = "nic-" + std::to_string(to) + ":in";
    return {find(link), kind, find(out.c_str()), find(in.c_str())};
  }
  void spare(std::vector<ss_crossing> crossings)
  {
    ASSERT_EQ(ss_headroom_spare(&headroom, &links, crossings.data(), static_cast<int64_t>(crossings.size())), SS_OK);
  }
  const ss_spared &at(const char *link) const
  {
    return headroom.spared[headroom.spared_of_link[find(link)]];
  }
};

/* Flows over leaf-0:up-2, which is spared and as fast as a port, from NIC 0 (kind 0) and from NIC 1 (kind 1), beside
 * flows from the same NICs over other links (kinds 2 and 3). What is less than half a second apart is simultaneous. */
class Watched
{
public:
  Watched() : spared_(4)
  {
    common_.tie_s = 0.5;
    world_.common = &common_;
    const int to[] = {4, 8, 5, 9};
    for (int kind = 0; kind < 4; ++kind) {
      const ss_crossing ends = spared_.flow("leaf-0:up-2", kind, kind % 2, to[kind]);
      const ss_hop hop[] = {{ends.from, 1}, {ends.to, 1}};
      flow_[kind].kind = kind;
      flow_[kind].path = ss_link_paths_find(&spared_.links.paths, hop, 2);
      spared_.headroom.alone_bytes_per_s[kind] = spared_.links.paths.bytes_per_s[ends.from];
    }
    spared_.spare({spared_.flow("leaf-0:up-2", 0, 0, 4), spared_.flow("leaf-0:up-2", 1, 1, 8)});
    ss_headroom_find_tight(&spared_.headroom);
    EXPECT_EQ(ss_watch_open(&watch_, &spared_.headroom, &spared_.links.paths, &world_), SS_OK);
  }
  ~Watched()
  {
    ss_watch_free(&watch_);
  }
  Watched(const Watched &) = delete;
  Watched &operator=(const Watched &) = delete;
  void begin(const std::vector<int> &kinds, double at_s)
  {
    for (const int kind : kinds) watch_.observer.flow_begin(watch_.observer.self, &flow_[kind], at_s);
  }
  void end(const std::vector<int> &kinds, double at_s)
  {
    for (const int kind : kinds) {
      ss_carried carried = {};
      carried.flow = &flow_[kind];
      carried.end_s = at_s;
      carried.is_over = true;
      watch_.observer.flow(watch_.observer.self, &carried);
    }
  }
  bool is_crowded()
  {
    ss_link_set crowded = {};
    EXPECT_EQ(ss_watch_conclude(&watch_, &crowded, nullptr), SS_OK);
    const bool found = crowded.count > 0;
    std::free(crowded.link);
    return found;
  }

private:
  Spared spared_;
  ss_flow flow_[4] = {};
  ss_common common_ = {};
  ss_world world_ = {};
  ss_watch watch_ = {};
};

/* What the fold of a job came to: links were crowded at first; flows were not alike that were presumed to be; it was
 * folded at first with neither; in the end. */
struct Folded {
  bool crowded, unlike, spared, folded;
};

/* So many replicas of 16 stages of two ranks, across racks of 72 GPUs on a tapered tree. */
Job across_racks(int64_t replicas)
{
  PlatformSpec spec;
  spec.gpus = 1080;
  spec.domain = spec.nics = 72;
  spec.topology = "topology=\"FAT_TREE\" topo_parameters=\"2;40,27;1,10;1,1\"";
  ss_workload w = make_workload();
  w.model.layers = 16;
  w.parallelism.tp = 2;
  w.parallelism.pp = 16;
  w.parallelism.dp = replicas;
  w.training.global_batch = 4 * replicas;
  return Job(w, make_machine(spec), SS_COST_CALIBRATED);
}

/* Of the stage replicas, those that each attempt simulates, up to the one that learns nothing. */
std::vector<double> shares_of_attempts(const Job &job)
{
  ss_replay_options options = {};
  options.fold = SS_FOLD_EXACT;
  std::vector<double> shares;
  ss_known known = {};
  for (bool learns = true; learns;) {
    ss_outcome out = {};
    ss_play_in_child(job.get(), &options, &known, SS_TO_REPLAY, &out);
    EXPECT_EQ(out.status, SS_OK);
    shares.push_back(static_cast<double>(out.result.simulated_stage_replicas) /
                     static_cast<double>(out.result.stage_replicas));
    learns = out.known.crowded.count > known.crowded.count || out.known.marks.given > known.marks.given;
    ss_known_free(&known);
    known = out.known;
  }
  ss_known_free(&known);
  return shares;
}

/* Expects the replay of a job to be what it is unfolded, to its rounding. */
Folded as_unfolded(const Job &job, ss_flow_mode flows)
{
  ss_replay_options options = {};
  options.flows = flows;
  options.fold = SS_FOLD_EXACT;
  ss_outcome first = {};
  const ss_known none = {};
  ss_play_in_child(job.get(), &options, &none, SS_TO_REPLAY, &first);
  const ss_replay_result some = job.replay(options);
  options.fold = SS_FOLD_NONE;
  const ss_replay_result all = job.replay(options);
  const double apart = std::abs(some.breakdown.iteration_s / all.breakdown.iteration_s - 1);
  if (apart > 1e-9) {
    EXPECT_LE(apart, rounding_of(job, flows));
  }
  EXPECT_EQ(some.flows, all.flows);
  EXPECT_EQ(some.links.used, all.links.used);
  const bool crowded = first.known.crowded.count > 0, unlike = first.known.marks.count > 0;
  const bool spared = !crowded && !unlike && first.result.simulated_stage_replicas < first.result.stage_replicas;
  ss_known_free(&first.known);
  return {crowded, unlike, spared, some.simulated_stage_replicas < some.stage_replicas};
}

} // namespace

/* What starts at one port is never more than that carries, and what ends at one, neither. */
TEST(Headroom, IsBoundedByPorts)
{
  Spared s(3);
  const double rate = s.links.paths.bytes_per_s[s.find("nic-0:out")];
  s.spare({s.flow("leaf-0:up-0", 0, 0, 4), s.flow("leaf-0:up-0", 1, 0, 8), s.flow("leaf-0:up-1", 0, 1, 5),
           s.flow("leaf-0:up-1", 1, 2, 5), s.flow("leaf-0:up-2", 0, 0, 4), s.flow("leaf-0:up-2", 1, 1, 8)});
  s.headroom.alone_bytes_per_s[0] = s.headroom.alone_bytes_per_s[1] = rate;
  ss_headroom_find_tight(&s.headroom);
  EXPECT_FALSE(s.at("leaf-0:up-0").tight); /* from one NIC */
  EXPECT_FALSE(s.at("leaf-0:up-1").tight); /* to one NIC */
  EXPECT_TRUE(s.at("leaf-0:up-2").tight);
  const double first[] = {rate, 0, 0}, half[] = {rate / 2, rate / 2, 0}, more[] = {rate, rate / 2, 0};
  EXPECT_FALSE(ss_headroom_is_short(&s.headroom, &s.at("leaf-0:up-2"), first));
  EXPECT_FALSE(ss_headroom_is_short(&s.headroom, &s.at("leaf-0:up-2"), half));
  EXPECT_TRUE(ss_headroom_is_short(&s.headroom, &s.at("leaf-0:up-2"), more));
}

/* One link stands for all of its kind that carry the same. */
TEST(Headroom, LetsOneStandForLinksAlike)
{
  Spared s(2);
  s.spare({s.flow("leaf-0:up-0", 0, 0, 4), s.flow("leaf-1:up-3", 0, 4, 0), s.flow("leaf-2:up-1", 1, 8, 0),
           s.flow("leaf-1:down-2", 0, 0, 4)});
  EXPECT_EQ(s.headroom.keys.count, 3);
  EXPECT_EQ(&s.at("leaf-0:up-0"), &s.at("leaf-1:up-3"));
  EXPECT_EQ(s.links.alike[s.find("leaf-0:up-0")], 2);
  EXPECT_EQ(s.links.alike[s.find("leaf-1:up-3")], 0);
  EXPECT_EQ(s.links.alike[s.find("leaf-1:down-2")], 1);
}

/* Two flows at the rate of their ports are too much for a link as fast as these, and so are one at that rate and one at
 * half of it. One after the other fits, even where one begins before the end of the other is told. */
TEST(Headroom, WatchSeesWhatIsSimultaneous)
{
  Watched together, half, in_turn;
  together.begin({0, 1}, 1);
  EXPECT_TRUE(together.is_crowded());
  half.begin({0, 1, 2}, 1);
  EXPECT_TRUE(half.is_crowded());
  in_turn.begin({0}, 1);
  in_turn.begin({1}, 2);
  in_turn.end({0}, 2);
  EXPECT_FALSE(in_turn.is_crowded());
}

/* Two flows at half the rate of their ports fit, for as long as others have the other halves: the link is looked at
 * again when one of these ends, though nothing has begun. What began and ended before leaves no trace. */
TEST(Headroom, WatchSeesWhatOthersLeave)
{
  Watched fits, left;
  fits.begin({0, 2, 3}, 1);
  fits.end({2}, 2);
  fits.begin({1, 2}, 3);
  fits.end({0, 1}, 4);
  fits.end({2, 3}, 5);
  EXPECT_FALSE(fits.is_crowded());
  left.begin({0, 1, 2, 3}, 1);
  left.end({2}, 2);
  left.end({0, 1, 3}, 3);
  EXPECT_TRUE(left.is_crowded());
}

TEST(Headroom, ReplayIsWhatItIsWithAllLinks)
{
  std::mt19937 random(20261123 + seed);
  int spared = 0, crowded = 0;
  for (int i = 0; i < kJobs; ++i) {
    const ss_machine machine = tight_machine(random, i);
    const Job job(wide_workload(random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const Folded is = as_unfolded(job, i % 2 == 0 ? SS_FLOWS_SHARED : SS_FLOWS_ALL);
    crowded += is.crowded;
    spared += is.spared;
  }
  EXPECT_GT(crowded, kJobs / 10);
  EXPECT_GT(spared, kJobs / 4);
}

/* Replays of many micro-batches stop as soon as they have to start again, and what they have to know is found out with
 * few. They are what they are unfolded, too. */
TEST(Headroom, LongReplaysAreRehearsed)
{
  std::mt19937 random(2611 + seed);
  const int enough = 1 + kJobs / 50;
  int rehearsed = 0;
  for (int i = 0; rehearsed < enough && i < kJobs; ++i) {
    const ss_machine machine = tight_machine(random, i);
    ss_workload workload = wide_workload(random);
    workload.training.global_batch *= 16 * workload.parallelism.pp;
    const Job job(workload, machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    (void)as_unfolded(job, SS_FLOWS_SHARED);
    ss_replay_options options = {};
    options.fold = SS_FOLD_EXACT;
    const ss_known none = {};
    ss_outcome first = {};
    ss_play_in_child(job.get(), &options, &none, SS_TO_LOOK, &first);
    rehearsed += first.only_looked && (first.known.crowded.count > 0 || first.known.marks.given > 0);
    ss_known_free(&first.known);
  }
  EXPECT_EQ(rehearsed, enough);
}

/* A rehearsal that could learn nothing does not begin: where all links take part. */
TEST(Headroom, WhatSparesNoLinkIsNotRehearsed)
{
  const Job job = across_racks(30);
  const ss_known none = {};
  for (const ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) {
    ss_replay_options options = {};
    options.fold = fold;
    ss_outcome out = {};
    ss_play_in_child(job.get(), &options, &none, SS_TO_REHEARSE, &out);
    EXPECT_EQ(out.status, SS_OK);
    EXPECT_EQ(out.result.flows > 0, fold == SS_FOLD_AUTO);
    ss_known_free(&out.known);
  }
}

/* Replicas of 32 ranks lie across racks of 72 GPUs, so that no two meet the same others. What is learnt of them tells
 * more than half of the stage replicas apart: a large job is replayed whole from then on and learns no more, one that
 * is smaller goes on to spare links, though few of its replicas are alike. */
TEST(Headroom, LargeJobsThatHardlyFoldAreReplayedWhole)
{
  const Job large = across_racks(32), smaller = across_racks(30);
  ASSERT_EQ(large.get()->stages * large.get()->replicas, SS_FOLD_REPLICAS_LARGE);
  (void)as_unfolded(large, SS_FLOWS_SHARED);
  const std::vector<double> shares = shares_of_attempts(large), smaller_shares = shares_of_attempts(smaller);
  ASSERT_GT(shares.size(), 1u);
  EXPECT_EQ(shares.back(), 1.0);
  for (size_t i = 0; i + 1 < shares.size(); ++i) EXPECT_LE(shares[i], SS_FOLD_SHARE_MOST);
  ASSERT_GT(smaller_shares.size(), 1u);
  EXPECT_GT(smaller_shares.back(), SS_FOLD_SHARE_MOST);
  EXPECT_LT(smaller_shares.back(), 1.0);
}

/* Each flow of a tree has a place of its own, but nearly all are as fast: where they would be of many kinds, a few that
 * are presumed to be alike stand for them, on fat trees that are as wide as they need be and on tapered ones. */
TEST(Headroom, TreesOverManyNodesAreOfFewKinds)
{
  for (const char *tree : {"2;32,10;1,32;1,1", "2;32,10;1,16;1,1"})
    for (const ss_algorithm algorithm : {SS_ALGORITHM_TREE, SS_ALGORITHM_DOUBLE_TREE}) {
      PlatformSpec spec;
      spec.gpus = 320;
      spec.domain = spec.nics = 1;
      spec.topology = "topology=\"FAT_TREE\" topo_parameters=\"" + std::string(tree) + "\"";
      ss_workload w = make_workload();
      w.model.layers = 1;
      w.parallelism.sharding = SS_SHARDING_NONE;
      w.parallelism.dp = static_cast<int>(w.training.global_batch = 300);
      w.schedule.all_reduce = algorithm;
      const Job job(w, make_machine(spec), SS_COST_CALIBRATED);
      SCOPED_TRACE(testing::Message() << tree << ", algorithm " << algorithm);
      EXPECT_TRUE(as_unfolded(job, SS_FLOWS_ALL).folded);
    }
}

/* A slow GPU, now and then a slow link too or instead, on a flat fabric and on tight ones: only what differs is told
 * apart, and the replay is what it is unfolded. */
TEST(Headroom, FoldsAroundWhatIsSlow)
{
  std::mt19937 random(517 + seed);
  int folded = 0, unlike = 0, right = 0;
  for (int i = 0; i < kJobs; ++i) {
    ss_machine machine = i % 2 == 0 ? able_machine(random_platform(random)) : tight_machine(random, i);
    const ss_workload workload = wide_workload(random);
    const auto gpu = [&] { return static_cast<int>(random() % static_cast<unsigned>(ss_workload_gpus(&workload))); };
    const double speed = random() % 2 == 0 ? 0.85 : std::uniform_real_distribution<>(0.1, 0.9999)(random);
    std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "%d:%g", gpu(), speed);
    if (i % 5 >= 3) std::snprintf(machine.link_speed, sizeof machine.link_speed, "gpu-%d:%g", gpu(), speed);
    if (i % 5 == 3) machine.gpu_speed[0] = '\0';
    const Job job(workload, machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const Folded is = as_unfolded(job, i % 3 == 0 ? SS_FLOWS_ALL : SS_FLOWS_SHARED);
    folded += is.folded;
    unlike += is.unlike;
    right += is.spared;
  }
  EXPECT_GT(folded, kJobs / 4);
  EXPECT_GT(unlike, kJobs / 16);
  EXPECT_GE(right, kJobs / 10 - 2); /* 48 of 500 jobs; of 30, as few as one */
}

/* Asked to take the upper levels as never short, a replay is not started again, and says how many links were. */
TEST(Headroom, FlatSaysWhatItLeavesOut)
{
  std::mt19937 random(404 + seed);
  int crowded = 0;
  for (int i = 0; i < 24; ++i) {
    const ss_machine machine = tight_machine(random, i);
    const Job job(wide_workload(random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    ss_replay_options options = {};
    options.fold = SS_FOLD_EXACT;
    const ss_replay_result exact = job.replay(options);
    options.fold = SS_FOLD_FLAT;
    const ss_replay_result flat = job.replay(options);
    EXPECT_LE(flat.simulated_stage_replicas, exact.simulated_stage_replicas);
    EXPECT_EQ(exact.shortcuts.crowded_links, 0);
    if (flat.shortcuts.crowded_links == 0) {
      EXPECT_EQ(flat.breakdown.iteration_s, exact.breakdown.iteration_s);
    }
    crowded += flat.shortcuts.crowded_links > 0;
  }
  EXPECT_GT(crowded, 2);
}

/* Forwarding tables that say what a tree does by itself change nothing: each leaf sends what is for a NIC through the
 * port of its number modulo the ports. */
TEST(Headroom, TablesByDestinationChangeNothing)
{
  std::mt19937 random(77 + seed);
  for (int i = 0; i < kJobs / 10; ++i) {
    ss_machine machine = tight_machine(random, i);
    const ss_workload workload = wide_workload(random);
    const double without_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s;
    Forwarding tables(machine);
    const ss_fat_tree &tree = machine.shape.as.fat_tree;
    tables.add_ups(tree, [&](int64_t leaf, int64_t nic) { return leaf < 0 ? 0 : nic % (tree.up[1] * tree.links[1]); });
    machine.forwarding = tables.sorted();
    EXPECT_EQ(Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s, without_s) << "job " << i;
  }
}

/* Routes that differ tell replicas apart: with tables that send through any port, now and then all through one, and
 * down through any parallel cable, the replay is what it is unfolded. */
TEST(Headroom, FoldsWithTablesThatAreOdd)
{
  std::mt19937 random(1207 + seed);
  int folded = 0, slower = 0;
  for (int i = 0; i < kJobs / 5; ++i) {
    ss_machine machine = tight_machine(random, i);
    const ss_workload workload = wide_workload(random);
    const double by_rule_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s;
    const ss_fat_tree &tree = machine.shape.as.fat_tree;
    Forwarding tables(machine);
    const bool one = i % 4 == 0;
    tables.add_ups(tree, [&](int64_t leaf, int64_t nic) {
      const int64_t odd = static_cast<int64_t>(random() % static_cast<unsigned>(tree.up[1] * tree.links[1]));
      return one ? 0 * leaf : i % 4 == 1 ? (nic + leaf) % tree.up[1] : odd;
    });
    if (tree.links[1] > 1) tables.add_downs(tree, [&](int64_t, int64_t) { return static_cast<int64_t>(random() % 2); });
    machine.forwarding = tables.sorted();
    const Job job(workload, machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    folded += as_unfolded(job, i % 2 == 0 ? SS_FLOWS_SHARED : SS_FLOWS_ALL).folded;
    slower += one && job.replay().breakdown.iteration_s > 1.0001 * by_rule_s;
  }
  EXPECT_GT(folded, kJobs / 64);
  EXPECT_GT(slower, kJobs / 100);
}
