/* The proof that a replay need not ask SimGrid for routes: for whole platforms, every route has the links that SimGrid
 * gives it, in the same order, with the same bandwidth. Names differ, so links are matched as they occur: one of ours
 * to one of SimGrid's, both ways. SimGrid allows one platform in a process, so each is compared in a child. */
#include <gtest/gtest.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xbt/dynar.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/fabric/fabric.h"
}

using namespace stepsim;

namespace
{

/* What SimGrid and we say about one platform. */
class Comparison
{
public:
  explicit Comparison(const std::string &path)
  {
    ss_error error = {};
    const ss_status loaded = ss_machine_load(path.c_str(), &machine_, &error);
    machine_.adaptive_routing = 0; /* which SimGrid does not know */
    if (loaded != SS_OK || ss_fabric_create(&fabric_, &machine_, &error) != SS_OK) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), error.message);
      return;
    }
    char name[] = "test", quiet[] = "--log=root.threshold:error", *arguments[] = {name, quiet, nullptr};
    int count = 2;
    simgrid_init(&count, arguments);
    simgrid_load_platform(path.c_str());
    for (int64_t gpu = 0; gpu < machine_.gpus; ++gpu) gpus_.push_back(host("gpu-", gpu));
    for (int64_t nic = 0; nic < machine_.gpus / machine_.domain_size * machine_.nics_per_domain; ++nic)
      nics_.push_back(host("nic-", nic));
  }
  Comparison(const Comparison &) = delete;
  Comparison &operator=(const Comparison &) = delete;
  ~Comparison()
  {
    ss_fabric_destroy(fabric_);
  }

  /* All pairs, or about so many of them, every host as a source: strides that are no divisors of sizes of machines. */
  bool agrees(size_t pairs)
  {
    return fabric_ != nullptr && agrees(false, gpus_, pairs) && agrees(true, nics_, pairs);
  }

private:
  static sg_host_t host(const char *prefix, int64_t number)
  {
    return sg_host_by_name((prefix + std::to_string(number)).c_str());
  }

  bool agrees(bool across, const std::vector<sg_host_t> &hosts, size_t pairs)
  {
    const size_t stride = hosts.size() * hosts.size() <= pairs ? 1 : 1 + hosts.size() * hosts.size() / pairs;
    for (size_t from = 0; from < hosts.size(); ++from)
      for (size_t to = stride == 1 ? 0 : from * 7 % stride; to < hosts.size(); to += stride)
        if (from != to && !agrees(across, hosts, from, to)) return false;
    return true;
  }

  bool agrees(bool across, const std::vector<sg_host_t> &hosts, size_t from, size_t to)
  {
    std::array<int32_t, SS_ROUTE_LINKS_MAX> link{};
    const int count =
        ss_fabric_route(fabric_, across, static_cast<int64_t>(from), static_cast<int64_t>(to), link.data());
    xbt_dynar_t route = xbt_dynar_new(sizeof(sg_link_t), nullptr);
    sg_host_get_route(hosts[from], hosts[to], route);
    bool same = static_cast<size_t>(count) == xbt_dynar_length(route);
    for (int i = 0; same && i < count; ++i)
      same = agrees(link[static_cast<size_t>(i)], xbt_dynar_get_as(route, static_cast<unsigned>(i), sg_link_t), across);
    if (!same) print(across, from, to, link.data(), count, route);
    xbt_dynar_free(&route);
    return same;
  }

  bool agrees(int32_t ours, sg_link_t theirs, bool across)
  {
    const std::string name = sg_link_get_name(theirs);
    if (theirs_.emplace(ours, name).first->second != name || ours_.emplace(name, ours).first->second != ours)
      return false;
    const double efficiency = across ? machine_.fabric_efficiency : machine_.nvlink_efficiency;
    const double ratio = ss_fabric_bytes_per_s(fabric_, ours) / (efficiency * sg_link_get_bandwidth(theirs));
    return std::abs(ratio - 1) < 1e-15 && sg_link_is_shared(theirs) != 0;
  }

  void print(bool across, size_t from, size_t to, const int32_t *link, int count, xbt_dynar_t route) const
  {
    std::fprintf(stderr, "%s: %s %zu to %zu:", machine_.file, across ? "NIC" : "GPU", from, to);
    for (int i = 0; i < count; ++i) {
      char name[SS_LINK_NAME_SIZE];
      ss_fabric_name(fabric_, link[i], name);
      std::fprintf(stderr, " %s (%s)", name, theirs_.count(link[i]) != 0 ? theirs_.at(link[i]).c_str() : "new");
    }
    std::fprintf(stderr, "; SimGrid:");
    for (unsigned i = 0; i < xbt_dynar_length(route); ++i)
      std::fprintf(stderr, " %s", sg_link_get_name(xbt_dynar_get_as(route, i, sg_link_t)));
    std::fprintf(stderr, "\n");
  }

  ss_machine machine_{};
  ss_fabric *fabric_ = nullptr;
  std::vector<sg_host_t> gpus_, nics_;
  std::map<int32_t, std::string> theirs_;
  std::map<std::string, int32_t> ours_;
};

void expect_agreement(const std::string &path, size_t pairs)
{
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool same = false;
    {
      Comparison comparison(path);
      same = comparison.agrees(pairs);
    }
    _exit(same ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << path;
}

/* One GPU and one NIC for each host of the fabric, on which all pairs are compared. */
void expect_agreement_on(int hosts, const std::string &attributes)
{
  SCOPED_TRACE(attributes);
  std::string text = perlmutter;
  const std::string radical = "radical=\"0-" + std::to_string(hosts - 1) + "\"";
  replace(text, "radical=\"0-15\"", radical);
  replace(text, "radical=\"0-15\"", radical);
  replace(text, "domain-size\" value=\"4\"", "domain-size\" value=\"1\"");
  replace(text, "nics-per-domain\" value=\"4\"", "nics-per-domain\" value=\"1\"");
  replace(text, fat_tree, attributes);
  expect_agreement(write("platform.xml", text), SIZE_MAX);
}

void expect_agreement_on(int hosts, const std::string &topology, const std::string &parameters)
{
  for (const char *sharing : {"SPLITDUPLEX", "SHARED", "FATPIPE"})
    expect_agreement_on(hosts, "topology=\"" + topology + "\" topo_parameters=\"" + parameters +
                                   "\" sharing_policy=\"" + sharing + "\"");
}

/* Whether SimGrid has a topology, too. */
bool is_simgrids(ss_topology topology)
{
  const std::set<ss_topology> all = {SS_TOPOLOGY_FLAT, SS_TOPOLOGY_FAT_TREE, SS_TOPOLOGY_DRAGONFLY, SS_TOPOLOGY_TORUS};
  return all.count(topology) != 0;
}

} /* namespace */

TEST(Fabric, RoutesOfFlatFabricsAreSimGrids)
{
  for (const char *sharing : {"", "sharing_policy=\"SPLITDUPLEX\"", "sharing_policy=\"SHARED\"",
                              "sharing_policy=\"FATPIPE\"", "bb_bw=\"60GBps\"", "bb_bw=\"60GBps\" bb_lat=\"1us\""})
    expect_agreement_on(9, sharing);
  expect_agreement_on(9, "sharing_policy=\"SHARED\" bb_bw=\"60GBps\"");
  expect_agreement_on(9, "sharing_policy=\"FATPIPE\" bb_bw=\"60GBps\"");
}

TEST(Fabric, RoutesOfFatTreesAreSimGrids)
{
  expect_agreement_on(6, "FAT_TREE", "1;6;1;1");
  expect_agreement_on(6, "FAT_TREE", "1;6;3;1"); /* three switches above every host */
  expect_agreement_on(6, "FAT_TREE", "1;6;1;4"); /* four cables */
  expect_agreement_on(6, "FAT_TREE", "1;6;2;3");
  expect_agreement_on(16, "FAT_TREE", "2;4,4;1,4;1,1");
  expect_agreement_on(16, "FAT_TREE", "2;4,4;1,2;1,1"); /* tapered */
  expect_agreement_on(16, "FAT_TREE", "2;4,4;1,1;1,3");
  expect_agreement_on(24, "FAT_TREE", "2;4,6;1,3;1,2");
  expect_agreement_on(24, "FAT_TREE", "2;6,4;2,3;2,3");
  expect_agreement_on(15, "FAT_TREE", "2;3,5;2,2;3,1");
  expect_agreement_on(24, "FAT_TREE", "3;2,3,4;1,2,3;1,1,1");
  expect_agreement_on(24, "FAT_TREE", "3;4,3,2;1,3,2;1,2,3");
  expect_agreement_on(30, "FAT_TREE", "3;5,2,3;2,3,2;2,2,2");
  expect_agreement_on(27, "FAT_TREE", "3;3,3,3;1,3,3;1,1,1");
  expect_agreement_on(36, "FAT_TREE", "3;3,3,4;2,1,2;3,4,5");
  expect_agreement_on(32, "FAT_TREE", "4;2,4,2,2;1,2,1,3;1,3,2,2");
}

TEST(Fabric, RoutesOfDragonfliesAreSimGrids)
{
  expect_agreement_on(16, "DRAGONFLY", "2,1;2,1;2,1;2");
  expect_agreement_on(4, "DRAGONFLY", "1,1;1,1;1,1;4");
  expect_agreement_on(8, "DRAGONFLY", "1,1;1,1;4,3;2");
  expect_agreement_on(9, "DRAGONFLY", "1,2;3,4;3,5;1");
  expect_agreement_on(36, "DRAGONFLY", "3,2;3,4;4,5;1");
  expect_agreement_on(54, "DRAGONFLY", "3,4;3,3;3,2;2");
  expect_agreement_on(48, "DRAGONFLY", "4,2;1,1;4,1;3");
  expect_agreement_on(30, "DRAGONFLY", "3,1;2,1;5,1;1");
}

TEST(Fabric, RoutesOfToriAreSimGrids)
{
  for (int hosts : {2, 3, 4, 5, 7, 8}) expect_agreement_on(hosts, "TORUS", std::to_string(hosts));
  expect_agreement_on(16, "TORUS", "4,4");
  expect_agreement_on(16, "TORUS", "4,4,1");
  expect_agreement_on(15, "TORUS", "5,3");
  expect_agreement_on(12, "TORUS", "2,6");
  expect_agreement_on(30, "TORUS", "2,3,5");
  expect_agreement_on(32, "TORUS", "4,2,4");
  expect_agreement_on(42, "TORUS", "7,1,6");
  expect_agreement_on(48, "TORUS", "2,3,4,2");
}

/* All kinds, and a tree of many levels. Where the NICs of a machine have other numbers than the hosts, as on rails,
 * there is nothing to compare. */
TEST(Fabric, RoutesOfWrittenPlatformsAreSimGrids)
{
  std::vector<ss_topology_request> requests(SS_FABRIC_KIND_COUNT + 1);
  for (int kind = 0; kind < SS_FABRIC_KIND_COUNT; ++kind)
    requests.at(static_cast<size_t>(kind)).kind = static_cast<ss_fabric_kind>(kind);
  requests.back().kind = SS_FABRIC_KIND_FAT_TREE;
  requests.back().size[SS_DESIGN_RADIX] = 4;
  requests.back().size[SS_DESIGN_TAPER] = 2;
  for (ss_topology_request &request : requests) {
    ss_machine machine;
    ASSERT_EQ(load_machine(perlmutter, &machine), "accepted");
    request.gpus = 40;
    request.domain_size = 4;
    request.nics_per_domain = 2;
    ss_topology_design design;
    ss_error error = {};
    char *text = nullptr;
    ASSERT_EQ(ss_topology_generate(&request, &design, &error), SS_OK) << error.message;
    if (design.rail_domains > 0 || !is_simgrids(design.shape.topology)) continue;
    ASSERT_EQ(ss_platform_write(&machine, &design, "", &text, &error), SS_OK) << error.message;
    expect_agreement(write("platform.xml", text), SIZE_MAX);
    std::free(text);
  }
}

TEST(Fabric, RoutesOfShippedPlatformsAreSimGrids)
{
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "SimGrid takes minutes to load them, and they show nothing new";
#endif
  std::set<std::string> seen; /* many differ in their GPUs only */
  for (const auto &entry : std::filesystem::directory_iterator(source_path("platforms"))) {
    if (entry.path().extension() != ".xml") continue;
    const std::string text = read_file(entry.path().string()), mark = "topo_parameters=";
    const size_t at = text.find(mark);
    ASSERT_NE(at, std::string::npos) << entry.path();
    if (seen.insert(text.substr(at, text.find('>', at) - at)).second) expect_agreement(entry.path().string(), 20000);
  }
}
