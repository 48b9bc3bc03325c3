/* Flows that share links: max-min fair shares worked out by hand, and random flows that end when SimGrid says. */
#include <algorithm>

#include "tests/support/seed.hpp"
#include "tests/support/traffic.hpp"

extern "C" {
#include "sim/engine/network/fair_rates.h"
#include "sim/engine/network/flow_ends.h"
}

using namespace stepsim;

namespace
{

Path random_path(std::mt19937 &random, int links)
{
  Path path;
  for (int32_t link = 0; link < links; ++link)
    if (up_to(random, 3) == 1) path.push_back({link, up_to(random, 3)});
  if (path.empty()) path.push_back({0, 1});
  return path;
}

/* Over a few links in a row, so that most flows meet only through others. */
Path random_stretch(std::mt19937 &random, int links)
{
  Path path;
  const int first = up_to(random, links) - 1, hops = up_to(random, 3);
  for (int32_t link = first; link < links && link < first + hops; ++link) path.push_back({link, up_to(random, 2)});
  return path;
}

/* Some begin together and some by themselves, which ends some of those that are alone. */
std::vector<Sent> random_flows(std::mt19937 &random, Links &links, Path (*random_path)(std::mt19937 &, int), int most)
{
  std::vector<Sent> sent;
  double begin_s = 0;
  for (int i = up_to(random, most); i > 0; --i) {
    if (up_to(random, 2) == 1) begin_s += between(random, 0, 0.5);
    sent.push_back(
        sent_at(begin_s, between(random, 1e6, 1e9), links.path(random_path(random, (int)links.links.paths.links))));
  }
  return sent;
}

} // namespace

/* A port of 10 out of a leaf, or two; links up of some capacity; ports of 10 into another leaf. */
bool is_ample(double up_bytes_per_s, const std::vector<Path> &paths)
{
  Links links({10, 10, up_bytes_per_s, 10, 10});
  for (const Path &path : paths) (void)links.path(path);
  const auto ample = ample_of(links.links.paths);
  for (const Path &path : paths) EXPECT_FALSE(ample[(size_t)path.front().link] || ample[(size_t)path.back().link]);
  return ample[2];
}

/* Two ports of 10 bytes/s bring at most 20, whoever they send to, and as much ends at two; one port brings 10, whatever
 * goes there. A flow that stands for two, of which a port has one, brings twice what the port does; where it is two of
 * the port, too, as much. */
TEST(AmpleLinks, CarryWhatTheirPortsBring)
{
  const std::vector<Path> across = {{{0, 1}, {2, 1}, {3, 1}}, {{1, 1}, {2, 1}, {4, 1}}, {{0, 1}, {2, 1}, {4, 1}}};
  EXPECT_TRUE(is_ample(20, across));
  EXPECT_FALSE(is_ample(19.999, across));
  const std::vector<Path> to_one = {{{0, 1}, {2, 1}, {3, 1}}, {{1, 1}, {2, 1}, {3, 1}}};
  EXPECT_TRUE(is_ample(10, to_one));
  EXPECT_FALSE(is_ample(9.999, to_one));
  EXPECT_TRUE(is_ample(20, {{{0, 1}, {2, 2}, {3, 1}}}));
  EXPECT_FALSE(is_ample(19.999, {{{0, 1}, {2, 2}, {3, 1}}}));
  EXPECT_TRUE(is_ample(10, {{{0, 2}, {2, 2}, {3, 2}}}));
  EXPECT_TRUE(is_ample(5, {{{0, 2}, {2, 1}, {3, 2}}, {{0, 4}, {2, 1}, {3, 4}}}));
}

/* Of five links the paths cross the last one first, then the third, then the first. */
TEST(SharedFlows, PathsAreNarrowed)
{
  Links links({10, 20, 30, 40, 50});
  const int32_t path[] = {links.path({{4, 1}, {2, 3}}), links.path({{2, 1}}), links.path({{0, 1}, {4, 2}})};
  const Path expected[] = {{{0, 1}, {1, 3}}, {{1, 1}}, {{2, 1}, {0, 2}}};
  ss_link_paths narrow;
  ASSERT_EQ(ss_link_paths_narrow(&links.links.paths, nullptr, &narrow), SS_OK);
  ASSERT_EQ(narrow.links, 3);
  EXPECT_EQ(std::vector<double>(narrow.bytes_per_s, narrow.bytes_per_s + 3), std::vector<double>({50, 30, 10}));
  for (int i = 0; i < 3; ++i) {
    int64_t count;
    const ss_hop *hop = ss_link_paths_hops(&narrow, path[i], &count);
    ASSERT_EQ(count, (int64_t)expected[i].size());
    for (int64_t h = 0; h < count; ++h) {
      EXPECT_EQ(hop[h].link, expected[i][(size_t)h].link);
      EXPECT_EQ(hop[h].alike, expected[i][(size_t)h].alike);
    }
  }
  ss_link_paths_free(&narrow);
}

/* Flows 0 and 1 cross a link of 6 bytes/s, 1 and 2 one of 10, and 2 counts three times there: 1 and 2 have 10 / 4 each,
 * and 0 what 1 leaves of the first link. */
TEST(MaxMin, SharesWhatTheSlowestLeave)
{
  ss_max_min fair = {};
  ASSERT_EQ(ss_max_min_init(&fair, 2), SS_OK);
  fair.link[0] = {6, 2};
  fair.link[1] = {10, 4};
  fair.open[0] = 0;
  fair.open[1] = 1;
  fair.count = 2;
  EXPECT_DOUBLE_EQ(ss_max_min_fill(&fair), 2.5);
  ASSERT_EQ(fair.full, 1);
  EXPECT_EQ(fair.open[0], 1);
  ss_filled_link_settle(&fair.link[0], 1, 2.5);
  for (const int64_t alike : {1, 3}) ss_filled_link_settle(&fair.link[1], alike, 2.5);
  EXPECT_DOUBLE_EQ(ss_max_min_fill(&fair), 3.5);
  ASSERT_EQ(fair.full, 1);
  EXPECT_EQ(fair.open[0], 0);
  ss_max_min_free(&fair);
}

/* Flow 0 has 1 of the 2 bytes/s of a link, flow 1 the other, and flow 2 the 2 that flow 1 leaves of the next link, of
 * 3. When flow 0 ends, flow 1 gets faster, and flow 2 slower: 1.5 each. When flow 2 begins anew on a link of its own,
 * no other rate is looked at. */
TEST(FairRates, FindsThoseThatChange)
{
  Links links({2, 3, 4});
  const int32_t path[] = {links.path({{0, 1}}), links.path({{0, 1}, {1, 1}}), links.path({{1, 1}}),
                          links.path({{2, 2}})};
  ss_fair_rates rates = {};
  std::vector<ss_fair_flow> flow(4);
  ASSERT_EQ(ss_fair_rates_init(&rates, &links.links.paths), SS_OK);
  int64_t found = 0;
  const auto expect_rates = [&](const std::vector<double> &expected) {
    for (found = 0; ss_fair_rates_find_next(&rates); found += rates.members)
      for (int64_t m = 0; m < rates.members; ++m) rates.group[m]->bytes_per_s = rates.group[m]->found_bytes_per_s;
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(flow[i].bytes_per_s, expected[i]) << i;
  };
  for (size_t i = 0; i < 3; ++i) ss_fair_rates_enter(&rates, &flow[i], path[i]);
  expect_rates({1, 1, 2});
  ss_fair_rates_leave(&rates, &flow[0]);
  expect_rates({1, 1.5, 1.5});
  ss_fair_rates_enter(&rates, &flow[3], path[3]);
  expect_rates({1, 1.5, 1.5, 2});
  EXPECT_EQ(found, 1);
  ss_fair_rates_free(&rates);
}

/* Flow 0 has the 2 bytes/s of the narrower of its links to itself. Flow 1 comes upon it on the other one, of 3: each
 * has 1.5 of these, until flow 0 ends. Flow 1 has it to itself then, and nobody gets more when it ends. */
TEST(FairRates, KnowsWhoIsAlone)
{
  Links links({2, 3});
  const int32_t both = links.path({{0, 1}, {1, 1}}), second = links.path({{1, 1}});
  ss_fair_rates rates = {};
  ss_fair_flow flow[2] = {};
  ASSERT_EQ(ss_fair_rates_init(&rates, &links.links.paths), SS_OK);
  const auto find = [&rates] {
    while (ss_fair_rates_find_next(&rates))
      for (int64_t m = 0; m < rates.members; ++m) rates.group[m]->bytes_per_s = rates.group[m]->found_bytes_per_s;
  };
  EXPECT_TRUE(ss_fair_rates_enter_alone(&rates, &flow[0], both));
  EXPECT_FALSE(ss_fair_rates_find_next(&rates));
  EXPECT_DOUBLE_EQ(flow[0].bytes_per_s, 2);
  EXPECT_FALSE(ss_fair_rates_enter_alone(&rates, &flow[1], second));
  ss_fair_rates_enter(&rates, &flow[1], second);
  find();
  EXPECT_DOUBLE_EQ(flow[0].bytes_per_s, 1.5);
  EXPECT_DOUBLE_EQ(flow[1].bytes_per_s, 1.5);
  EXPECT_FALSE(ss_fair_rates_leave_alone(&rates, &flow[0]));
  ss_fair_rates_leave(&rates, &flow[0]);
  find();
  EXPECT_DOUBLE_EQ(flow[1].bytes_per_s, 3);
  EXPECT_TRUE(ss_fair_rates_leave_alone(&rates, &flow[1]));
  EXPECT_FALSE(ss_fair_rates_find_next(&rates));
  ss_fair_rates_free(&rates);
}

/* Ends are taken by time, and those of one time in their order: however they were put there, moved or forgotten. More
 * times than are kept in mind make two instants of one time. */
TEST(FlowEnds, ComeInTheirOrder)
{
  ss_flow_ends queue = {};
  std::vector<ss_flow_end> end(2000);
  EXPECT_TRUE(std::isinf(ss_flow_ends_next_s(&queue)));
  for (size_t i = 0; i < end.size(); ++i) end[i].order = (int64_t)(i * 7 % end.size());
  const auto time_of = [](int64_t order) { return (double)(order * 31 % 500); };
  for (ss_flow_end &one : end) ss_flow_ends_set(&queue, &one, 1000.0 - time_of(one.order));
  for (ss_flow_end &one : end) ss_flow_ends_set(&queue, &one, time_of(one.order));
  for (size_t i = 0; i < 10; ++i) ss_flow_ends_forget(&queue, &end[i]);
  double before_s = -1.0;
  int64_t before = -1;
  for (size_t left = end.size() - 10; left > 0; --left) {
    const double time_s = ss_flow_ends_next_s(&queue);
    ss_flow_end *next = ss_flow_ends_next(&queue);
    EXPECT_EQ(time_s, time_of(next->order));
    EXPECT_TRUE(time_s > before_s || (time_s == before_s && next->order > before)) << next->order;
    before_s = time_s;
    before = next->order;
    ss_flow_ends_forget(&queue, next);
  }
  EXPECT_EQ(queue.count, 0);
  ss_flow_ends_free(&queue);
}

/* Of 8 bytes each over a link of 2 bytes/s, the first has 1 s alone, then half of the link: 2 + 1 * 6 in 7 s; the other
 * has sent 6 by then and goes on alone. The same where SimGrid carries both. */
TEST(SharedFlows, ShareALink)
{
  Links links({2});
  const std::vector<Sent> sent = {sent_at(0, 8, links.path({{0, 1}})), sent_at(1, 8, links.path({{0, 1}}))};
  for (const ss_flow_mode flows : {SS_FLOWS_SHARED, SS_FLOWS_SIMULATED}) {
    const std::vector<double> end_s = ends(links, sent, flows);
    expect_close(end_s[0], 7, 1e-9);
    expect_close(end_s[1], 8, 1e-9);
  }
}

/* Flow 0 has 1 of the 2 bytes/s of a link, flow 1 the other, and flow 2 the 2 that flow 1 leaves of the next link, of
 * 3. When flow 0 ends after 1 s, flow 1 gets faster, and flow 2 slower, on whose link nobody has begun or ended: 1.5
 * each. Flow 1 has sent 1 + 1.5 * 2 in 3 s, flow 2 has sent 2 + 3, and the last 3 alone. */
TEST(SharedFlows, ShareAnewWhatOthersGetMoreOf)
{
  Links links({2, 3});
  const std::vector<Sent> sent = {sent_at(0, 1, links.path({{0, 1}})), sent_at(0, 4, links.path({{0, 1}, {1, 1}})),
                                  sent_at(0, 8, links.path({{1, 1}}))};
  const std::vector<double> end_s = ends(links, sent, SS_FLOWS_SHARED);
  const double expected_s[] = {1, 3, 4};
  for (size_t i = 0; i < sent.size(); ++i) expect_close(end_s[i], expected_s[i], 1e-9);
}

/* Random links, paths, sizes and times: whoever shares out the links. */
void expect_ends_of_simgrid(std::mt19937 &random, Path (*path)(std::mt19937 &, int), int most_links, int most_flows)
{
  std::vector<double> bytes_per_s((size_t)up_to(random, most_links));
  for (double &link : bytes_per_s) link = up_to(random, 2) == 1 ? 1e9 : between(random, 2e8, 4e9);
  Links links(bytes_per_s);
  const std::vector<Sent> sent = random_flows(random, links, path, most_flows);
  const std::vector<double> simulated = ends(links, sent, SS_FLOWS_SIMULATED);
  const std::vector<double> shared = ends(links, sent, SS_FLOWS_SHARED);
  for (size_t i = 0; i < sent.size(); ++i) expect_close(shared[i], simulated[i], 1e-9);
}

TEST(SharedFlows, EndFlowsWhenSimGridDoes)
{
  std::mt19937 random(41 + seed);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    expect_ends_of_simgrid(random, random_path, 8, 24);
  }
}

/* Leaves of three ports out and three in, and links between them that are short or not. */
TEST(AmpleLinks, ChangeNoRate)
{
  enum { PORTS = 6, UPS = 2 };
  std::mt19937 random(47 + seed);
  int64_t found = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<double> bytes_per_s(2 * PORTS + UPS * UPS, 1e9);
    for (size_t up = 2 * PORTS; up < bytes_per_s.size(); ++up) bytes_per_s[up] = up_to(random, 4) * 1e9;
    Links links(bytes_per_s);
    const std::vector<Sent> sent = random_flows(
        random, links,
        [](std::mt19937 &r, int) -> Path {
          const int32_t from = up_to(r, PORTS) - 1, to = up_to(r, PORTS) - 1;
          const int32_t up = 2 * PORTS + from / 3 * UPS + to / 3, alike = up_to(r, 2);
          return {{from, alike}, {up, alike}, {PORTS + to, alike}};
        },
        40);
    const auto ample = ample_of(links.links.paths);
    found += std::count(ample.get(), ample.get() + bytes_per_s.size(), true);
    const std::vector<double> all = ends(links, sent, SS_FLOWS_SIMULATED);
    const std::vector<double> without = ends(links, sent, SS_FLOWS_SHARED, true);
    for (size_t i = 0; i < sent.size(); ++i) expect_close(without[i], all[i], 1e-9);
  }
  EXPECT_GT(found, 60);
}

TEST(SharedFlows, EndFlowsWhenSimGridDoesAlongALine)
{
  std::mt19937 random(43 + seed);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    expect_ends_of_simgrid(random, random_stretch, 40, 160);
  }
}
