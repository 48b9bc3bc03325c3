/* What a pass and the data stream take from each other, against shares worked out by hand. */
#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/estimate/shared_links.h"
#include "model/estimate/streams.h"
}

using namespace stepsim;

namespace
{

/* Forward of a block that does nothing for 1 s but exchange over NICs, with so many flows on each. */
ss_kind_time exchange_of(double flows)
{
  ss_kind_time time = {};
  time.run_s[SS_PASS_FORWARD] = time.delay_s[SS_PASS_FORWARD] = 1.0;
  time.shared_s[SS_PASS_FORWARD] = 1.0 / flows;
  ss_kind_time_find_beside(&time);
  return time;
}

/* Beside a ring that takes so long by itself. */
void expect_losses(double flows, double ring_s, double exchange_ends_s, double ring_ends_s)
{
  const ss_kind_time time = exchange_of(flows);
  ss_streams streams = {0.0, ring_s, INFINITY};
  const ss_loss lost = ss_streams_loss(&streams, &time, SS_PASS_FORWARD, true);
  EXPECT_DOUBLE_EQ(1.0 + lost.shared_s, exchange_ends_s);
  EXPECT_DOUBLE_EQ(streams.data_s, ring_ends_s);
}

} // namespace

/* A ring has 1 / (k + 1) of a NIC beside k flows. If it is done before the exchange, at (k + 1) r, the exchange ends as
 * much later as the ring takes by itself, since together they move as many bytes; if not, the exchange takes
 * (k + 1) / k of its time, and the ring, which is 1 / k ahead by then, ends 1 s later. */
TEST(Streams, FlowsHaveEqualShares)
{
  expect_losses(1.0, 0.25, 1.25, 0.5);
  expect_losses(4.0, 0.1, 1.1, 0.5);
  expect_losses(4.0, 0.2, 1.2, 1.0);
  for (const double flows : {1.0, 2.0, 4.0}) expect_losses(flows, 1.5, 1.0 + 1.0 / flows, 2.5);
}

/* A message of 1 s that leaves while a ring is busy for b seconds more has half of the NIC as long as both are on it:
 * the one that is done first by itself, after min(b, 1), is done at twice that, and the other as much later than by
 * itself. What the ring has gathered by then is late by as much of it. Collectives that use NICs for a share d of their
 * time meet it for that share only. */
TEST(Streams, MessagesMeetRings)
{
  for (const double busy_s : {0.0, 0.5, 1.0, 3.0})
    for (const double share : {0.0, 0.5, 1.0}) {
      ss_walk walk = {};
      double first_s[1] = {0.0};
      walk.first_s = first_s;
      walk.compute_s = 2.0;
      walk.data_s = 2.0 + busy_s;
      walk.data_nic = share;
      walk.data_margin_s = INFINITY;
      const double lost_s = ss_share_with_message(&walk, 1.0);
      EXPECT_DOUBLE_EQ(lost_s, share * std::min(busy_s, 1.0));
      EXPECT_DOUBLE_EQ(walk.data_s, 2.0 + busy_s + lost_s);
      EXPECT_DOUBLE_EQ(walk.compute_s, 2.0);
    }
}
