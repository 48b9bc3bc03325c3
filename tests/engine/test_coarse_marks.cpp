/* Flows that may be taken for others: what counts until they may not, and which of them are told apart then. */
#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/engine/headroom/presumption_watch.h"
}

using namespace stepsim;

namespace
{

constexpr double kTolerance_s = 0.01;
constexpr int64_t kFlowsMost = 8;

/* Links that carry so much each, and kinds of flows that cross some of them: every link of a kind is that of another
 * type of it. Types are numbered over all kinds, and have one flow each. */
class Watched
{
public:
  Watched(const std::vector<double> &capacity, const std::vector<std::vector<int32_t>> &kinds,
          double tolerance_s = kTolerance_s)
  {
    links_.links = static_cast<int64_t>(capacity.size());
    links_.bytes_per_s = static_cast<double *>(std::calloc(capacity.size(), sizeof(double)));
    links_.hops.item_bytes = sizeof(ss_hop);
    std::copy(capacity.begin(), capacity.end(), links_.bytes_per_s);
    const auto count = static_cast<int64_t>(kinds.size());
    EXPECT_EQ(ss_presumption_init(&presumption_, count, kFlowsMost), SS_OK);
    int64_t flow = 0;
    for (int32_t kind = 0; kind < count; ++kind) {
      std::vector<ss_hop> hops;
      for (const int32_t link : kinds[static_cast<size_t>(kind)]) {
        const int32_t item[] = {kind, link};
        EXPECT_EQ(ss_presumption_add(&presumption_, flow++, item, 2), SS_OK);
        hops.push_back({link, 1});
      }
      add_flow(kind, hops);
    }
    EXPECT_EQ(ss_presumption_sort(&presumption_), SS_OK);
    presumption_.tolerance_s = tolerance_s;
    common_.tie_s = 1e-9;
    world_.common = &common_;
    world_.job = &job_;
    EXPECT_EQ(ss_presumption_watch_open(&watch_, &presumption_, &links_, &world_), SS_OK);
    watch_.drifts.most.early_s = 1e9; /* who waits for flows would be earlier than these are ahead: their sum counts */
  }
  ~Watched()
  {
    ss_presumption_watch_free(&watch_);
    ss_presumption_free(&presumption_);
    ss_link_paths_free(&links_);
  }
  Watched(const Watched &) = delete;
  Watched &operator=(const Watched &) = delete;
  /* The flow of a kind is in progress for a while. */
  void pass(int kind, double begin_s, double end_s)
  {
    begin(kind, begin_s);
    end(kind, end_s);
  }
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
    common_.now_s = at_s;
    watch_.observer.flow(watch_.observer.self, &carried);
  }
  double ahead_s() const
  {
    return watch_.sum_s;
  }
  /* The marks of the flows that get one, by their types. */
  std::map<int, uint64_t> marks()
  {
    ss_flow_marks marks = {};
    ss_presumed presumed = {};
    EXPECT_EQ(ss_presumption_watch_conclude(&watch_, &marks, &presumed), SS_OK);
    std::map<int, uint64_t> by_type;
    for (int64_t i = 0; i < marks.count; ++i) by_type[marks.mark[i].flow] = marks.mark[i].mark;
    std::free(marks.mark);
    return by_type;
  }
  ss_presumption &presumption()
  {
    return presumption_;
  }
  const ss_world &world() const
  {
    return world_;
  }

private:
  void add_flow(int32_t kind, const std::vector<ss_hop> &hops)
  {
    ss_flow flow = {};
    flow.kind = kind;
    flow.path = ss_link_paths_find(&links_, hops.data(), static_cast<int64_t>(hops.size()));
    flow_.push_back(flow);
  }
  ss_link_paths links_ = {};
  std::vector<ss_flow> flow_;
  ss_presumption presumption_ = {};
  ss_common common_ = {};
  ss_job job_ = {};
  ss_world world_ = {};
  ss_presumption_watch watch_ = {};
};

} // namespace

/* Each kind has 5 bytes/s for two seconds, and one type of it would have 10: it would be ahead by one second. A
 * transfer that waits for flows of both goes on with the last of them, so that it is ahead by no more than that; one
 * behind the other are ahead by two. */
TEST(CoarseMarks, CountTransfersOnce)
{
  for (const bool together : {false, true}) {
    Watched watched({5, 10, 5, 10}, {{0, 1}, {2, 3}});
    if (together) watched.presumption().together[1] = 0;
    watched.begin(0, 0);
    watched.pass(1, 0, 2);
    watched.end(0, 2);
    expect_close(watched.ahead_s(), together ? 1 : 2, 1e-6);
  }
}

/* Ahead by half of the time from second 10 to 14: as much as is tolerated where that is a fifth of the time that has
 * passed, and too much where it is a tenth. */
TEST(CoarseMarks, TolerateAShareOfTheTimeThatHasPassed)
{
  for (const double tolerance : {0.2, 0.1}) {
    Watched watched({5, 10}, {{0, 1}});
    watched.presumption().tolerance = tolerance;
    watched.pass(0, 10, 14);
    EXPECT_EQ(watched.world().in_vain, tolerance < 2.0 / 14);
    EXPECT_EQ(watched.world().stops_soon, watched.world().in_vain);
  }
}

/* Of one second each, types of 10 and 9 bytes/s would be ahead of 5 by 0.5 and 0.44 s, and that of 5.2 by 0.04 s: less
 * than an eighth of what the foremost is. The first two are about as much. */
TEST(CoarseMarks, TellApartWhatIsWellAhead)
{
  Watched watched({5, 10, 9, 5.2}, {{0, 1, 2, 3}});
  watched.pass(0, 0, 1);
  const std::map<int, uint64_t> marks = watched.marks();
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks.at(1), marks.at(2));
}

/* 20 bytes/s would be ahead of 15 by 0.25 s, 30 by 0.5: twice as much is another mark. */
TEST(CoarseMarks, TellHowMuch)
{
  Watched watched({15, 20, 30.001}, {{0, 1, 2}});
  watched.pass(0, 0, 1);
  const std::map<int, uint64_t> marks = watched.marks();
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_NE(marks.at(1), marks.at(2));
}

/* Where nothing is tolerated, what differs in the least is told apart. */
TEST(CoarseMarks, AreForToleratedFlows)
{
  Watched watched({5, 10, 9, 5.2}, {{0, 1, 2, 3}}, 0);
  watched.pass(0, 0, 1);
  std::map<uint64_t, int> flows;
  for (const auto &mark : watched.marks()) ++flows[mark.second];
  EXPECT_EQ(flows.size(), 3u);
}

/* Kinds that are hardly ahead stay as they are beside one that is: a hundredth of a second beside half a second. */
TEST(CoarseMarks, LeaveKindsThatAreHardlyAhead)
{
  Watched watched({5, 10, 5, 10}, {{0, 1}, {2, 3}});
  watched.pass(0, 0, 1);
  watched.pass(1, 1, 1.02);
  EXPECT_EQ(watched.marks().size(), 1u);
}

/* Kinds 1 and 2 slow kind 0 down, on one link of it and then on the other, for as long: both types would be ahead by as
 * much. What tells them apart is when. */
TEST(CoarseMarks, SayWhenWhereAllAreAsMuchAhead)
{
  Watched watched({10, 10}, {{0, 1}, {0}, {1}});
  watched.begin(0, 0);
  watched.pass(1, 0, 1);
  watched.pass(2, 1, 2);
  watched.end(0, 2);
  const std::map<int, uint64_t> marks = watched.marks();
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_NE(marks.at(0), marks.at(1));
}
