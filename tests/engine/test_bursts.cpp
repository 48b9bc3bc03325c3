/* Bursts: flows that begin together and go as one thing while nobody else is on their links. */
#include "tests/support/seed.hpp"
#include "tests/support/traffic.hpp"

extern "C" {
#include "sim/engine/network/bursts.h"
}

using namespace stepsim;

namespace
{

enum { RANKS = 6 };

/* NICs of `RANKS` ranks, out and then in, of 4 bytes/s; then their NVLink ports, of 10. Or so many times that. */
std::vector<double> ports(double times = 1)
{
  std::vector<double> bytes_per_s(4 * RANKS, 4 * times);
  std::fill(bytes_per_s.begin() + 2 * RANKS, bytes_per_s.end(), 10 * times);
  return bytes_per_s;
}

/* Each rank sends to the next ones over NICs, to one over NVLink: shares of what goes that way. */
Sent exchange(Links &links, double begin_s, double bytes, const std::vector<int32_t> &ahead, double nvlink_share,
              int32_t first = 0, int32_t ranks = RANKS)
{
  Sent sent = {begin_s, bytes, {}};
  for (int32_t rank = 0; rank < ranks; ++rank) {
    const int32_t next = first + (rank + 1) % ranks;
    for (int32_t by : ahead) {
      const int32_t to = first + (rank + by) % ranks;
      sent.flow.push_back(flow_over(links.path({{first + rank, 1}, {RANKS + to, 1}}), 1.0 / (double)ahead.size()));
    }
    sent.flow.push_back(flow_over(links.path({{2 * RANKS + first + rank, 1}, {3 * RANKS + next, 1}}), nvlink_share));
  }
  return sent;
}

/* What is found of phases over links. */
class Found
{
public:
  Found(const Links &links, const std::vector<Sent> &sent) : zone((size_t)links.links.paths.links)
  {
    std::vector<ss_phase_flows> phases;
    for (const Sent &one : sent) phases.push_back(one.phase());
    EXPECT_EQ(ss_bursts_init(&bursts, &links.links.paths, phases.data(), (int64_t)phases.size(), zone.data()), SS_OK);
  }
  ~Found()
  {
    ss_bursts_free(&bursts);
  }
  Found(const Found &) = delete;
  Found &operator=(const Found &) = delete;

  ss_bursts bursts = {};
  std::vector<int32_t> zone;
};

} // namespace

/* Two flows out of each NIC and two into each have half of it each: half of the bytes at 2 bytes/s. 0.1 of them go over
 * NVLink at 10 bytes/s. These are two parts, which share no link; ranks of other exchanges have zones of their own. */
TEST(Bursts, AreParts)
{
  Links links(ports());
  const std::vector<Sent> sent = {exchange(links, 0, 1, {1, 2}, 0.1, 0, 3), exchange(links, 0, 1, {1}, 0.1, 3, 3)};
  const Found found(links, sent);
  ASSERT_EQ(found.bursts.count, 2);
  ASSERT_EQ(found.bursts.zones, 4);
  const ss_burst *burst = ss_bursts_find(&found.bursts, sent[0].flow.data());
  ASSERT_NE(burst, nullptr);
  ASSERT_EQ(burst->parts, 2);
  const ss_burst_part *part = &found.bursts.part[burst->first];
  EXPECT_DOUBLE_EQ(part[0].s_per_byte, 0.25);
  EXPECT_DOUBLE_EQ(part[1].s_per_byte, 0.01);
  EXPECT_EQ(part[0].count, 6);
  EXPECT_EQ(part[1].count, 3);
  EXPECT_EQ(found.zone[0], found.zone[RANKS + 2]);
  EXPECT_NE(found.zone[0], found.zone[3]);
  EXPECT_NE(found.zone[0], found.zone[2 * RANKS]);
  EXPECT_EQ(ss_bursts_find(&found.bursts, &sent[0].flow[1]), nullptr);
}

/* A flow that another one slows down, and that slows down a third, which is slowed by nobody else; parts on one link;
 * more different times than parts there may be. */
TEST(Bursts, AreEven)
{
  Links links({4, 4, 4, 4, 4, 4});
  const auto is_one = [&links](const std::vector<ss_flow> &flow) {
    return Found(links, {{0, 1, flow}}).bursts.count == 1;
  };
  const int32_t a = links.path({{0, 1}}), both = links.path({{0, 1}, {1, 1}}), b = links.path({{1, 1}});
  EXPECT_TRUE(is_one({flow_over(a), flow_over(both)}));
  EXPECT_FALSE(is_one({flow_over(a), flow_over(both), flow_over(b), flow_over(b)}));
  EXPECT_FALSE(is_one({flow_over(a), flow_over(a, 0.5)}));
  std::vector<ss_flow> apart;
  for (int32_t link = 0; link < 4; ++link) apart.push_back(flow_over(links.path({{link, 1}}), 1.0 / (1 + link)));
  EXPECT_TRUE(is_one(apart));
  apart.push_back(flow_over(links.path({{4, 1}}), 0.01));
  EXPECT_FALSE(is_one(apart));
}

/* Alone, an exchange of 8 bytes takes 2 s through the NICs. A message of 4 bytes that comes to a NIC after 1 s shares
 * it with two flows, 4/3 bytes/s each, until these have sent their other 2 bytes, and goes on alone: 1.5 s and 2 bytes,
 * 0.5 s and 2. All others of the exchange can go no faster. */
TEST(Bursts, GoOnOneByOne)
{
  Links links(ports());
  std::vector<Sent> sent = {exchange(links, 0, 8, {1, 2}, 0.1)};
  expect_close(ends(links, sent, SS_FLOWS_SHARED)[0], 2, 1e-9);
  sent.push_back(sent_at(1, 4, links.path({{0, 1}})));
  const std::vector<double> end_s = ends(links, sent, SS_FLOWS_SHARED);
  expect_close(end_s[0], 2.5, 1e-9);
  expect_close(end_s[1], 3, 1e-9);
}

/* Exchanges of two groups of ranks and of all, and messages of theirs, at random times: all end as they do one by one
 * on SimGrid. */
TEST(Bursts, EndWhenTheirFlowsDo)
{
  std::mt19937 random(53 + seed);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Links links(ports(1e8));
    std::vector<Sent> sent;
    double begin_s = 0;
    for (int i = up_to(random, 16); i > 0; --i) {
      if (up_to(random, 4) > 1) begin_s += between(random, 0, 2);
      const double bytes = between(random, 1e7, 1e9);
      const int32_t from = up_to(random, RANKS) - 1, to = up_to(random, RANKS) - 1;
      switch (up_to(random, 5)) {
      case 1: sent.push_back(exchange(links, begin_s, bytes, {1, 2, 5}, 0.1)); break;
      case 2: sent.push_back(exchange(links, begin_s, bytes, {1}, 3)); break;
      case 3: sent.push_back(exchange(links, begin_s, bytes, {1, 2}, 0.1, 0, 3)); break;
      case 4: sent.push_back(exchange(links, begin_s, bytes, {2}, 0.5, 3, 3)); break;
      default: sent.push_back(sent_at(begin_s, bytes, links.path({{from, 1}, {RANKS + to, 1}})));
      }
    }
    const std::vector<double> simulated = ends(links, sent, SS_FLOWS_SIMULATED);
    const std::vector<double> together = ends(links, sent, SS_FLOWS_SHARED);
    for (size_t i = 0; i < sent.size(); ++i) expect_close(together[i], simulated[i], 1e-9);
  }
}
