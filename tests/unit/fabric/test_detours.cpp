/* Routes around dead links, on many random sets of them: a route is a chain of links that are alive from one port to
 * the other, there is one exactly where a search of the test's own finds one, and where nothing is dead on it, it is
 * the one that the whole machine has. Where a link goes is read from its name. */
#include <array>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <sstream>

#include "tests/support/inputs.hpp"
#include "tests/support/seed.hpp"

extern "C" {
#include "model/fabric/fabric.h"
}

using namespace stepsim;

namespace
{

using Fabric = std::unique_ptr<ss_fabric, void (*)(ss_fabric *)>;

/* The end of a link: a host, switch or router. */
struct Link {
  std::string name, tail, head;
  bool up = false; /* away from the hosts of a tree */
};

std::string text_of(const std::string &level, const std::vector<int64_t> &digits)
{
  std::string text = level;
  for (const int64_t digit : digits) text += "," + std::to_string(digit);
  return text;
}

/* Little-endian digits of a number, each below its own limit. */
std::vector<int64_t> digits_of(int64_t number, const std::vector<int64_t> &limits)
{
  std::vector<int64_t> digits;
  for (const int64_t limit : limits) {
    digits.push_back(number % limit);
    number /= limit;
  }
  return digits;
}

/* Cables of a tree change one digit of a node, from which of the children it is to which of the switches above. */
Link tree_link(const ss_fat_tree &tree, const std::string &name, size_t level, int64_t node,
               const std::string &direction, int64_t port)
{
  std::vector<int64_t> limits;
  for (size_t i = 0; i < static_cast<size_t>(tree.levels); ++i) limits.push_back(i < level ? tree.up[i] : tree.down[i]);
  std::vector<int64_t> digits = digits_of(node, limits);
  const std::string below = text_of(std::to_string(level), digits);
  digits[level] = port % tree.up[level];
  const std::string above = text_of(std::to_string(level + 1), digits);
  const bool up = direction == "out" || direction == "up";
  return up ? Link{name, below, above, true} : Link{name, above, below, false};
}

Link torus_link(const ss_torus &torus, const std::string &name, int64_t node, const std::string &direction,
                size_t dimension)
{
  const std::vector<int64_t> sizes(torus.size, torus.size + torus.dimensions);
  std::vector<int64_t> digits = digits_of(node, sizes);
  const std::string here = text_of("0", digits);
  digits[dimension] = (digits[dimension] + 1) % sizes[dimension];
  const std::string next = text_of("0", digits);
  return direction == "up" ? Link{name, here, next, false} : Link{name, next, here, false};
}

Link dragonfly_link(const ss_dragonfly &fly, const std::string &name, const std::string &word, int64_t node,
                    const std::string &direction, int64_t port)
{
  const std::string host = text_of("0", {node}), router = "router" + std::to_string(node);
  const std::string own = "router" + std::to_string(node / fly.nodes);
  if (word == "router") return {name, router, "router" + std::to_string(port), false};
  return direction == "out" ? Link{name, host, own, false} : Link{name, own, host, false};
}

/* "leaf-2:up-3" */
Link link_of(const ss_shape &shape, const std::string &name)
{
  const size_t dash = name.find('-'), colon = name.find(':'), last = name.find('-', colon);
  const std::string word = name.substr(0, dash);
  const int64_t node = std::stoll(name.substr(dash + 1, colon - dash - 1));
  const std::string direction = name.substr(colon + 1, last == std::string::npos ? last : last - colon - 1);
  const int64_t port = last == std::string::npos ? 0 : std::stoll(name.substr(last + 1));
  if (shape.topology == SS_TOPOLOGY_TORUS)
    return torus_link(shape.as.torus, name, node, direction, static_cast<size_t>(port));
  if (shape.topology == SS_TOPOLOGY_DRAGONFLY)
    return dragonfly_link(shape.as.dragonfly, name, word, node, direction, port);
  const size_t level = word == "nic" ? 0 : word == "leaf" ? 1 : std::stoul(word.substr(5));
  return tree_link(shape.as.fat_tree, name, level, node, direction, port);
}

/* What a fabric looks like from its names. */
class Graph
{
public:
  Graph(const ss_machine &machine, const ss_fabric *fabric) : machine_(machine), fabric_(fabric)
  {
    for (int64_t i = 0; i < ss_fabric_links(fabric); ++i) {
      char name[SS_LINK_NAME_SIZE];
      ss_fabric_name(fabric, i, name);
      links_.push_back(i < 2 * machine.gpus ? Link{name, "", "", false} : link_of(machine.shape, name));
      if (i >= 2 * machine.gpus) leaving_[links_.back().tail].push_back(i);
    }
  }

  int64_t links() const
  {
    return static_cast<int64_t>(links_.size());
  }
  const std::string &name(int64_t link) const
  {
    return links_.at(static_cast<size_t>(link)).name;
  }

  std::string host(int64_t nic) const
  {
    if (machine_.shape.topology == SS_TOPOLOGY_FAT_TREE) {
      const ss_fat_tree &tree = machine_.shape.as.fat_tree;
      return text_of("0", digits_of(nic, {tree.down, tree.down + tree.levels}));
    }
    if (machine_.shape.topology == SS_TOPOLOGY_DRAGONFLY) return text_of("0", {nic});
    const ss_torus &torus = machine_.shape.as.torus;
    return text_of("0", digits_of(nic, {torus.size, torus.size + torus.dimensions}));
  }

  /* Steps from a NIC to all nodes over live links; in a tree no route goes up again. Other hosts of a dragonfly lead
   * nowhere. */
  std::map<std::string, int> reach(int64_t from) const
  {
    std::map<std::string, int> steps;
    std::map<std::string, bool> climbing;
    std::queue<std::string> queue;
    const bool tree = machine_.shape.topology == SS_TOPOLOGY_FAT_TREE;
    steps[host(from)] = 0;
    climbing[host(from)] = true;
    for (queue.push(host(from)); !queue.empty(); queue.pop()) {
      const std::string node = queue.front();
      const auto found = leaving_.find(node);
      if (found == leaving_.end()) continue;
      for (const int64_t index : found->second) {
        const Link &link = links_.at(static_cast<size_t>(index));
        if (ss_fabric_bytes_per_s(fabric_, index) == 0 || (tree && link.up && !climbing[node])) continue;
        if (!steps.emplace(link.head, steps[node] + 1).second) continue;
        climbing[link.head] = link.up;
        queue.push(link.head);
      }
    }
    return steps;
  }

  /* Whether the links lead from one NIC to the other, all alive. */
  bool leads(int64_t from, int64_t to, const std::vector<int32_t> &route) const
  {
    std::string node = host(from);
    for (const int32_t index : route) {
      const Link &link = links_.at(static_cast<size_t>(index));
      if (link.tail != node || ss_fabric_bytes_per_s(fabric_, index) == 0) return false;
      node = link.head;
    }
    return node == host(to);
  }

private:
  const ss_machine &machine_;
  const ss_fabric *fabric_;
  std::vector<Link> links_;
  std::map<std::string, std::vector<int64_t>> leaving_;
};

Fabric lay_out(const ss_machine &machine)
{
  ss_error error = {};
  ss_fabric *fabric = nullptr;
  EXPECT_EQ(ss_fabric_create(&fabric, &machine, &error), SS_OK) << error.message;
  return {fabric, ss_fabric_destroy};
}

std::vector<int32_t> route_of(const ss_fabric *fabric, int64_t from, int64_t to)
{
  std::array<int32_t, SS_ROUTE_LINKS_MAX> link{};
  const int count = ss_fabric_route(fabric, true, from, to, link.data());
  return {link.begin(), link.begin() + count};
}

bool all_alive(const ss_fabric *fabric, const std::vector<int32_t> &route)
{
  bool alive = true;
  for (const int32_t link : route) alive = alive && ss_fabric_bytes_per_s(fabric, link) > 0;
  return alive;
}

void expect_routes(const ss_machine &machine, const ss_fabric *whole, const ss_fabric *fabric)
{
  const Graph graph(machine, fabric);
  const bool shortest = machine.shape.topology != SS_TOPOLOGY_FAT_TREE;
  for (int64_t from = 0; from < machine.gpus; ++from) {
    const std::map<std::string, int> reached = graph.reach(from);
    for (int64_t to = 0; to < machine.gpus; ++to) {
      if (from == to) continue;
      const std::vector<int32_t> before = route_of(whole, from, to), route = route_of(fabric, from, to);
      const auto found = reached.find(graph.host(to));
      ASSERT_EQ(!route.empty(), found != reached.end() || all_alive(fabric, before)) << from << " to " << to;
      if (all_alive(fabric, before)) {
        ASSERT_EQ(route, before) << from << " to " << to;
      } else if (!route.empty()) {
        ASSERT_TRUE(graph.leads(from, to, route)) << from << " to " << to;
        const size_t length = shortest ? static_cast<size_t>(found->second) : before.size();
        ASSERT_EQ(route.size(), length) << from << " to " << to;
      }
    }
  }
}

/* Kills a few links, more and more of them, and looks at all pairs. */
void expect_detours(const std::string &fabric_attributes)
{
  SCOPED_TRACE(fabric_attributes);
  std::string text = perlmutter;
  replace(text, fat_tree, fabric_attributes);
  ss_machine machine;
  ASSERT_EQ(load_machine(text, &machine), "accepted");
  const Fabric whole = lay_out(machine);
  const Graph graph(machine, whole.get());
  std::mt19937 random(1 + seed);
  for (int round = 0; round < 40; ++round) {
    std::map<int64_t, bool> dead;
    for (int i = 0; i <= round / 2; ++i)
      dead[2 * machine.gpus + static_cast<int64_t>(random()) % (graph.links() - 2 * machine.gpus)] = true;
    std::string speeds;
    for (const auto &[link, is_dead] : dead) speeds += graph.name(link) + ":0 ";
    SCOPED_TRACE(speeds);
    ss_error error = {};
    ss_machine damaged = machine;
    ASSERT_EQ(ss_override(("platform.link-speed=" + speeds).c_str(), nullptr, &damaged, &error), SS_OK);
    const Fabric fabric = lay_out(damaged);
    ASSERT_NO_FATAL_FAILURE(expect_routes(damaged, whole.get(), fabric.get()));
  }
}

} /* namespace */

TEST(Detours, OfTrees)
{
  for (const char *parameters :
       {"2;4,4;1,2;1,1", "2;4,4;1,4;1,2", "2;4,4;2,2;1,3", "3;2,4,2;1,2,2;1,1,2", "3;2,2,4;2,2,2;2,1,1"})
    expect_detours(std::string("topology=\"FAT_TREE\" topo_parameters=\"") + parameters + "\"");
}

TEST(Detours, OfTori)
{
  for (const char *parameters : {"16", "4,4", "2,8", "2,2,4", "16,1"})
    expect_detours(std::string("topology=\"TORUS\" topo_parameters=\"") + parameters + "\"");
}

TEST(Detours, OfDragonflies)
{
  for (const char *parameters : {"2,1;2,1;4,1;1", "4,1;1,1;4,1;1", "2,1;2,1;2,1;2", "1,1;4,1;4,1;1", "1,1;1,1;4,1;4"})
    expect_detours(std::string("topology=\"DRAGONFLY\" topo_parameters=\"") + parameters + "\"");
}
