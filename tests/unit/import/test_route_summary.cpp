/* What routes of a platform make of its links, counted by hand. */
#include "tests/support/forwarding.hpp"
#include "tests/support/inputs.hpp"

extern "C" {
#include "model/fabric/route_summary.h"
}

using namespace stepsim;

/* Four leaves of four NICs below two switches. All that leaves leaf 0 goes over the first switch: 12 destinations,
 * where by destination each of two cables has the six of its parity. The other leaves' cables still have six: 6 on
 * average. Down to another leaf the first switch has its four NICs, two of them from leaf 0 only, and the second has
 * two: with two and two to leaf 0, 22 on eight cables. Four NICs send to six others, those with odd numbers, another
 * way. */
TEST(RouteSummary, OfALeafThatSendsAllOverOneSwitch)
{
  ss_machine machine;
  ASSERT_EQ(load_machine(perlmutter, &machine), "accepted");
  machine.shape.as.fat_tree = {2, {4, 4}, {1, 2}, {1, 1}};
  Forwarding tables(machine);
  for (int64_t nic = 4; nic < 16; ++nic) tables.add("leaf-0:0", nic);
  machine.forwarding = tables.sorted();
  ss_route_summary summary;
  ss_error error = {};
  ASSERT_EQ(ss_route_summary_make(&machine, &summary, &error), SS_OK);
  EXPECT_EQ(summary.entries, 12);
  EXPECT_EQ(summary.pairs, 240);
  EXPECT_EQ(summary.others, 24);
  ASSERT_EQ(summary.kinds, 2);
  const ss_route_links &up = summary.kind[0], &down = summary.kind[1];
  EXPECT_STREQ(up.busiest, "leaf-0:up-0");
  EXPECT_EQ(up.most, 12);
  EXPECT_EQ(up.most_by_rule, 6);
  EXPECT_EQ(up.mean, 6.0);
  EXPECT_STREQ(down.busiest, "leaf-1:down-0");
  EXPECT_EQ(down.most, 4);
  EXPECT_EQ(down.most_by_rule, 2);
  EXPECT_EQ(down.mean, 2.75);
}
