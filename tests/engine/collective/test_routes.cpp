/* The flows of every algorithm: what they put on the busiest link of each phase is what the closed form says, and every
 * rank gets what it has to get. */
#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/fixtures.hpp"
#include "tests/support/methods.hpp"

extern "C" {
#include "model/collective/route.h"
}

using namespace stepsim;

namespace
{

constexpr double kVolume = 800e6;

struct Layout {
  int domain, nics;
};

ss_machine machine_of(Layout layout, int switches)
{
  PlatformSpec spec;
  spec.domain = layout.domain;
  spec.nics = layout.nics;
  spec.gpus = 16 * layout.domain;
  ss_machine machine = make_machine(spec);
  machine.nvlink_reduces = switches & 1;
  machine.fabric_reduces = switches >> 1;
  return machine;
}

/* The first GPUs of each of some domains. */
std::vector<int32_t> group_of(const ss_machine &machine, int64_t domains, int64_t local)
{
  std::vector<int32_t> gpus;
  for (int64_t domain = 0; domain < domains; ++domain)
    for (int64_t place = 0; place < local; ++place) gpus.push_back((int32_t)(domain * machine.domain_size + place));
  return gpus;
}

ss_network network_of(const ss_machine &machine)
{
  const ss_workload workload = make_workload();
  return ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
}

/* A route, freed with the object. */
struct Route {
  Route(const ss_machine &machine, ss_method method, std::vector<int32_t> gpus)
  {
    const ss_network network = network_of(machine);
    EXPECT_EQ(ss_route_add(&route, &machine, &network, method, gpus.data(), (int64_t)gpus.size()), SS_OK);
  }
  ~Route()
  {
    ss_route_free(&route);
  }
  Route(const Route &) = delete;
  Route &operator=(const Route &) = delete;
  ss_route route = {};
};

/* Bytes by port: out of and into GPUs and NICs. */
struct Ports {
  std::map<int32_t, double> nvlink_out, nvlink_in, nic_out, nic_in;
};

Ports ports_of(const ss_route &route, int phase)
{
  Ports ports;
  for (int64_t i = 0; i < route.count; ++i) {
    const ss_flow &flow = route.flow[i];
    if (phase >= 0 && flow.phase != phase) continue;
    (flow.fabric ? ports.nic_out : ports.nvlink_out)[flow.from] += flow.share * kVolume;
    (flow.fabric ? ports.nic_in : ports.nvlink_in)[flow.to] += flow.share * kVolume;
  }
  return ports;
}

double busiest(const std::map<int32_t, double> &out, const std::map<int32_t, double> &in)
{
  double most = 0;
  for (const auto *ports : {&out, &in})
    for (const auto &[port, bytes] : *ports) most = std::max(most, bytes);
  return most;
}

/* Calls `look` with every method over every group that it takes. */
template <typename Look> void for_all(const ss_machine &machine, Look look)
{
  for (const ss_method method : all_methods())
    for (const int64_t domains : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16})
      for (int64_t local = 1; local <= machine.domain_size; local *= 2) {
        const ss_span span = {domains * local, domains, local, {}, {}};
        if (span.size < 2 || !ss_method_takes(method, span.size)) continue;
        SCOPED_TRACE(testing::Message() << "collective " << method.kind << ", algorithm " << method.algorithm << ", "
                                        << domains << " domains of " << local);
        look(method, span);
      }
}

} /* namespace */

TEST(Routes, PutOnTheLinksWhatTheClosedFormSays)
{
  for (const Layout layout : {Layout{4, 4}, Layout{8, 4}, Layout{4, 8}, Layout{4, 1}})
    for (int switches = 0; switches < 4; ++switches) {
      const ss_machine machine = machine_of(layout, switches);
      const ss_network network = network_of(machine);
      for_all(machine, [&](ss_method method, ss_span span) {
        const Route made(machine, method, group_of(machine, span.domains, span.per_domain));
        ASSERT_EQ(made.route.phases, ss_collective_phases(method, span));
        for (int phase = 0; phase < made.route.phases; ++phase) {
          const Ports ports = ports_of(made.route, phase);
          const double nvlink_s = busiest(ports.nvlink_out, ports.nvlink_in) / network.nvlink_bytes_per_s;
          const double fabric_s = busiest(ports.nic_out, ports.nic_in) / network.fabric_bytes_per_s;
          const double expected_s = ss_collective_phase(&network, method, span, kVolume, phase).transfer_s;
          EXPECT_GT(expected_s, 0);
          expect_close(std::max(nvlink_s, fabric_s), expected_s, 1e-12);
        }
      });
    }
}

/* Of a gather or a reduce-scatter, every rank gets (n - 1)/n of the volume from others, of an all-reduce that and its
 * own part of all others' sums; each domain gets its part of that from outside. */
TEST(Routes, BringEveryRankWhatItMisses)
{
  const ss_machine machine = machine_of({4, 4}, 0);
  for_all(machine, [&](ss_method method, ss_span span) {
    if (method.kind == SS_BROADCAST || method.kind == SS_REDUCE || method.kind >= SS_ALL_TO_ALL) return;
    const Route made(machine, method, group_of(machine, span.domains, span.per_domain));
    const Ports all = ports_of(made.route, -1);
    const double passes = method.kind == SS_ALL_REDUCE ? 2 : 1, n = (double)span.size;
    const double due = passes * (n - 1) / n * kVolume;
    const double domains = (double)span.domains, due_outside = passes * (domains - 1) / domains * kVolume;
    double sum = 0, outside = 0;
    for (const auto &[gpu, bytes] : all.nvlink_in) sum += bytes;
    for (const auto &[nic, bytes] : all.nic_in) outside += bytes;
    EXPECT_GE((sum + outside) * (1 + 1e-12), n * due);
    EXPECT_GE(outside * (1 + 1e-12), domains * due_outside);
    if (method.algorithm == SS_ALGORITHM_HALVING || method.algorithm == SS_ALGORITHM_HIERARCHICAL)
      for (const int32_t gpu : group_of(machine, span.domains, span.per_domain)) {
        const auto nvlink = all.nvlink_in.find(gpu), nic = all.nic_in.find(gpu); /* its NIC has its number */
        const double got =
            (nvlink != all.nvlink_in.end() ? nvlink->second : 0) + (nic != all.nic_in.end() ? nic->second : 0);
        expect_close(got, due, 1e-12);
      }
  });
}

/* Every domain reaches every other one over each of the two trees, and is a leaf of one of them. */
TEST(Routes, TreesSpanTheDomains)
{
  const ss_machine machine = machine_of({4, 4}, 0);
  for (int64_t domains = 2; domains <= 16; ++domains) {
    const Route made(machine, {SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, group_of(machine, domains, 1));
    ASSERT_EQ(made.route.count, 4 * (domains - 1));
    for (int tree = 0; tree < 2; ++tree) {
      std::vector<int64_t> root(domains), neighbours(domains, 0);
      for (int64_t i = 0; i < domains; ++i) root[i] = i;
      for (int64_t i = 0; i < 2 * (domains - 1); ++i) {
        const ss_flow &flow = made.route.flow[tree * 2 * (domains - 1) + i];
        const int64_t from = root[flow.from / 4], to = root[flow.to / 4];
        EXPECT_EQ(flow.share, 0.5);
        neighbours[flow.from / 4]++;
        std::replace(root.begin(), root.end(), from, to);
      }
      EXPECT_EQ(std::count(root.begin(), root.end(), root[0]), domains);
      EXPECT_LE(*std::max_element(neighbours.begin(), neighbours.end()), 3);
    }
  }
}

/* Groups that lie over domains in different ways: the route has the phases of the one that has most, none of them
 * empty, and every flow has one of them; its span is that of the slowest. */
TEST(Routes, OfUnlikeGroupsHaveAllTheirPhases)
{
  const ss_machine machine = machine_of({4, 4}, 3);
  const ss_network network = network_of(machine);
  std::vector<int32_t> groups[] = {{0, 1, 4, 5}, {8, 12, 16, 20}, {24, 25, 26, 28}, {32, 33, 34, 35}, {36, 40, 44, 45}};
  for (const ss_method method : all_methods()) {
    ss_route route = {};
    for (std::vector<int32_t> group : groups)
      EXPECT_EQ(ss_route_add(&route, &machine, &network, method, group.data(), (int64_t)group.size()), SS_OK);
    EXPECT_TRUE(route.uneven);
    const auto time_s = [&](ss_span span) { return ss_comm_time_sum(ss_method_time(&network, method, span, 1e9)); };
    for (std::vector<int32_t> &group : groups)
      EXPECT_LE(time_s(ss_span_of(group.data(), 4, 4, &network.lattice)), time_s(route.span));
    std::vector<int64_t> flows((size_t)route.phases, 0);
    for (int64_t i = 0; i < route.count; ++i) {
      ASSERT_LT(route.flow[i].phase, route.phases);
      EXPECT_GT(route.flow[i].share, 0);
      flows[(size_t)route.flow[i].phase]++;
    }
    for (const int64_t count : flows) EXPECT_GT(count, 0);
    ss_route_free(&route);
  }
}

/* Sorted, each phase has the flows that it had, in their order. */
TEST(Routes, AreSortedByPhase)
{
  const ss_machine machine = machine_of({4, 4}, 3);
  const ss_network network = network_of(machine);
  for (const ss_method method : all_methods()) {
    ss_route route = {};
    for (std::vector<int32_t> group : {std::vector<int32_t>{0, 1, 4, 5}, {8, 12, 16, 20}, {32, 33, 34, 35}})
      EXPECT_EQ(ss_route_add(&route, &machine, &network, method, group.data(), (int64_t)group.size()), SS_OK);
    const std::vector<ss_flow> before(route.flow, route.flow + route.count);
    ASSERT_EQ(ss_route_sort(&route), SS_OK);
    ASSERT_EQ(route.count, (int64_t)before.size());
    int64_t next = 0;
    for (int phase = 0; phase < route.phases; ++phase) {
      EXPECT_EQ(ss_route_first(&route, phase), next);
      for (const ss_flow &flow : before) {
        if (flow.phase != phase) continue;
        EXPECT_EQ(route.flow[next].from, flow.from);
        EXPECT_EQ(route.flow[next].to, flow.to);
        EXPECT_EQ(route.flow[next++].phase, phase);
      }
    }
    EXPECT_EQ(next, route.count);
    EXPECT_EQ(ss_route_first(&route, route.phases), route.count);
    ss_route_free(&route);
  }
}

/* 256 ranks, a NIC each: in every step each rank sends once and gets once, and in the end each has sent to all others.
 */
TEST(Routes, PairwiseMeetsEveryPairOnce)
{
  const ss_machine machine = machine_of({16, 16}, 0);
  const Route made(machine, {SS_ALL_TO_ALL, SS_ALGORITHM_PAIRWISE}, group_of(machine, 16, 16));
  ASSERT_EQ(made.route.phases, 255);
  ASSERT_EQ(made.route.count, 255 * 256);
  std::map<std::pair<int32_t, int32_t>, int> sent, out, in;
  for (int64_t i = 0; i < made.route.count; ++i) {
    const ss_flow &flow = made.route.flow[i];
    EXPECT_EQ(flow.share, 1.0 / 256);
    EXPECT_EQ(flow.to, (flow.from + flow.phase + 1) % 256);
    EXPECT_EQ(flow.fabric, flow.from / 16 != flow.to / 16);
    sent[{flow.from, flow.to}]++;
    out[{flow.phase, flow.from}]++;
    in[{flow.phase, flow.to}]++;
  }
  for (const auto *seen : {&sent, &out, &in}) {
    EXPECT_EQ(seen->size(), (size_t)(255 * 256));
    for (const auto &[key, times] : *seen) EXPECT_EQ(times, 1);
  }
}

TEST(Routes, OfOneRankAreEmpty)
{
  const ss_machine machine = machine_of({4, 4}, 0);
  const Route made(machine, {SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, {3});
  EXPECT_EQ(made.route.count, 0);
  EXPECT_EQ(made.route.span.size, 1);
}
