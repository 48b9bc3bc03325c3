/* What every topology and every kind of fabric has to keep, whatever it is: rows that are added are tested here. */
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/seed.hpp"

extern "C" {
#include "model/fabric/fabric.h"
#include "model/fabric/parts.h"
#include "model/fabric/slow_links.h"
#include "model/fabric/topologies.h"
#include "model/fabric/topology_generator.h"
#include "model/fabric/topology_parameters.h"
}

namespace
{

using Fabric = std::unique_ptr<ss_fabric, void (*)(ss_fabric *)>;
using Route = std::vector<int32_t>;

ss_topology_design design_of(ss_fabric_kind kind, int64_t gpus, int64_t domain, int64_t nics)
{
  ss_topology_request request = {};
  request.kind = kind;
  request.gpus = gpus;
  request.domain_size = domain;
  request.nics_per_domain = nics;
  if (ss_fabric_kind_takes(kind) & SS_TAKES(RADIX)) request.size[SS_DESIGN_RADIX] = 16; /* several switches */
  ss_topology_design design = {};
  ss_error error = {};
  EXPECT_EQ(ss_topology_generate(&request, &design, &error), SS_OK) << error.file << ": " << error.message;
  return design;
}

ss_machine machine_of(const ss_topology_design &design, ss_sharing sharing)
{
  ss_machine machine;
  ss_machine_init(&machine);
  std::snprintf(machine.name, sizeof machine.name, "test");
  machine.gpus = design.domains * design.domain_size;
  machine.domain_size = design.domain_size;
  machine.nics_per_domain = design.nics_per_domain;
  machine.rail_domains = design.rail_domains;
  machine.nvlink_efficiency = machine.fabric_efficiency = 1;
  machine.nvlink_bytes_per_s = machine.zone_nvlink_bytes_per_s = 300e9;
  machine.fabric_bytes_per_s = machine.zone_fabric_bytes_per_s = 25e9;
  machine.shape = design.shape;
  machine.shape.sharing = sharing;
  return machine;
}

/* All kinds, in a few sizes, with a link for each direction and with one for both. */
std::vector<ss_machine> machines()
{
  std::vector<ss_machine> all;
  for (int kind = 0; kind < SS_FABRIC_KIND_COUNT; ++kind)
    for (const auto &[gpus, domain, nics] : {std::array<int64_t, 3>{2, 1, 1}, {24, 2, 2}, {48, 4, 2}, {32, 2, 4}})
      for (const ss_sharing sharing : {SS_SHARING_SPLITDUPLEX, SS_SHARING_SHARED})
        all.push_back(machine_of(design_of((ss_fabric_kind)kind, gpus, domain, nics), sharing));
  return all;
}

Fabric lay_out(const ss_machine &machine)
{
  ss_error error = {};
  ss_fabric *fabric = nullptr;
  EXPECT_EQ(ss_fabric_create(&fabric, &machine, &error), SS_OK) << error.message;
  return {fabric, ss_fabric_destroy};
}

std::string name_of(const Fabric &fabric, int64_t link)
{
  char name[SS_LINK_NAME_SIZE];
  ss_fabric_name(fabric.get(), link, name);
  return name;
}

int64_t nics_of(const ss_machine &machine)
{
  return machine.gpus / machine.domain_size * machine.nics_per_domain;
}

Route route_of(const Fabric &fabric, int64_t from, int64_t to)
{
  std::array<int32_t, SS_ROUTE_LINKS_MAX> link{};
  const int count = ss_fabric_route(fabric.get(), true, from, to, link.data());
  return {link.begin(), link.begin() + count};
}

bool is_alive(const Fabric &fabric, const Route &route)
{
  return std::all_of(route.begin(), route.end(),
                     [&](int32_t link) { return ss_fabric_bytes_per_s(fabric.get(), link) > 0; });
}

/* Links from one host to another over routers and live links, -1 where there is no route. */
int steps_between(const Fabric &fabric, const ss_router_methods &routers, int64_t from, int64_t to)
{
  const ss_shape &shape = fabric->machine->shape;
  const int64_t hosts = routers.hosts(&shape);
  const auto dead = [&](int64_t link) { return ss_fabric_bytes_per_s(fabric.get(), link) == 0; };
  const ss_link_class *host = &fabric->link_class[SS_LINK_CLASS_HOST];
  if (hosts > 0 && (dead(ss_link_class_link(host, from, 0, false)) || dead(ss_link_class_link(host, to, 0, true))))
    return -1;
  const int64_t first = hosts > 0 ? from / hosts : from, last = hosts > 0 ? to / hosts : to;
  std::vector<int> steps((size_t)(hosts > 0 ? fabric->hosts / hosts : fabric->hosts), -1);
  std::queue<int64_t> queue;
  steps.at((size_t)first) = 0;
  for (queue.push(first); !queue.empty(); queue.pop())
    for (int64_t i = 0; i < routers.degree(&shape); ++i) {
      int64_t link = -1;
      const int64_t there = routers.neighbour(fabric.get(), queue.front(), i, &link);
      if (there < 0 || dead(link) || steps.at((size_t)there) >= 0) continue;
      steps.at((size_t)there) = steps.at((size_t)queue.front()) + 1;
      queue.push(there);
    }
  return steps.at((size_t)last) < 0 ? -1 : steps.at((size_t)last) + (hosts > 0 ? 2 : 0);
}

/* A route over live links: that of the whole fabric where it is alive, otherwise the shortest one of the routers. */
void expect_routes(const ss_machine &machine, const Fabric &whole, const Fabric &fabric)
{
  const ss_router_methods *routers = ss_topology_methods_of(machine.shape.topology)->routers;
  for (int64_t from = 0; from < nics_of(machine); ++from)
    for (int64_t to = 0; to < nics_of(machine); ++to) {
      if (from == to) continue;
      const Route before = route_of(whole, from, to), route = route_of(fabric, from, to);
      ASSERT_TRUE(is_alive(fabric, route)) << from << " to " << to;
      if (is_alive(fabric, before)) {
        ASSERT_EQ(route, before) << from << " to " << to;
      } else if (routers != nullptr) {
        const int64_t source = ss_fabric_host(fabric.get(), from), end = ss_fabric_host(fabric.get(), to);
        ASSERT_EQ(static_cast<int>(route.size()), std::max(steps_between(fabric, *routers, source, end), 0))
            << from << " to " << to;
      }
    }
}

/* The links of a cable, or of the switch above one where there are so many, by number. */
std::set<int32_t> slow_links(const Fabric &fabric, int64_t link, int64_t switches = -1)
{
  ss_error error = {};
  ss_slow_links slow = {};
  EXPECT_EQ(switches < 0 ? ss_slow_links_of_cable(fabric.get(), link, &slow, &error)
                         : ss_slow_links_of_switch(fabric.get(), link, switches, &slow, &error),
            SS_OK);
  std::set<int32_t> all(slow.link, slow.link + slow.count);
  EXPECT_EQ(static_cast<int64_t>(all.size()), slow.count);
  ss_slow_links_free(&slow);
  return all;
}

/* The router to which a link leads, -1 where it does not start at this one. */
int64_t behind(const Fabric &fabric, const ss_router_methods &routers, int64_t router, int64_t link)
{
  for (int64_t i = 0; i < routers.degree(&fabric->machine->shape); ++i) {
    int64_t leaving = -1;
    const int64_t there = routers.neighbour(fabric.get(), router, i, &leaving);
    if (there >= 0 && leaving == link) return there;
  }
  return -1;
}

} // namespace

TEST(Topologies, HaveAllMethodsOfTheirParametersOrNone)
{
  for (int i = 0; i < SS_TOPOLOGY_COUNT; ++i) {
    const ss_topology_methods *methods = ss_topology_methods_of((ss_topology)i);
    const bool some = methods->form != nullptr;
    EXPECT_EQ(some, methods->noun != nullptr && methods->read != nullptr && methods->hosts != nullptr &&
                        methods->links != nullptr && methods->print != nullptr)
        << i;
    EXPECT_TRUE(some || methods->check == nullptr) << i;
    EXPECT_TRUE(methods->lay_out != nullptr && methods->route != nullptr) << i;
  }
}

TEST(FabricKinds, ReadTheShapesThatTheyTake)
{
  unsigned taken = 0;
  for (int i = 0; i < SS_FABRIC_KIND_COUNT; ++i) {
    const ss_fabric_methods *methods = ss_fabric_methods_of((ss_fabric_kind)i);
    taken |= methods->takes;
    EXPECT_EQ(methods->takes >> SS_DESIGN_SIZES != 0, methods->read_shape != nullptr) << i;
    EXPECT_TRUE(methods->generate != nullptr && methods->describe != nullptr && methods->bisection != nullptr) << i;
  }
  EXPECT_EQ(taken, (1u << SS_DESIGN_OPTIONS) - 1) << "an option that no kind takes";
  for (int option = SS_DESIGN_SIZES; option < SS_DESIGN_OPTIONS; ++option)
    for (const char *bad : {"", "no", "0", "1,", "1;;1", "1048577", "1,1;1,1;1,1;1;1", "1,1,1,1,1,1,1,1", " 4"}) {
      ss_topology_request request = {};
      ss_error error = {};
      EXPECT_EQ(ss_topology_read_shape((ss_design_option)option, bad, &request, &error), SS_ERROR_INPUT) << bad;
      EXPECT_EQ(std::string(error.file).rfind("--", 0), 0U) << error.file;
    }
}

/* What is generated has parameters that are read back as they are, and a description. */
TEST(FabricKinds, AreWrittenAndReadBack)
{
  for (int kind = 0; kind < SS_FABRIC_KIND_COUNT; ++kind) {
    SCOPED_TRACE(kind);
    const ss_topology_design design = design_of((ss_fabric_kind)kind, 48, 4, 4);
    char text[SS_DESIGN_TEXT_SIZE];
    ss_topology_describe(&design, text);
    EXPECT_EQ(std::string(text).rfind("12 domains of 4 GPUs with 4 NICs each: 48 GPUs, 48 NICs. ", 0), 0U) << text;
    EXPECT_GT(ss_topology_bisection(&design), 0.0);
    EXPECT_GE(design.hosts, design.nics);
    char parameters[SS_TOPOLOGY_TEXT_SIZE];
    ss_topology_print(&design.shape, parameters);
    EXPECT_EQ(parameters[0] == '\0', ss_topology_form(design.shape.topology) == nullptr);
    if (parameters[0] == '\0') continue;
    ss_shape shape = {};
    ss_error error = {};
    shape.topology = design.shape.topology;
    ASSERT_EQ(ss_topology_parse(parameters, design.hosts, &shape, &error), SS_OK) << error.message;
    char again[SS_TOPOLOGY_TEXT_SIZE];
    ss_topology_print(&shape, again);
    EXPECT_STREQ(again, parameters);
    EXPECT_EQ(ss_topology_parse(parameters, design.hosts + 1, &shape, &error), SS_ERROR_INPUT);
  }
}

/* Each link has a name of its own, by which link-speed finds it and no other. */
TEST(FabricKinds, NameTheirLinks)
{
  for (const ss_machine &machine : machines()) {
    const Fabric fabric = lay_out(machine);
    std::set<std::string> names;
    for (int64_t link = 0; link < ss_fabric_links(fabric.get()); ++link) {
      const std::string name = name_of(fabric, link);
      ASSERT_TRUE(names.insert(name).second) << name;
      ss_machine slow = machine;
      std::snprintf(slow.link_speed, sizeof slow.link_speed, "%s:0.5", name.c_str());
      const Fabric slowed = lay_out(slow);
      for (int64_t other = 0; other < ss_fabric_links(fabric.get()); ++other)
        ASSERT_EQ(ss_fabric_bytes_per_s(slowed.get(), other),
                  ss_fabric_bytes_per_s(fabric.get(), other) * (other == link ? 0.5 : 1.0))
            << name << " " << name_of(fabric, other);
    }
  }
}

TEST(FabricKinds, HaveARouteForEachPair)
{
  for (const ss_machine &machine : machines()) {
    const Fabric fabric = lay_out(machine);
    for (int64_t from = 0; from < nics_of(machine); ++from)
      for (int64_t to = 0; to < nics_of(machine); ++to) {
        if (from == to) continue;
        const Route route = route_of(fabric, from, to);
        ASSERT_FALSE(route.empty()) << from << " to " << to;
        ASSERT_EQ(std::set<int32_t>(route.begin(), route.end()).size(), route.size()) << from << " to " << to;
      }
  }
}

/* Each link of a route leaves the router that the one before has reached. */
TEST(FabricKinds, HaveRoutesFromRouterToRouter)
{
  for (const ss_machine &machine : machines()) {
    const Fabric fabric = lay_out(machine);
    const ss_router_methods *routers = ss_topology_methods_of(machine.shape.topology)->routers;
    if (routers == nullptr) continue;
    const int64_t hosts = routers->hosts(&machine.shape), end = hosts > 0 ? 1 : 0,
                  per_router = std::max<int64_t>(hosts, 1);
    for (int64_t from = 0; from < nics_of(machine); ++from)
      for (int64_t to = 0; to < nics_of(machine); ++to) {
        if (from == to) continue;
        const Route route = route_of(fabric, from, to);
        int64_t router = ss_fabric_host(fabric.get(), from) / per_router;
        for (auto link = route.begin() + end; link != route.end() - end && router >= 0; ++link)
          router = behind(fabric, *routers, router, *link);
        ASSERT_EQ(router, ss_fabric_host(fabric.get(), to) / per_router) << from << " to " << to;
      }
  }
}

/* A cable leads there and back, and has the name of its ends. */
TEST(Topologies, HaveRoutersThatAgreeOnTheirCables)
{
  for (const ss_machine &machine : machines()) {
    const Fabric fabric = lay_out(machine);
    const ss_router_methods *routers = ss_topology_methods_of(machine.shape.topology)->routers;
    if (routers == nullptr) continue;
    const int64_t hosts = std::max<int64_t>(routers->hosts(&machine.shape), 1);
    for (int64_t router = 0; router < fabric->hosts / hosts; ++router)
      for (int64_t i = 0; i < routers->degree(&machine.shape); ++i) {
        int64_t link = -1, back = -1;
        const int64_t there = routers->neighbour(fabric.get(), router, i, &link);
        if (there < 0 || there == router) continue;
        ASSERT_LT(there, fabric->hosts / hosts);
        bool returns = false;
        for (int64_t j = 0; j < routers->degree(&machine.shape); ++j)
          returns = returns || routers->neighbour(fabric.get(), there, j, &back) == router;
        ASSERT_TRUE(returns) << router << " to " << there;
        if (routers->link != nullptr) {
          ASSERT_EQ(routers->link(fabric.get(), router, there), link) << router << " to " << there;
        }
      }
  }
}

TEST(FabricKinds, GoAroundDeadLinks)
{
  std::mt19937 random(1 + stepsim::seed);
  for (const ss_machine &machine : machines()) {
    const Fabric whole = lay_out(machine);
    const int64_t first = 2 * machine.gpus, links = ss_fabric_links(whole.get()) - first;
    for (int round = 0; round < 12; ++round) {
      std::set<std::string> dead;
      for (int i = 0; i <= round / 2; ++i) dead.insert(name_of(whole, first + static_cast<int64_t>(random()) % links));
      std::string speeds;
      for (const std::string &name : dead) speeds += name + ":0 ";
      SCOPED_TRACE(speeds);
      ss_machine damaged = machine;
      std::snprintf(damaged.link_speed, sizeof damaged.link_speed, "%s", speeds.c_str());
      const Fabric fabric = lay_out(damaged);
      ASSERT_NO_FATAL_FAILURE(expect_routes(damaged, whole, fabric));
    }
  }
}

/* Levels are those that cables are counted on, and each cable of a level is as many as there are on its level. */
TEST(FabricKinds, HaveTheLevelsThatAreCounted)
{
  for (const ss_machine &machine : machines()) {
    const Fabric fabric = lay_out(machine);
    const ss_fabric_parts parts = ss_fabric_parts_of(&machine);
    std::vector<std::set<std::set<int32_t>>> cables((size_t)parts.levels);
    for (int64_t link = 0; link < ss_fabric_links(fabric.get()); ++link) {
      const int level = ss_fabric_level_of(fabric.get(), link);
      ASSERT_EQ(level < 0, link < 2 * machine.gpus) << name_of(fabric, link);
      if (level >= 0) cables.at((size_t)level).insert(slow_links(fabric, link));
    }
    for (int level = 0; level < parts.levels; ++level) {
      const auto bundles = static_cast<int64_t>(cables.at((size_t)level).size());
      EXPECT_EQ(bundles, ss_fabric_level_bundles(fabric.get(), level));
      EXPECT_EQ(parts.level[level].cables % bundles, 0);
    }
  }
}

/* The switches above the links of a level are as many as are counted, and a link is at the one above it. */
TEST(FabricKinds, HaveTheSwitchesThatAreCounted)
{
  for (ss_machine machine : machines())
    for (const int64_t ports : {1, 48, 64}) {
      machine.switch_ports = ports;
      const Fabric fabric = lay_out(machine);
      const ss_fabric_parts parts = ss_fabric_parts_of(&machine);
      std::vector<std::set<std::set<int32_t>>> switches((size_t)parts.levels);
      for (int64_t link = 2 * machine.gpus; link < ss_fabric_links(fabric.get()); ++link) {
        const int level = ss_fabric_level_of(fabric.get(), link);
        const std::set<int32_t> at = slow_links(fabric, link, parts.level[level].switches);
        ASSERT_EQ(at.count(static_cast<int32_t>(link)), parts.level[level].switches > 0 ? 1U : 0U);
        if (!at.empty()) switches.at((size_t)level).insert(at);
      }
      for (int level = 0; level < parts.levels; ++level)
        EXPECT_EQ(static_cast<int64_t>(switches.at((size_t)level).size()), parts.level[level].switches) << ports;
    }
}

/* Four leaf switches of four NICs and two spines: a leaf has six cables, and a spine four, of two links each. As one
 * switch, all leaves have all 24 cables. On a grid of two rows and four columns with two NICs, a switch has cables to
 * two NICs, three in its row and one in its column. */
TEST(SlowLinks, AreThoseOfASwitch)
{
  ss_topology_design design = {};
  design.domains = 16;
  design.domain_size = design.nics_per_domain = 1;
  design.shape.topology = SS_TOPOLOGY_FAT_TREE;
  design.shape.as.fat_tree = {2, {4, 4}, {1, 2}, {1, 1}};
  const ss_machine of_tree = machine_of(design, SS_SHARING_SPLITDUPLEX);
  const Fabric tree = lay_out(of_tree);
  std::set<std::string> names;
  for (const int32_t link : slow_links(tree, 32 + 2 * 5, 4)) names.insert(name_of(tree, link));
  EXPECT_EQ(names, (std::set<std::string>{"nic-4:out", "nic-4:in", "nic-5:out", "nic-5:in", "nic-6:out", "nic-6:in",
                                          "nic-7:out", "nic-7:in", "leaf-1:up-0", "leaf-1:down-0", "leaf-1:up-1",
                                          "leaf-1:down-1"}));
  names.clear();
  for (const int32_t link : slow_links(tree, 64 + 3, 2)) names.insert(name_of(tree, link));
  EXPECT_EQ(names, (std::set<std::string>{"leaf-0:up-1", "leaf-0:down-1", "leaf-1:up-1", "leaf-1:down-1", "leaf-2:up-1",
                                          "leaf-2:down-1", "leaf-3:up-1", "leaf-3:down-1"}));
  EXPECT_EQ(slow_links(tree, 32, 1).size(), 48U);
  design.shape.topology = SS_TOPOLOGY_HYPERX;
  design.shape.as.hyperx = {2, 4, 1, 2};
  const ss_machine of_grid = machine_of(design, SS_SHARING_SPLITDUPLEX);
  const Fabric grid = lay_out(of_grid);
  EXPECT_EQ(slow_links(grid, 32, 8).size(), 12U);
}

/* Slow links are beside those that link-speed has, and change no others. */
TEST(SlowLinks, AreSlowerByTheirFactor)
{
  for (const ss_machine &machine : machines()) {
    const Fabric fabric = lay_out(machine);
    for (const double factor : {1.0, 0.5, 0.0}) {
      int32_t link[] = {0, static_cast<int32_t>(2 * machine.gpus)};
      const ss_slow_links slow = {factor, 2, link};
      ss_machine slower = machine;
      slower.slow_links = &slow;
      std::snprintf(slower.link_speed, sizeof slower.link_speed, "gpu-0:0.5");
      const Fabric slowed = lay_out(slower);
      for (int64_t other = 0; other < ss_fabric_links(fabric.get()); ++other) {
        const double named = other < 2 ? 0.5 : 1, listed = other == link[0] || other == link[1] ? factor : 1;
        ASSERT_EQ(ss_fabric_bytes_per_s(slowed.get(), other),
                  ss_fabric_bytes_per_s(fabric.get(), other) * named * listed);
      }
    }
  }
}
