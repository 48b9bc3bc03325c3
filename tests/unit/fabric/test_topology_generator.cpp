/* Shapes of fabrics from a few numbers: hand-derived switches, links and bisections, and every refusal. */
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

extern "C" {
#include "model/fabric/fat_tree.h"
#include "model/fabric/topology_generator.h"
#include "model/fabric/topology_parameters.h"
}

namespace
{

ss_topology_request request_of(ss_fabric_kind kind, int64_t gpus, int64_t domain, int64_t nics)
{
  ss_topology_request request = {};
  request.kind = kind;
  request.gpus = gpus;
  request.domain_size = domain;
  request.nics_per_domain = nics;
  return request;
}

struct Drawn {
  ss_topology_design design = {};
  std::string refusal, parameters, text;
};

Drawn draw(const ss_topology_request &request)
{
  Drawn drawn;
  ss_error error = {};
  if (ss_topology_generate(&request, &drawn.design, &error) != SS_OK) {
    EXPECT_EQ(error.code, SS_ERROR_INPUT);
    drawn.refusal = std::string(error.file) + ": " + error.message;
    return drawn;
  }
  char text[SS_DESIGN_TEXT_SIZE];
  ss_topology_print(&drawn.design.shape, text);
  drawn.parameters = text;
  ss_topology_describe(&drawn.design, text);
  drawn.text = text;
  return drawn;
}

} // namespace

/* 64 ports: a leaf has 32 NICs and 32 links up, so 16,384 / 32 = 512 leaves. A spine has 32 leaves below, so there are
 * 512 / 32 = 16 pods with a spine for each link up of a leaf: 512 spines. Each has 32 links up, one to each of the core
 * switches that stand above spines of its place in the pod: 32 * 32 = 1024, which see each pod once. Links: 16,384 on
 * each level, as nothing is tapered. */
TEST(TopologyGenerator, ThreeLevelsOf64Ports)
{
  const Drawn drawn = draw(request_of(SS_FABRIC_KIND_FAT_TREE, 16384, 8, 8));
  EXPECT_EQ(drawn.parameters, "3;32,32,16;1,32,32;1,1,1");
  EXPECT_EQ(drawn.design.hosts, 16384);
  const int64_t switches[] = {512, 512, 1024};
  for (int64_t level = 0; level < 3; ++level) {
    EXPECT_EQ(ss_fat_tree_switches(&drawn.design.shape.as.fat_tree, level), switches[level]);
    EXPECT_EQ(ss_fat_tree_cables(&drawn.design.shape.as.fat_tree, level), 16384);
  }
  EXPECT_EQ(ss_topology_bisection(&drawn.design), 1.0);
  EXPECT_EQ(drawn.text,
            "2048 domains of 8 GPUs with 8 NICs each: 16384 GPUs, 16384 NICs. 3-level fat tree of 64-port switches, 32 "
            "NICs per leaf, taper 1: 32 up links per leaf. 512 leaf switches with 16384 links down, 512 spine switches "
            "with 16384 links down, 1024 core switches with 16384 links down. The top switches use 16 ports each: 256 "
            "with all 64 in use would do the same with bundles of cables.");
}

/* Half of the links up: 16 spines for each of 16 pods, and below 512 cores half of the links. */
TEST(TopologyGenerator, TaperHalvesWhatIsAboveTheLeaves)
{
  ss_topology_request request = request_of(SS_FABRIC_KIND_FAT_TREE, 16384, 8, 8);
  request.size[SS_DESIGN_TAPER] = 2;
  const Drawn drawn = draw(request);
  EXPECT_EQ(drawn.parameters, "3;32,32,16;1,16,32;1,1,1");
  EXPECT_EQ(ss_fat_tree_switches(&drawn.design.shape.as.fat_tree, 0), 512);
  EXPECT_EQ(ss_fat_tree_switches(&drawn.design.shape.as.fat_tree, 1), 256);
  EXPECT_EQ(ss_fat_tree_switches(&drawn.design.shape.as.fat_tree, 2), 512);
  EXPECT_EQ(ss_fat_tree_cables(&drawn.design.shape.as.fat_tree, 1), 8192);
  EXPECT_EQ(ss_topology_bisection(&drawn.design), 0.5);
}

/* Levels: 64 NICs are one switch; 2048 = 64 leaves of 32 are the most that 64-port spines take; 2049 need a third
 * level: 65 leaves in ceil(65 / 32) = 3 pods of 22, so 66 leaves with 2112 ports. With 8 ports: 4 NICs per leaf, 8
 * leaves of two levels, times 4 for every other one: 32, 128, 512, 2048, 8192 NICs are the most with 2 to 6 levels. */
TEST(TopologyGenerator, AsFewLevelsAsSuffice)
{
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FAT_TREE, 64, 8, 8)).parameters, "1;64;1;1");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FAT_TREE, 72, 8, 8)).parameters, "2;32,3;1,32;1,1");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FAT_TREE, 2048, 8, 8)).parameters, "2;32,64;1,32;1,1");
  const Drawn three = draw(request_of(SS_FABRIC_KIND_FAT_TREE, 2049, 1, 1));
  EXPECT_EQ(three.parameters, "3;32,22,3;1,32,22;1,1,1");
  EXPECT_EQ(three.design.hosts, 2112);
  EXPECT_NE(three.text.find("room for 2112 NICs, so that 63 are spare"), std::string::npos);
  ss_topology_request small = request_of(SS_FABRIC_KIND_FAT_TREE, 8192, 1, 1);
  small.size[SS_DESIGN_RADIX] = 8;
  EXPECT_EQ(draw(small).parameters, "6;4,4,4,4,4,8;1,4,4,4,4,4;1,1,1,1,1,1");
  small.gpus = 8193;
  EXPECT_EQ(draw(small).refusal,
            "--radix: \"8\": 8193 NICs would need more than 6 levels of switches; allowed: more ports");
  ss_topology_request tall = request_of(SS_FABRIC_KIND_FAT_TREE, 2048, 8, 8);
  tall.size[SS_DESIGN_LEVELS] = 3;
  EXPECT_EQ(draw(tall).parameters, "3;32,32,2;1,32,32;1,1,1");
}

/* Two NICs for four GPUs: 256 GPUs have 128. */
TEST(TopologyGenerator, FewerNicsThanGpus)
{
  const Drawn drawn = draw(request_of(SS_FABRIC_KIND_FAT_TREE, 256, 4, 2));
  EXPECT_EQ(drawn.design.nics, 128);
  EXPECT_EQ(drawn.parameters, "2;32,4;1,32;1,1");
}

/* The n-th NICs of as many domains as a leaf has NICs: the largest divisor of the domains that a leaf can take. 48
 * domains: 24 NICs per leaf, 48 * 8 / 24 = 16 leaves. */
TEST(TopologyGenerator, RailsFillLeavesWithWholeRuns)
{
  const Drawn even = draw(request_of(SS_FABRIC_KIND_RAIL, 16384, 8, 8));
  EXPECT_EQ(even.design.rail_domains, 32);
  EXPECT_EQ(even.parameters, "3;32,32,16;1,32,32;1,1,1");
  const Drawn odd = draw(request_of(SS_FABRIC_KIND_RAIL, 384, 8, 8));
  EXPECT_EQ(odd.design.rail_domains, 24);
  EXPECT_EQ(odd.parameters, "2;24,16;1,24;1,1");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FAT_TREE, 384, 8, 8)).design.rail_domains, 0);
}

/* 1024 NICs, 16 per router (a quarter of 64 ports): 64 routers in 8 groups of 8. A group has 128 NICs, whose even
 * traffic sends 1/8 to each group: 16 links. A router sends 16/8 of its NICs to each group by way of one router and
 * gets as much from there: 4 links. Half of the groups send 4 * 4 * 16 = 256 of the 512 that their NICs could. */
TEST(TopologyGenerator, DragonflyForEvenTraffic)
{
  ss_topology_request request = request_of(SS_FABRIC_KIND_DRAGONFLY, 1024, 4, 4);
  const Drawn drawn = draw(request);
  EXPECT_EQ(drawn.parameters, "8,16;1,1;8,4;16");
  EXPECT_EQ(ss_topology_bisection(&drawn.design), 0.5);
  request.size[SS_DESIGN_TAPER] = 2;
  EXPECT_EQ(draw(request).parameters, "8,8;1,1;8,2;16");
  request.size[SS_DESIGN_TAPER] = 0;
  request.size[SS_DESIGN_DRAGONFLY] = 1;
  request.shape.as.dragonfly = {4, 2, 4, 3, 8, 5, 8};
  EXPECT_EQ(draw(request).parameters, "4,2;4,3;8,5;8");
}

/* 16,384 NICs: 1024 routers in 32 groups of 32, with 16 NICs, 31 routers and 31 * 16 / 32 = 16 links to other groups:
 * 63 ports. 32,768 in 45 groups of 46: 16, 45, and 44 * 17 / 46 = 17; fewer NICs per router would need even more of
 * them. 468 in 5 groups of 6 would need 16 + 5 * 7 + 4 * 20 / 6 = 65; with 15 per router, 6 groups of 6 need 53. */
TEST(TopologyGenerator, LargestDragonfly)
{
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_DRAGONFLY, 16384, 8, 8)).parameters, "32,16;1,1;32,1;16");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_DRAGONFLY, 32768, 8, 8)).refusal,
            "--gpus: 32768 NICs in 45 groups of 46 routers need 78 ports per router, of 64; allowed: fewer NICs, a "
            "smaller --leaf, a larger --radix or --taper, or --dragonfly");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_DRAGONFLY, 468, 4, 4)).parameters, "6,15;1,1;6,5;15");
}

/* 1024 NICs, 16 per switch (a quarter of 64 ports): 64 switches in 8 rows of 8. Even traffic sends 1/8 of 16 NICs to
 * each column, and in a column 1/8 of what 8 switches sent there, 8 * 16 / 64 = 2, to each of its switches: 2 links.
 * Each of 8 rows and 8 columns has 8 * 7 / 2 pairs with 2 links: 896, and a switch 16 + 14 * 2 = 44 ports. A cut of all
 * rows into halves has 8 * 4 * 4 * 2 = 256 links for 512 NICs. */
TEST(TopologyGenerator, HyperXForEvenTraffic)
{
  const Drawn square = draw(request_of(SS_FABRIC_KIND_HYPERX, 1024, 4, 4));
  EXPECT_EQ(square.parameters, "8,8;2;16");
  EXPECT_EQ(square.design.hosts, 1024);
  EXPECT_EQ(ss_topology_bisection(&square.design), 0.5);
  EXPECT_EQ(square.text,
            "256 domains of 4 GPUs with 4 NICs each: 1024 GPUs, 1024 NICs. HyperX of 8 x 8 switches, 16 NICs at each: "
            "64 switches with 896 links, 2 between two of a row or a column.");
  /* 8 NICs per switch: 11 for 84 NICs, so 3 rows of 4. The 3 switches of a column need 8 / 3, so 3 links: 12 / 2 * 5
   * pairs with 3. Halves of a column: one switch with links to 2, 2 * 3 for 8 NICs. */
  ss_topology_request request = request_of(SS_FABRIC_KIND_HYPERX, 84, 4, 4);
  request.size[SS_DESIGN_LEAF] = 8;
  const Drawn oblong = draw(request);
  EXPECT_EQ(oblong.parameters, "3,4;3;8");
  EXPECT_EQ(ss_topology_bisection(&oblong.design), 0.75);
  EXPECT_NE(oblong.text.find("HyperX of 3 x 4 switches, 8 NICs at each: 12 switches with 90 links, 3 between two"),
            std::string::npos);
  EXPECT_NE(oblong.text.find("room for 96 NICs, so that 12 are spare"), std::string::npos);
  /* One row of two switches; one switch. */
  const Drawn pair = draw(request_of(SS_FABRIC_KIND_HYPERX, 32, 4, 4));
  EXPECT_EQ(pair.parameters, "1,2;8;16");
  EXPECT_EQ(ss_topology_bisection(&pair.design), 0.5);
  EXPECT_NE(pair.text.find("2 switches with 8 links"), std::string::npos);
  const Drawn one = draw(request_of(SS_FABRIC_KIND_HYPERX, 8, 4, 4));
  EXPECT_EQ(one.parameters, "1,1;1;8");
  EXPECT_EQ(ss_topology_bisection(&one.design), 1.0);
}

/* 10,000 NICs: 625 switches in 25 rows of 25 with 16 NICs and 48 links, all 64 ports; 10,004 need one switch more, so
 * 25 rows of 26, and with fewer NICs at each more switches still. With 20 at each they are 501, in 22 rows of 23: 20 +
 * 43. 2912 NICs in 13 rows of 14 would need 16 + 25 * 2; with 15 at each, 14 rows of 14 need 15 + 26 * 2; with 14, 14
 * rows of 15 need 14 + 27. */
TEST(TopologyGenerator, LargestHyperX)
{
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_HYPERX, 10000, 4, 4)).parameters, "25,25;1;16");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_HYPERX, 10004, 4, 4)).refusal,
            "--gpus: 10004 NICs on 25 x 26 switches need 65 ports per switch, of 64; allowed: fewer NICs, another "
            "--leaf, or a larger --radix");
  ss_topology_request request = request_of(SS_FABRIC_KIND_HYPERX, 10004, 4, 4);
  request.size[SS_DESIGN_LEAF] = 20;
  EXPECT_EQ(draw(request).parameters, "22,23;1;20");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_HYPERX, 2912, 4, 4)).parameters, "14,15;1;14");
  /* 2^20 switches of one NIC in rows and columns of 2^10: 2^20 links of NICs and 2^20 (2 * 1023) / 2 pairs. */
  request = request_of(SS_FABRIC_KIND_HYPERX, SS_CLUSTER_HOSTS, 1, 1);
  request.size[SS_DESIGN_RADIX] = 4096;
  request.size[SS_DESIGN_LEAF] = 1;
  EXPECT_EQ(draw(request).refusal,
            "--leaf: needs room for 1048576 NICs and 1073741824 links; allowed: at most 1048576 and 4194304");
}

/* A cube where there is one; else a box at most twice as long as wide. The cut across the longest dimension of 16 x 8 x
 * 8 cuts two links of each of 64 rings: 128 for 512 NICs. */
TEST(TopologyGenerator, TorusIsNearlyCubic)
{
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_TORUS, 512, 8, 8)).parameters, "8,8,8");
  const Drawn box = draw(request_of(SS_FABRIC_KIND_TORUS, 1024, 8, 8));
  EXPECT_EQ(box.parameters, "8,8,16");
  EXPECT_EQ(ss_topology_bisection(&box.design), 0.25);
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_TORUS, 5, 1, 1)).parameters, "5");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_TORUS, 997, 1, 1)).design.hosts, 1000); /* 997 is a prime; 10 x 10 x 10 */
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FLAT, 997, 1, 1)).design.hosts, 997);
}

TEST(TopologyGenerator, HasRoomForAllNics)
{
  for (int kind = 0; kind < SS_FABRIC_KIND_COUNT; ++kind)
    for (int64_t gpus = 1; gpus <= 4096; gpus += gpus < 80 ? 1 : 97) {
      const Drawn drawn = draw(request_of((ss_fabric_kind)kind, gpus, 1, 1));
      ASSERT_EQ(drawn.refusal, "") << gpus;
      ASSERT_GE(drawn.design.hosts, gpus) << drawn.parameters;
      ASSERT_LE(drawn.design.hosts, 2 * gpus + 64) << drawn.parameters;
      ASSERT_GT(ss_topology_bisection(&drawn.design), 0.0);
      ASSERT_EQ(gpus % std::max<int64_t>(drawn.design.rail_domains, 1), 0);
    }
}

TEST(TopologyGenerator, RefusesWhatDoesNotGoTogether)
{
  const auto with = [](ss_fabric_kind kind, ss_design_option size, int64_t value) {
    ss_topology_request request = request_of(kind, 1024, 8, 8);
    request.size[size] = value;
    return draw(request).refusal;
  };
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FLAT, 20, 8, 8)).refusal,
            "--domain: \"8\": does not divide --gpus 20; allowed: 1, 2, 4, 5, 10, 20");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FLAT, 64, 8, 3)).refusal,
            "--nics: \"3\": does not suit the 8 GPUs of a domain; allowed: 1, 2, 4, 8, or a multiple of 8");
  EXPECT_EQ(draw(request_of(SS_FABRIC_KIND_FLAT, SS_CLUSTER_HOSTS, 1, 2)).refusal,
            "--nics: \"2\": makes more than 1048576 NICs; allowed: at most 1");
  EXPECT_EQ(with(SS_FABRIC_KIND_TORUS, SS_DESIGN_TAPER, 2), "--taper: does not apply to --fabric torus");
  EXPECT_EQ(with(SS_FABRIC_KIND_FAT_TREE, SS_DESIGN_TORUS, 1), "--torus-dims: does not apply to --fabric fat-tree");
  EXPECT_EQ(with(SS_FABRIC_KIND_FAT_TREE, SS_DESIGN_RADIX, 1),
            "--radix: \"1\": connects nothing; allowed: 2 ports or more");
  EXPECT_EQ(with(SS_FABRIC_KIND_FAT_TREE, SS_DESIGN_TAPER, 3),
            "--taper: \"3\": does not divide the NICs of a leaf, which are 32; allowed: 1, 2, 4, 8, 16, 32");
  EXPECT_EQ(with(SS_FABRIC_KIND_FAT_TREE, SS_DESIGN_LEAF, 48),
            "--leaf: \"48\": needs 96 ports with its links up, of 64; allowed: 1 to 32");
  EXPECT_EQ(
      with(SS_FABRIC_KIND_RAIL, SS_DESIGN_LEAF, 24),
      "--leaf: \"24\": is neither a part of a rail of 128 domains nor several rails; allowed: 1, 2, 4, 8, 16, 32, "
      "64, 128, or 128 times 1, 2, 4, 8");
  EXPECT_EQ(with(SS_FABRIC_KIND_FAT_TREE, SS_DESIGN_LEVELS, 1),
            "--levels: \"1\": 32 leaf switches of 64 ports need other levels; allowed: 2 to 6");
  EXPECT_EQ(with(SS_FABRIC_KIND_FAT_TREE, SS_DESIGN_LEVELS, 7),
            "--levels: \"7\": 32 leaf switches of 64 ports need other levels; allowed: 2 to 6");
  ss_topology_request request = request_of(SS_FABRIC_KIND_FAT_TREE, SS_CLUSTER_HOSTS, 1, 1);
  request.size[SS_DESIGN_RADIX] = 40;
  EXPECT_NE(draw(request).refusal.find("are too many for a platform file"), std::string::npos);
}
