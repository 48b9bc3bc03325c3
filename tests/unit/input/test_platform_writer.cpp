/* Platform files that are written: read back, they are the machine that was asked for. */
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>

#include "tests/support/inputs.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/source.hpp"

using namespace stepsim;

namespace
{

std::string quantity(double value, ss_unit unit)
{
  char text[SS_QUANTITY_SIZE];
  ss_quantity_format(value, unit, text);
  return text;
}

bool are_same(const ss_curve &a, const ss_curve &b)
{
  bool same = a.count == b.count;
  for (int64_t i = 0; same && i < a.count; ++i)
    same = a.value[i] == b.value[i] && (a.count == 1 || a.size[i] == b.size[i]);
  return same;
}

bool is_of_fabric(const ss_property &row)
{
  return row.offset == offsetof(ss_machine, domain_size) || row.offset == offsetof(ss_machine, nics_per_domain) ||
         row.offset == offsetof(ss_machine, rail_domains) || row.offset == offsetof(ss_machine, adaptive_routing);
}

/* All that is not of the fabric: whether given, and the value. */
void expect_same_constants(const ss_machine &a, const ss_machine &b)
{
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) {
    const ss_property &row = ss_machine_properties()[i];
    const char *of_a = reinterpret_cast<const char *>(&a) + row.offset;
    const char *of_b = reinterpret_cast<const char *>(&b) + row.offset;
    switch (row.type) {
    case SS_PROPERTY_TEXT: EXPECT_STREQ(of_a, of_b) << row.name; break;
    case SS_PROPERTY_COUNT:
      if (!is_of_fabric(row)) {
        EXPECT_EQ(std::memcmp(of_a, of_b, sizeof(int64_t)), 0) << row.name;
      }
      break;
    case SS_PROPERTY_QUANTITY: EXPECT_EQ(std::memcmp(of_a, of_b, sizeof(double)), 0) << row.name; break;
    case SS_PROPERTY_CURVE:
      EXPECT_TRUE(are_same(*reinterpret_cast<const ss_curve *>(of_a), *reinterpret_cast<const ss_curve *>(of_b)))
          << row.name;
      break;
    }
  }
}

std::string write_platform(const ss_machine &machine, const ss_topology_design &design, const std::string &comment)
{
  char *text = nullptr;
  ss_error error = {};
  if (ss_platform_write(&machine, &design, comment.c_str(), &text, &error) != SS_OK)
    return printed(SS_ERROR_INPUT, error, "");
  const std::string written = text;
  std::free(text);
  return written;
}

ss_machine load_shipped(const std::string &name)
{
  ss_machine machine;
  ss_error error = {};
  const std::string path = source_path("platforms/" + name + ".xml");
  EXPECT_EQ(ss_machine_load(path.c_str(), &machine, &error), SS_OK) << error.message;
  return machine;
}

ss_topology_request request_of(ss_fabric_kind kind, int64_t domains, int64_t size, int64_t nics)
{
  ss_topology_request request = {};
  request.kind = kind;
  request.gpus = domains * size;
  request.domain_size = size;
  request.nics_per_domain = nics;
  return request;
}

void expect_read_back(const ss_machine &machine, const ss_topology_request &request)
{
  SCOPED_TRACE(std::string(machine.name) + " " + std::to_string(request.kind) + " " + std::to_string(request.gpus));
  ss_topology_design design;
  ss_error error = {};
  ASSERT_EQ(ss_topology_generate(&request, &design, &error), SS_OK) << error.message;
  const std::string text = write_platform(machine, design, "\n  no comment\n");
  ss_machine read;
  ASSERT_EQ(load_machine(text, &read), "accepted") << text;
  EXPECT_EQ(read.gpus, request.gpus);
  EXPECT_EQ(read.domain_size, request.domain_size);
  EXPECT_EQ(read.nics_per_domain, request.nics_per_domain);
  EXPECT_EQ(read.rail_domains, design.rail_domains);
  EXPECT_EQ(read.adaptive_routing, design.shape.topology == SS_TOPOLOGY_FAT_TREE ? machine.adaptive_routing : 0);
  EXPECT_EQ(std::memcmp(&read.shape, &design.shape, sizeof read.shape), 0);
  EXPECT_STREQ(read.name, machine.name);
  ss_machine expected = machine;
  if (machine.node_gpus > 0 && request.gpus % machine.node_gpus != 0) expected.node_gpus = 0; /* nodes are larger */
  expect_same_constants(expected, read);
}

} // namespace

TEST(Quantity, IsWrittenAsPeopleDo)
{
  const std::vector<std::pair<std::string, std::string>> cases = {
      {quantity(312e12, SS_UNIT_FLOP_PER_S), "312Tf"},  {quantity(2.5e15, SS_UNIT_FLOP_PER_S), "2.5Pf"},
      {quantity(25e9, SS_UNIT_BYTES_PER_S), "25GBps"},  {quantity(2.039e12, SS_UNIT_BYTES_PER_S), "2039GBps"},
      {quantity(80e9, SS_UNIT_BYTES), "80GB"},          {quantity(80.0 * (1 << 30), SS_UNIT_BYTES), "80GiB"},
      {quantity(2.5 * 1e-6, SS_UNIT_SECONDS), "2.5us"}, {quantity(0, SS_UNIT_SECONDS), "0s"},
      {quantity(30000, SS_UNIT_NONE), "30000"},         {quantity(0.7, SS_UNIT_NONE), "0.7"}};
  for (const auto &[text, expected] : cases) EXPECT_EQ(text, expected);
}

TEST(Quantity, IsReadAsItWasWritten)
{
  std::mt19937_64 random(7 + seed);
  std::uniform_real_distribution<double> exponent(-9, 20);
  for (int i = 0; i < 200; ++i)
    for (int unit = 0; unit < SS_UNIT_COUNT; ++unit) {
      const double value = std::pow(10.0, exponent(random));
      double read = 0;
      ASSERT_EQ(ss_quantity_parse(quantity(value, (ss_unit)unit).c_str(), (ss_unit)unit, &read), 0);
      ASSERT_EQ(read, value);
    }
}

TEST(PlatformWriter, WritesWhatIsReadBack)
{
  for (const char *like : {"perlmutter", "dgx-h100", "gb200-nvl72", "polaris"})
    for (int kind = 0; kind < SS_FABRIC_KIND_COUNT; ++kind)
      for (const auto &[domains, size, nics] :
           {std::array<int64_t, 3>{1, 1, 1}, {6, 4, 4}, {40, 8, 2}, {9, 72, 72}, {2, 576, 576}, {100, 4, 8}})
        expect_read_back(load_shipped(like), request_of((ss_fabric_kind)kind, domains, size, nics));
}

TEST(PlatformWriter, WritesTreesThatAreReadBack)
{
  const ss_machine machine = load_shipped("perlmutter");
  for (int64_t radix : {8, 36, 64})
    for (int64_t taper : {1, 2})
      for (int64_t levels : {0, 5})
        for (int64_t domains : {3, 50, 128}) {
          ss_topology_request request = request_of(SS_FABRIC_KIND_FAT_TREE, domains, 4, 4);
          request.size[SS_DESIGN_RADIX] = radix;
          request.size[SS_DESIGN_TAPER] = taper;
          request.size[SS_DESIGN_LEVELS] = levels;
          expect_read_back(machine, request);
          request.kind = SS_FABRIC_KIND_RAIL;
          if (domains == 128) expect_read_back(machine, request);
        }
}

/* The whole of it, once: two domains of two GPUs that share one NIC each, on a ring. */
TEST(PlatformWriter, WritesThis)
{
  ss_machine machine;
  ASSERT_EQ(load_machine(perlmutter, &machine), "accepted");
  const ss_topology_request request = request_of(SS_FABRIC_KIND_TORUS, 2, 2, 1);
  ss_topology_design design;
  ss_error error = {};
  ASSERT_EQ(ss_topology_generate(&request, &design, &error), SS_OK);
  EXPECT_EQ(write_platform(machine, design, " why "), R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- why -->
<platform version="4.1">
  <zone id="perlmutter" routing="Full">
    <prop id="accelerator" value="A100-SXM4-80GB"/>
    <prop id="matrix-flops" value="312Tf"/>
    <prop id="vector-flops" value="78Tf"/>
    <prop id="hbm-bandwidth" value="2039GBps"/>
    <prop id="hbm-capacity" value="80GB"/>
    <prop id="nvlink-efficiency" value="0.7"/>
    <prop id="fabric-efficiency" value="0.7"/>
    <prop id="domain-size" value="2"/>
    <prop id="nics-per-domain" value="1"/>
    <cluster id="nvlink" prefix="gpu-" suffix="" radical="0-3" speed="312Tf" bw="300GBps" lat="2.5us"/>
    <cluster id="fabric" prefix="nic-" suffix="" radical="0-1" speed="1f" bw="25GBps" lat="5us" topology="TORUS" topo_parameters="2"/>
  </zone>
</platform>
)");
}

TEST(PlatformWriter, RefusesNamesAndComments)
{
  ss_machine machine;
  ASSERT_EQ(load_machine(perlmutter, &machine), "accepted");
  ss_topology_design design = {};
  design.domains = design.domain_size = design.nics_per_domain = design.nics = design.hosts = 1;
  const std::string comment =
      ": the command line cannot stand in an XML comment; allowed: UTF-8 without control characters";
  for (const char *bad : {"a -- b", "\xff", "\x1b", "a\rb"})
    EXPECT_EQ(write_platform(machine, design, bad), "PATH" + comment) << bad;
  for (const char *bad : {"", "fabric", "nvlink", "a&b", "a b", "\xc3\xa4"}) {
    std::snprintf(machine.name, sizeof machine.name, "%s", bad);
    EXPECT_EQ(write_platform(machine, design, "").rfind("--name: \"", 0), 0U) << bad;
  }
}
