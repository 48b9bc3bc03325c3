/* What replicas gain and lose goes on through what they wait for. */
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

extern "C" {
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/stage.h"
#include "sim/engine/core/stage_replica.h"
#include "sim/engine/core/ties.h"
#include "sim/engine/headroom/drifts.h"
}

namespace
{

/* Three replicas; messages of kind 0 and 1 from the first and the second, whose flows are of one type each. */
class Drifts : public ::testing::Test
{
protected:
  Drifts()
  {
    EXPECT_EQ(ss_presumption_init(&presumption_, 2, 2), SS_OK);
    for (int32_t kind = 0; kind < 2; ++kind) EXPECT_EQ(ss_presumption_add(&presumption_, kind, &kind, 1), SS_OK);
    EXPECT_EQ(ss_presumption_sort(&presumption_), SS_OK);
    presumption_.tolerance_s = 2;
    presumption_.meets_at_ports = true;
    job_.stages = job_.chunks = 1;
    stage_.home = &stage_;
    world_.job = &job_;
    world_.stage = &stage_;
    world_.shards = 1;
    world_.common = &common_;
    world_.replica = replica_.data();
    world_.replica_count = static_cast<int64_t>(replica_.size());
    world_.owners = 8;
    for (int kind = 0; kind < 2; ++kind) {
      flow_[kind].kind = kind;
      route_[kind] = {};
      route_[kind].phases = 1;
      route_[kind].count = 1;
      route_[kind].flow = &flow_[kind];
      message_[kind] = {};
      message_[kind].type = &type_;
      message_[kind].world = &world_;
      message_[kind].route = &route_[kind];
      message_[kind].phases = 1;
      message_[kind].on_network = true;
      message_[kind].ended.transfer = -1;
    }
    EXPECT_EQ(ss_drifts_open(&drifts_, &presumption_, &world_), SS_OK);
  }
  ~Drifts() override
  {
    ss_drifts_free(&drifts_);
    ss_presumption_free(&presumption_);
  }
  /* A message of a kind goes from a replica since it was asked for, and arrives as the so-manieth. */
  void send(int kind, int32_t from, double asked_s, double start_s)
  {
    message_[kind].asked = {asked_s, 0.0, from};
    message_[kind].replica = &replica_[static_cast<size_t>(from)];
    message_[kind].to_replica = 2;
    message_[kind].start_s = start_s;
    drifts_.observer.transfer_begin(drifts_.observer.self, &message_[kind]);
    ss_drifts_begin(&drifts_, kind);
  }
  void arrive(int kind, int64_t number)
  {
    message_[kind].ended.transfer = number;
    drifts_.observer.transfer_end(drifts_.observer.self, &message_[kind]);
  }
  /* One of kind 0 from the first replica loses a second from 1 to 2 s, when it arrives. */
  void send_slowly()
  {
    send(0, 0, 0.0, 0.0);
    ss_drifts_lose(&drifts_, 0, 1.0, 1.0);
    ss_drifts_lose(&drifts_, 0, 0.0, 2.0);
    common_.now_s = 2;
    arrive(0, 0);
  }
  void free_sets()
  {
    ss_lists_free(&presumption_.sets);
    presumption_.sets.item_bytes = sizeof(int32_t);
    std::free(presumption_.first_set);
    std::free(presumption_.set);
  }
  void go_in_sets(const std::vector<std::vector<int32_t>> &sets)
  {
    free_sets();
    for (const auto &set : sets)
      EXPECT_EQ(ss_presumption_add_set(&presumption_, set.data(), static_cast<int64_t>(set.size())), SS_OK);
    EXPECT_EQ(ss_presumption_sort_sets(&presumption_), SS_OK);
  }
  /* Flows of both kinds begin together. That of the second gains 0.25 s and ends at 2 s, when the message arrives. */
  void send_both(double first_gains_s, double first_ends_s)
  {
    send(0, 0, 0.0, 0.0);
    ss_drifts_begin(&drifts_, 1);
    ss_drifts_gain(&drifts_, 0, 0, first_gains_s);
    ss_drifts_gain(&drifts_, 1, 1, 0.25);
    ss_drifts_lose(&drifts_, 0, 0.0, first_ends_s);
    ss_drifts_lose(&drifts_, 1, 0.0, 2.0);
    common_.now_s = 2;
    arrive(0, 0);
  }
  void begin_pass(size_t replica)
  {
    drifts_.observer.pass_begin(drifts_.observer.self, &replica_[replica]);
  }
  void wait(size_t replica, double since_s, int64_t number)
  {
    const ss_pause pause = {since_s, number, 0.0};
    drifts_.observer.paused(drifts_.observer.self, &replica_[replica], &pause);
  }

  const ss_transfer_type type_ = {SS_TRANSFER_MESSAGE, nullptr, nullptr, nullptr};
  ss_presumption presumption_ = {};
  ss_common common_ = {};
  ss_job job_ = {};
  ss_stage stage_ = {};
  std::array<ss_stage_replica, 3> replica_ = {};
  ss_world world_ = {};
  std::array<ss_flow, 2> flow_ = {};
  std::array<ss_route, 2> route_ = {};
  std::array<ss_transfer, 2> message_ = {};
  ss_drifts drifts_ = {};
};

} // namespace

/* A message that gains 1 s is waited for only 0.25 s: without it the replica would go on as much earlier. */
TEST_F(Drifts, GainNoMoreThanIsWaitedFor)
{
  send(0, 0, 0.0, 0.0);
  ss_drifts_gain(&drifts_, 0, 0, 0.75);
  ss_drifts_gain(&drifts_, 0, 0, 0.25);
  arrive(0, 0);
  common_.now_s = 4;
  wait(1, 3.75, 0);
  EXPECT_EQ(drifts_.replica[1].early_s, 0.25);
  wait(2, 2.0, 0);
  EXPECT_EQ(drifts_.replica[2].early_s, 1.0);
  EXPECT_FALSE(world_.in_vain);
}

/* What a message has lost is waited for; the next replica hears of it by its own message, which has lost nothing, and
 * of what that has gained as well. */
TEST_F(Drifts, GoFromReplicaToReplica)
{
  send(0, 0, 0.0, 0.0);
  ss_drifts_lose(&drifts_, 0, 0.5, 1.0);
  ss_drifts_lose(&drifts_, 0, 0.0, 2.0); /* half of a second */
  arrive(0, 0);
  common_.now_s = 2;
  wait(1, 1.0, 0);
  EXPECT_EQ(drifts_.replica[1].late_s, 0.5);
  send(1, 1, 2.0, 2.0);
  ss_drifts_gain(&drifts_, 1, 1, 0.125);
  arrive(1, 1);
  common_.now_s = 3;
  wait(2, 2.0, 1);
  EXPECT_EQ(drifts_.replica[2].late_s, 0.5);
  EXPECT_EQ(drifts_.replica[2].early_s, 0.125);
  EXPECT_EQ(ss_drifts_most_s(&drifts_), 0.625);
}

/* A message that was queued behind another one starts as early as that arrives, whatever its replica does. A gain of
 * the first is none of the second. */
TEST_F(Drifts, GoAlongALane)
{
  send(0, 0, 0.0, 0.0);
  ss_drifts_gain(&drifts_, 0, 0, 1.0);
  arrive(0, 0);
  send(0, 0, 0.5, 1.0);
  ss_drifts_gain(&drifts_, 0, 0, 0.5);
  arrive(0, 1);
  common_.now_s = 3;
  wait(2, 0.0, 1);
  EXPECT_EQ(drifts_.replica[2].early_s, 1.5);
}

/* A message that has lost something comes before it is needed: its receiver is late by what is left of that then. */
TEST_F(Drifts, LateMessagesAreMissedWhereTheyWereEarly)
{
  send_slowly();
  common_.now_s = 2.25;
  begin_pass(2);
  EXPECT_EQ(drifts_.replica[2].late_s, 0.75);
  EXPECT_EQ(drifts_.replica[1].late_s, 0.0);
  common_.now_s = 4;
  drifts_.replica[2].late_s = 0.0;
  begin_pass(2);
  EXPECT_EQ(drifts_.replica[2].late_s, 0.0);
}

/* The second message of a lane cannot start before the first has arrived, which may be late. */
TEST_F(Drifts, LateMessagesKeepTheNextOneWaiting)
{
  send_slowly();
  send(0, 0, 2.5, 2.5);
  common_.now_s = 4;
  arrive(0, 1);
  wait(2, 3.0, 1);
  EXPECT_EQ(drifts_.replica[2].late_s, 0.5);
}

/* What transfers lose to others goes or comes by chance, as far as flows are apart: of 3 and 4 s, 5 s. */
TEST_F(Drifts, WaverByWhatTransfersLoseToOthers)
{
  drifts_.apart_s = 4.0;
  const double lost_s[] = {3.0, 5.0};
  for (int i = 0; i < 2; ++i) {
    send(0, 0, 0.0, 1.0); /* the second behind the first */
    message_[0].ended.parts.shared_s = lost_s[i];
    arrive(0, i);
  }
  presumption_.tolerance_s = 8;
  common_.now_s = 3;
  wait(2, 0.0, 1);
  EXPECT_EQ(ss_drifts_wavered_s(&drifts_), 5.0);
}

/* Flows of both kinds are waited for together, and that of kind 1 ends half of a second behind the other one. Who waits
 * for both is as early as the last would be, who waits for one only as early as that; and the next message of a
 * replica that has one only, too. */
TEST_F(Drifts, AreAsEarlyAsTheLastOfASet)
{
  static const struct {
    std::vector<std::vector<int32_t>> sets; /* each behind the first kind */
    double early_s, next_s;
  } cases[] = {
      {{{0, 0, 1}}, 0.25, 1.5},
      {{{0, 0}, {0, 1}}, 1.5, 1.5},
      {{{0, ss_presumption_whole(1), 0}}, 0.0, 1.5},
  };
  flow_[1].kind = 1;
  presumption_.together[1] = 0;
  for (const auto &c : cases) {
    go_in_sets(c.sets);
    common_.now_s = drifts_.sum_s = 0;
    send_both(1.0, 1.5);
    drifts_.replica[2] = {};
    wait(2, 0.0, 0);
    EXPECT_EQ(drifts_.replica[2].early_s, c.early_s);
    EXPECT_EQ(drifts_.lane[0].arrived.early_s, c.next_s);
    EXPECT_EQ(drifts_.sum_s, c.early_s);
  }
}

/* Above ports, what sets are ahead is added up: 0.25 s, 1.25 s by which the flow of the first kind leaves the next
 * message to start sooner, and 1 s of that. 2 s are tolerated. */
TEST_F(Drifts, AddUpSetsWhereFlowsMeetAboveTheirPorts)
{
  presumption_.meets_at_ports = false;
  flow_[1].kind = 1;
  presumption_.together[1] = 0;
  go_in_sets({{0, 0, 1}});
  send_both(1.5, 2.0);
  EXPECT_EQ(drifts_.sum_s, 0.25);
  send(0, 0, 1.0, 2.0); /* behind the first */
  ss_drifts_begin(&drifts_, 1);
  EXPECT_EQ(drifts_.sum_s, 1.5);
  EXPECT_FALSE(world_.in_vain);
  ss_drifts_gain(&drifts_, 0, 0, 1.0);
  ss_drifts_gain(&drifts_, 1, 1, 1.0);
  ss_drifts_lose(&drifts_, 0, 0.0, 4.0);
  ss_drifts_lose(&drifts_, 1, 0.0, 4.0);
  common_.now_s = 4;
  arrive(0, 1);
  EXPECT_EQ(drifts_.sum_s, 2.5);
  EXPECT_TRUE(world_.in_vain && world_.stops_soon);
}

/* Where flows meet above their ports without sets, a message that gains 0.5 s and leaves 1 s to others there may come
 * 1.5 s sooner. All flows would be ahead by 2.5 s, later by 1.25 s, which is less; then the second that is left to
 * others is no more in step. 2 s are tolerated of either. */
TEST_F(Drifts, AreAddedUpWhereThatIsLess)
{
  presumption_.meets_at_ports = false;
  ss_drifts_ahead(&drifts_, 2.5);
  EXPECT_EQ(ss_drifts_most_s(&drifts_), 0.0);
  send(0, 0, 0.0, 0.0);
  ss_drifts_gain(&drifts_, 0, 0, 0.5);
  ss_drifts_leave(&drifts_, 0, {0.0, 1.0});
  arrive(0, 0);
  common_.now_s = 10;
  wait(2, 0.0, 0);
  EXPECT_EQ(ss_drifts_most_s(&drifts_), 1.5);
  EXPECT_EQ(ss_drifts_out_of_step_s(&drifts_), 0.0);
  EXPECT_EQ(drifts_.apart_s, 0.5);
  drifts_.ahead_s = 1.25;
  EXPECT_EQ(ss_drifts_most_s(&drifts_), 1.25);
  EXPECT_EQ(ss_drifts_out_of_step_s(&drifts_), 1.0);
  EXPECT_FALSE(world_.in_vain);
  drifts_.most.upper_left_s = 4.0;
  ss_drifts_ahead(&drifts_, 1.75);
  EXPECT_FALSE(world_.in_vain);
  ss_drifts_ahead(&drifts_, 2.25);
  EXPECT_TRUE(world_.in_vain && world_.stops_soon);
}

/* Above ports, four times the 2 s are tolerated from the middle of the 10 s on that are expected, and in a quarter of
 * them twice as much. */
TEST_F(Drifts, AreMetWithPatienceAsTheReplayGoesOn)
{
  static const struct {
    double now_s, ahead_s;
    bool in_vain;
  } cases[] = {{0.5, 1.75, false}, {0.5, 2.25, true}, {2.5, 3.75, false}, {2.5, 4.25, true},
               {5.0, 7.75, false}, {5.0, 8.25, true}, {9.0, 8.25, true}};
  presumption_.meets_at_ports = false;
  presumption_.patience = 4;
  common_.expected_s = 10;
  drifts_.most.early_s = 100; /* more than is ahead in all */
  for (const auto &c : cases) {
    world_.in_vain = false;
    common_.now_s = c.now_s;
    ss_drifts_ahead(&drifts_, c.ahead_s);
    EXPECT_EQ(world_.in_vain, c.in_vain);
  }
  world_.in_vain = false;
  drifts_.most.rings_left_s = 1.75; /* out of step */
  ss_drifts_ahead(&drifts_, 3.0);
  EXPECT_FALSE(world_.in_vain);
  drifts_.most.rings_left_s = 2.25;
  ss_drifts_ahead(&drifts_, 3.0);
  EXPECT_TRUE(world_.in_vain);
  world_.in_vain = false;
  go_in_sets({{0, 0}});
  drifts_.sum_s = 3; /* of sets, 2 s are tolerated at any time */
  drifts_.most.late_s = 0;
  ss_drifts_ahead(&drifts_, 1.0);
  EXPECT_FALSE(world_.in_vain);
  send(0, 0, 0.0, 0.0);
  arrive(0, 0);
  EXPECT_TRUE(world_.in_vain);
}

/* Who waits 0.25 s for what has left more than that to others would gain no more. */
TEST_F(Drifts, GainNoMoreOfWhatIsLeftThanIsWaitedFor)
{
  send(0, 0, 0.0, 0.0);
  ss_drifts_leave(&drifts_, 0, {0.0, 1.0});
  arrive(0, 0);
  common_.now_s = 4;
  wait(1, 3.75, 0);
  EXPECT_EQ(drifts_.replica[1].upper_left_s, 0.25);
}

/* Collectives inside a replica move it at once; more than is tolerated is in vain. */
TEST_F(Drifts, AreInVainWhereTheyAreTooMuch)
{
  const ss_transfer_type call = {SS_TRANSFER_CALL, nullptr, nullptr, nullptr};
  message_[0].type = &call;
  message_[0].replica = replica_.data();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(world_.in_vain);
    send(0, 0, 0.0, 0.0);
    ss_drifts_gain(&drifts_, 0, 0, 1.25);
    arrive(0, -1);
  }
  EXPECT_EQ(drifts_.replica[0].early_s, 2.5);
  EXPECT_TRUE(world_.in_vain && world_.stops_soon);
}

/* A ring leaves 1 s to other transfers, which counts whole; a message 1 s as well, of which that counts whole which is
 * up to half of the 2 s that are tolerated, and beyond it the square root of the product: of 4 s, 2 s. */
TEST_F(Drifts, CountWhatIsLeftToOthersWhereItIsOutOfStep)
{
  static const struct {
    ss_transfer_kind kind;
    double left_s, counts_s;
  } cases[] = {{SS_TRANSFER_MESSAGE, 1.0, 1.0}, {SS_TRANSFER_MESSAGE, 4.0, 2.0}, {SS_TRANSFER_TIED, 0.25, 0.25}};
  for (const auto &c : cases) {
    const ss_transfer_type type = {c.kind, nullptr, nullptr, nullptr};
    ss_tie tie = {};
    drifts_.most = drifts_.replica[0] = drifts_.replica[2] = {};
    message_[0].type = &type;
    message_[0].tie = &tie;
    common_.now_s = 0;
    send(0, 0, 0.0, 0.0);
    ss_drifts_leave(&drifts_, 0, {c.left_s, 0.0});
    ss_drifts_leave(&drifts_, 0, {0.125, 0.0}); /* another flow, waited for with it */
    arrive(0, 0);
    common_.now_s = 10;
    wait(2, 0.0, 0);
    EXPECT_EQ(ss_drifts_out_of_step_s(&drifts_), c.counts_s);
    EXPECT_EQ(ss_drifts_most_s(&drifts_), 0.0);
    EXPECT_FALSE(world_.in_vain);
  }
}

/* What a ring leaves to others counts whole, and with what others leave: 3 s of it, and the square root of 3 s. Who
 * waits 0.5 s only would gain no more. */
TEST_F(Drifts, CountWhatRingsLeaveWhole)
{
  const ss_transfer_type type = {SS_TRANSFER_DATA, nullptr, nullptr, nullptr};
  ss_dp_group group = {};
  world_.dp_group = &group;
  message_[0].type = &type;
  message_[0].dp_group = &group;
  send(0, 0, 0.0, 0.0);
  ss_drifts_leave(&drifts_, 0, {3.0, 0.0});
  arrive(0, 0);
  common_.now_s = 10;
  wait(1, 9.5, 0);
  EXPECT_EQ(drifts_.replica[1].rings_left_s, 0.5);
  EXPECT_EQ(drifts_.replica[1].left_s, 0.5);
  wait(2, 0.0, 0);
  EXPECT_EQ(ss_drifts_out_of_step_s(&drifts_), 3.0 + std::sqrt(3.0));
}
