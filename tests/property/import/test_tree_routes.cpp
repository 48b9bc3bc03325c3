/* Random fat trees whose switches, ports and nodes have any names and any order: what is imported has the same cables,
 * and the routes of its forwarding tables. */
#include <array>
#include <memory>
#include <set>

#include "tests/support/ib_fabric.hpp"
#include "tests/support/inputs.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/fabric/fabric.h"
#include "model/fabric/route_summary.h"
#include "sim/import/cluster/ib_tables.h"
#include "sim/import/cluster/own_cluster.h"
#include "sim/import/cluster/own_routes.h"
}

using namespace stepsim;

namespace
{

std::string text_of(const std::string &path)
{
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/* What a fabric is taken for, and a machine with its cables and routes. */
class Imported
{
public:
  explicit Imported(const std::string &cables, const std::string &tables = "")
  {
    take("cables", cables);
    if (!tables.empty()) take("tables", tables);
  }
  ~Imported()
  {
    ss_fabric_destroy(fabric_);
    ss_forwarding_destroy(forwarding_);
    ss_own_free(&draft);
  }
  Imported(const Imported &) = delete;
  Imported &operator=(const Imported &) = delete;

  ss_own_draft draft = {};

  const ss_ib_switch &at(const IbFabric::Switch &real) const
  {
    char guid[SS_GUID_SIZE];
    (void)std::snprintf(guid, sizeof guid, "S-%016llx", static_cast<unsigned long long>(real.guid));
    const ss_ib_switch *of = std::find_if(draft.fabric.at, draft.fabric.at + draft.fabric.switches,
                                          [&](const ss_ib_switch &s) { return std::string(s.guid) == guid; });
    return *of;
  }

  /* The port of the tree that a cable is. */
  int64_t tree_port(const IbFabric &real, const IbFabric::Cable &cable) const
  {
    const int64_t from = &at(real.at[cable.below]) - draft.fabric.at;
    for (int64_t i = 0; i < draft.fabric.links; ++i)
      if (draft.fabric.link[i].from == from && draft.fabric.link[i].port == cable.below_port)
        return draft.fabric.link[i].tree_port;
    return -1;
  }

  /* Makes the machine. */
  void build(int64_t leaves)
  {
    ASSERT_EQ(load_machine(perlmutter, &machine_), "accepted");
    machine_.gpus = draft.places;
    machine_.domain_size = 1;
    machine_.nics_per_domain = draft.nics;
    machine_.rail_domains = draft.rails > 1 ? draft.of_leaf : 0;
    machine_.shape.topology = SS_TOPOLOGY_FAT_TREE;
    machine_.shape.as.fat_tree = ss_own_tree_shape(&draft, leaves);
    (void)std::snprintf(machine_.link_speed, sizeof machine_.link_speed, "%s", draft.link_speed);
    std::unique_ptr<char, void (*)(void *)> text(ss_own_routes_text(&draft), free);
    const std::string path = write("imported.routes", text.get());
    ss_error error = {};
    ASSERT_EQ(ss_override(("platform.routes=" + path).c_str(), nullptr, &machine_, &error), SS_OK) << error.message;
    ASSERT_EQ(ss_routes_load(&machine_, &forwarding_, &error), SS_OK) << error.message;
    machine_.forwarding = forwarding_;
    ASSERT_EQ(ss_fabric_create(&fabric_, &machine_, &error), SS_OK) << error.message;
  }

  /* The NIC of the machine that a host is. */
  int64_t nic_of(const IbFabric &real, int64_t host) const
  {
    const int64_t node = ss_names_find(&draft.hosts, real.nic_of(host).node.c_str());
    return draft.place[node] * draft.nics + at(real.at[real.nic_of(host).leaf]).number % draft.rails;
  }

  std::vector<std::string> route(int64_t from, int64_t to, const ss_fabric *fabric = nullptr) const
  {
    std::array<int32_t, SS_ROUTE_LINKS_MAX> link{};
    std::vector<std::string> names;
    const int count = ss_fabric_route(fabric != nullptr ? fabric : fabric_, true, from, to, link.data());
    for (int i = 0; i < count; ++i) {
      char name[SS_LINK_NAME_SIZE];
      ss_fabric_name(fabric_, link.at(static_cast<size_t>(i)), name);
      names.emplace_back(name);
    }
    return names;
  }

  /* The same with the first of ports of which several are one cable. */
  std::vector<std::string> cables_of(std::vector<std::string> names) const
  {
    const ss_own_tree &tree = draft.tree;
    for (size_t i = 1; i + 1 < names.size(); ++i) {
      const size_t dash = names[i].rfind('-') + 1;
      const int level = names[i].rfind("leaf", 0) == 0 ? 1 : std::stoi(names[i].substr(5));
      const int64_t port = std::stoi(names[i].substr(dash)), up = tree.up[level], wide = tree.wide[level];
      names[i] = names[i].substr(0, dash) + std::to_string(port % up + port / up / wide * wide * up);
    }
    return names;
  }

  /* The names of the links that the tables lead over. */
  std::vector<std::string> expected(const IbFabric &real, int64_t from, int64_t to) const
  {
    std::vector<std::string> names = {"nic-" + std::to_string(nic_of(real, from)) + ":out"};
    size_t s = real.nic_of(from).leaf;
    for (const size_t c : real.way(from, to)) {
      const IbFabric::Cable &cable = real.cable[c];
      const bool up = cable.below == s;
      char name[SS_LINK_NAME_SIZE];
      ss_own_switch_name(real.at[cable.below].level, at(real.at[cable.below]).number, name);
      names.push_back(name + std::string(up ? ":up-" : ":down-") + std::to_string(tree_port(real, cable)));
      s = up ? cable.above : cable.below;
    }
    names.push_back("nic-" + std::to_string(nic_of(real, to)) + ":in");
    return names;
  }

  /* The summary of routes is what all pairs of NICs say one by one. */
  void expect_summary() const
  {
    ss_route_summary summary;
    ss_error error = {};
    ASSERT_EQ(ss_route_summary_make(&machine_, &summary, &error), SS_OK) << error.message;
    ss_machine plain = machine_;
    plain.forwarding = nullptr;
    ss_fabric *by_rule = nullptr;
    ASSERT_EQ(ss_fabric_create(&by_rule, &plain, &error), SS_OK);
    std::map<std::string, std::set<int64_t>> destinations;
    int64_t others = 0, most = 0, all = 0;
    const int64_t nics = draft.places * draft.nics;
    for (int64_t from = 0; from < nics; ++from)
      for (int64_t to = 0; to < nics; ++to) {
        if (from == to) continue;
        const std::vector<std::string> names = route(from, to);
        others += names != route(from, to, by_rule);
        for (const std::string &name : names) destinations[name].insert(to);
      }
    ss_fabric_destroy(by_rule);
    for (const auto &link : destinations)
      if (link.first.rfind("leaf", 0) == 0 && link.first.find(":up") != std::string::npos) {
        most = std::max(most, static_cast<int64_t>(link.second.size()));
        all += static_cast<int64_t>(link.second.size());
      }
    EXPECT_EQ(summary.pairs, nics * (nics - 1));
    EXPECT_EQ(summary.others, others);
    EXPECT_EQ(summary.entries, draft.routes);
    EXPECT_EQ(summary.kinds, 2 * (draft.tree.levels - 1));
    EXPECT_EQ(summary.kind[0].most, most);
    EXPECT_EQ(static_cast<int64_t>(destinations[summary.kind[0].busiest].size()), most);
    for (int i = 0; i < summary.kinds; ++i)
      EXPECT_EQ(static_cast<int64_t>(destinations[summary.kind[i].busiest].size()), summary.kind[i].most);
    const ss_fat_tree &tree = machine_.shape.as.fat_tree;
    double up = 1.0;
    for (int level = 1; level < tree.levels; ++level) up *= static_cast<double>(tree.down[level]);
    EXPECT_DOUBLE_EQ(summary.kind[0].mean,
                     static_cast<double>(all) / (up * static_cast<double>(tree.up[1] * tree.links[1])));
  }

private:
  ss_machine machine_ = {};
  ss_forwarding *forwarding_ = nullptr;
  ss_fabric *fabric_ = nullptr;

  void take(const std::string &name, const std::string &text)
  {
    ss_source source;
    ss_error error = {};
    const std::string path = write(name, text);
    ASSERT_EQ(ss_source_read(path.c_str(), &source, &error), SS_OK);
    EXPECT_EQ(ss_own_take(&draft, &source, ss_own_file_of(source.text), &error), SS_OK)
        << error.line << ": " << error.message;
    ss_source_free(&source);
  }
};

/* Cables are those of the tree: switches of a level have numbers of their own, each cable leads from a port of its own
 * to the switch that the tree has there. */
void expect_same_cables(const IbFabric &real, const Imported &imported)
{
  const IbTree &tree = real.tree();
  std::set<std::array<int64_t, 3>> ports;
  std::set<std::pair<int64_t, int64_t>> numbers;
  for (const IbFabric::Switch &s : real.at) {
    const int64_t number = imported.at(s).number;
    EXPECT_TRUE(numbers.insert({s.level, number}).second) << s.level << " " << number;
    EXPECT_TRUE(number >= 0 && number < tree.switches(s.level)) << number;
  }
  for (const IbFabric::Cable &c : real.cable) {
    const IbFabric::Switch &below = real.at[c.below];
    const int64_t number = imported.at(below).number, port = imported.tree_port(real, c);
    if (!c.present) continue;
    EXPECT_TRUE(ports.insert({below.level, number, port}).second);
    EXPECT_EQ(imported.at(real.at[c.above]).number,
              tree.parent(below.level, number, port % tree.up[static_cast<size_t>(below.level)]));
  }
}

void expect_same_routes(const IbFabric &real, const Imported &imported)
{
  const int64_t hosts = real.tree().hosts();
  for (int64_t from = 0; from < hosts; ++from)
    for (int64_t to = 0; to < hosts; ++to) {
      if (from == to) continue;
      ASSERT_EQ(imported.cables_of(imported.route(imported.nic_of(real, from), imported.nic_of(real, to))),
                imported.expected(real, from, to))
          << from << " to " << to;
    }
}

const IbTree trees[] = {
    {{3, 4}, {1, 3}, {1, 1}},                   /* two levels */
    {{3, 4}, {1, 2}, {1, 3}},                   /* with bundles */
    {{2, 3, 4}, {1, 2, 3}, {1, 1, 1}},          /* three */
    {{4, 2, 2}, {1, 2, 2}, {1, 1, 1}},          /* that of docs/samples */
    {{2, 2, 3}, {1, 3, 2}, {1, 2, 3}},          /* with bundles */
    {{3, 4, 2}, {1, 2, 2}, {1, 1, 2}, 2},       /* two groups of two rails in each part */
    {{2, 2, 2, 2}, {1, 2, 2, 2}, {1, 1, 1, 1}}, /* four */
    {{1, 3, 2, 2}, {1, 2, 1, 3}, {1, 2, 1, 1}},
};

} // namespace

/* Each switch sends each NIC through any of its cables that lead there. */
TEST(TreeRoutes, OfAnyTablesAreTheirs)
{
  std::mt19937 random(seed + 11);
  for (int round = 0; round < 3; ++round)
    for (const IbTree &tree : trees) {
      IbFabric real(tree, random);
      const std::string tables = real.tables(
          [&](size_t, int64_t, const std::vector<size_t> &allowed) { return allowed[random() % allowed.size()]; });
      Imported imported(real.cables(), tables);
      ASSERT_EQ(imported.draft.tree.levels, tree.levels());
      ASSERT_NO_FATAL_FAILURE(expect_same_cables(real, imported));
      ASSERT_NO_FATAL_FAILURE(imported.build(tree.switches(1)));
      ASSERT_NO_FATAL_FAILURE(expect_same_routes(real, imported));
      imported.expect_summary();
    }
}

/* Tables that send by destination, as replays do: none of their routes needs a line, so that predictions are those
 * without tables. Where there are bundles, only those of the cables down. */
TEST(TreeRoutes, ByDestinationAreThoseOfTheRule)
{
  std::mt19937 random(seed + 12);
  for (const IbTree &tree : trees) {
    IbFabric real(tree, random);
    const std::string cables = real.cables();
    const Imported without(cables);
    const std::string tables = real.tables([&](size_t from, int64_t host, const std::vector<size_t> &allowed) {
      const IbFabric::Switch &s = real.at[from];
      const auto level = static_cast<size_t>(s.level);
      const int64_t nic = without.nic_of(real, host), rails = tree.rails, of_leaf = tree.down[0];
      const int64_t leaf = nic / rails / of_leaf * rails + nic % rails;
      const int64_t number = leaf * of_leaf + nic / rails % of_leaf;
      if (tree.is_above(s.level, s.number, host)) return allowed[0];
      const int64_t port = number / tree.ups(s.level) % (tree.up[level] * tree.links[level]);
      for (const size_t c : allowed)
        if (without.tree_port(real, real.cable[c]) == port) return c;
      ADD_FAILURE() << "no cable has port " << port;
      return allowed[0];
    });
    Imported imported(cables, tables);
    for (int64_t i = 0; i < imported.draft.routes; ++i) {
      const ss_own_route &route = imported.draft.route[i];
      const IbTree own = {tree.down, tree.up, tree.links, tree.rails};
      const int64_t nic = route.nic, rails = tree.rails, of_leaf = tree.down[0];
      const int64_t host = (nic / rails / of_leaf * rails + nic % rails) * of_leaf + nic / rails % of_leaf;
      EXPECT_TRUE(own.is_above(route.level, route.node, host));
      EXPECT_GT(tree.links[static_cast<size_t>(route.level)], 1);
    }
    ASSERT_NO_FATAL_FAILURE(imported.build(tree.switches(1)));
    ASSERT_NO_FATAL_FAILURE(expect_same_routes(real, imported));
  }
}

/* One cable of a bundle is missing: it is dead in the tree, and tables that leave it out have routes of their own. */
TEST(TreeRoutes, AroundMissingCables)
{
  std::mt19937 random(seed + 13);
  for (int round = 0; round < 8; ++round) {
    const IbTree tree = {{2, 2, 3}, {1, 3, 2}, {1, 2, 3}};
    IbFabric real(tree, random);
    IbFabric::Cable &missing = real.cable[random() % real.cable.size()];
    missing.present = false;
    const std::string tables = real.tables(
        [&](size_t, int64_t, const std::vector<size_t> &allowed) { return allowed[random() % allowed.size()]; });
    Imported imported(real.cables(), tables);
    ASSERT_EQ(imported.draft.tree.levels, 3);
    char name[SS_LINK_NAME_SIZE];
    const IbFabric::Switch &below = real.at[missing.below];
    ss_own_switch_name(below.level, imported.at(below).number, name);
    const std::string speed = imported.draft.link_speed;
    EXPECT_EQ(speed.rfind(std::string(name) + ":up-", 0), 0U) << speed;
    EXPECT_NE(speed.find(":0 "), std::string::npos) << speed;
    ASSERT_NO_FATAL_FAILURE(expect_same_cables(real, imported));
    ASSERT_NO_FATAL_FAILURE(imported.build(tree.switches(1)));
    ASSERT_NO_FATAL_FAILURE(expect_same_routes(real, imported));
  }
}

/* Two cables of the highest level change places: no numbers fit. One of the four switches is named. */
TEST(TreeRoutes, OfAnotherWiringAreNone)
{
  std::mt19937 random(seed + 14);
  IbFabric real({{2, 2, 2}, {1, 2, 2}, {1, 1, 1}}, random);
  std::vector<size_t> ends;
  for (const int64_t number : {0, 1}) { /* the switches of the second level in the first part */
    size_t c = 0;
    while (real.cable[c].below != real.find(2, number)) ++c;
    ends.push_back(c);
  }
  std::swap(real.cable[ends[0]].above, real.cable[ends[1]].above);
  std::swap(real.cable[ends[0]].above_port, real.cable[ends[1]].above_port);
  const Imported imported(real.cables());
  EXPECT_EQ(imported.draft.tree.levels, 0);
  ASSERT_EQ(imported.draft.notes, 1);
  const std::string note = imported.draft.note[0];
  EXPECT_NE(note.find("its cables above the leaves are not those of a fat tree (switch S-"), std::string::npos) << note;
  EXPECT_NE(note.find("has switches above it that another one of its part of the fabric has, too)"), std::string::npos)
      << note;
  EXPECT_STREQ(imported.draft.link_speed, "");
}

/* The NICs of some leaves are off: as nothing is above these, they are left out, and so is what only they are below.
 * Others keep their ways. */
TEST(TreeRoutes, OfLeavesWithoutNics)
{
  std::mt19937 random(seed + 16);
  for (const IbTree &tree : {IbTree{{2, 4}, {1, 3}, {1, 1}}, IbTree{{2, 3, 3}, {1, 2, 2}, {1, 1, 1}}}) {
    IbFabric real(tree, random);
    const std::string tables = real.tables(
        [&](size_t, int64_t, const std::vector<size_t> &allowed) { return allowed[random() % allowed.size()]; });
    std::set<int64_t> off;
    while (off.size() < 2) off.insert(static_cast<int64_t>(random() % static_cast<unsigned>(tree.hosts() / 2)));
    const auto is_off = [&](int64_t host) { return off.count(host / 2) > 0; };
    const std::string all = real.cables();
    std::string cables;
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);) {
      bool keep = true;
      for (int64_t host = 0; host < tree.hosts(); ++host)
        keep = keep && !(is_off(host) && line.find("\"" + real.nic_of(host).node + " ") != std::string::npos);
      if (keep) cables += line + "\n";
    }
    const Imported imported(cables);
    ASSERT_EQ(imported.draft.tree.levels, tree.levels());
    EXPECT_EQ(imported.draft.hosts.count, tree.hosts() - 4);
    EXPECT_NE(std::string(imported.draft.note[0]).find(": 2 switches without NICs"), std::string::npos);
  }
}

/* Cables between switches that are twice as fast as NICs are two of the tree each, at every level. */
TEST(TreeRoutes, OfFasterCables)
{
  std::mt19937 random(seed + 15);
  IbFabric real({{4, 2, 2}, {1, 2, 2}, {1, 1, 2}}, random);
  real.speed = "4xNDR";
  const std::string tables = real.tables(
      [&](size_t, int64_t, const std::vector<size_t> &allowed) { return allowed[random() % allowed.size()]; });
  Imported imported(real.cables(), tables);
  const ss_own_tree &tree = imported.draft.tree;
  ASSERT_EQ(tree.levels, 3);
  EXPECT_EQ(tree.wide[1], 2);
  EXPECT_EQ(tree.wide[2], 2);
  EXPECT_EQ(tree.cables[1], 2);
  EXPECT_EQ(tree.cables[2], 4);
  ASSERT_NO_FATAL_FAILURE(expect_same_cables(real, imported));
  ASSERT_NO_FATAL_FAILURE(imported.build(4));
  ASSERT_NO_FATAL_FAILURE(expect_same_routes(real, imported));
}

/* What OpenSM dumped of three levels: for all pairs of nodes, hop by hop from the files. */
TEST(TreeRoutes, OfOpenSmAreTheirs)
{
  const std::string sample = source_path("docs/samples/ibsim-3-levels");
  Imported imported(text_of(sample + ".ibnetdiscover"), text_of(sample + "-opensm-lfts.dump"));
  const ss_own_draft &draft = imported.draft;
  ASSERT_EQ(draft.hosts.count, 8);
  EXPECT_EQ(draft.routes, 24);
  ASSERT_NO_FATAL_FAILURE(imported.build(4));
  ss_source source;
  ss_ib_tables tables;
  ss_error error = {};
  ASSERT_EQ(ss_source_read((sample + "-opensm-lfts.dump").c_str(), &source, &error), SS_OK);
  ASSERT_EQ(ss_ib_tables_read(&source, &tables, &error), SS_OK);
  const ss_ib_link *all = draft.fabric.link, *end = all + draft.fabric.links;
  const auto link_of = [&](const std::string &host) {
    return std::find_if(all, end, [&](const ss_ib_link &link) { return link.to < 0 && link.host == host; });
  };
  for (int64_t from = 0; from < 8; ++from)
    for (int64_t to = 0; to < 8; ++to) {
      if (from == to) continue;
      const ss_ib_link *last = link_of(draft.hosts.name[to]);
      std::vector<std::string> names = {"nic-" + std::to_string(draft.place[from]) + ":out"};
      for (int64_t at = link_of(draft.hosts.name[from])->from; at != last->from;) {
        const ss_ib_table *table = ss_ib_tables_find(&tables, std::stoull(draft.fabric.at[at].guid + 2, nullptr, 16));
        const int port = ss_ib_table_entry(&tables, table, last->lid)->port;
        const ss_ib_link *next =
            std::find_if(all, end, [&](const ss_ib_link &link) { return link.from == at && link.port == port; });
        const ss_ib_link *up = std::find_if(all, end, [&](const ss_ib_link &link) {
          return next->tree_port >= 0 ? &link == next : link.from == next->to && link.port == next->to_port;
        });
        char name[SS_LINK_NAME_SIZE];
        ss_own_switch_name(draft.fabric.at[up->from].level, draft.fabric.at[up->from].number, name);
        names.push_back(name + std::string(up == next ? ":up-" : ":down-") + std::to_string(up->tree_port));
        at = next->to;
      }
      names.push_back("nic-" + std::to_string(draft.place[to]) + ":in");
      EXPECT_EQ(imported.route(draft.place[from], draft.place[to]), names);
    }
  ss_ib_tables_free(&tables);
  ss_source_free(&source);
}
