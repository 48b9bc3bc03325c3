/* Links of a fabric: their names and speeds, and routes derived by hand, also where links are dead. That all routes are
 * those of SimGrid is shown in tests/engine/test_fabric.cpp. */
#include <sstream>

#include "tests/support/links.hpp"

using namespace stepsim;

namespace
{

const char *const shared = "sharing_policy=\"SHARED\"";
const char *const backbone = "bb_bw=\"25GBps\"";
const char *const wide_tree = "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;2,2;1,3\"";
const char *const high_tree = "topology=\"FAT_TREE\" topo_parameters=\"3;2,4,2;1,2,2;1,1,2\"";
const char *const shared_tree = "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,1\" sharing_policy=\"SHARED\"";
const char *const dragonfly = "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;4,1;1\"";
const char *const shared_dragonfly =
    "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;4,1;1\" sharing_policy=\"SHARED\"";
const char *const torus = "topology=\"TORUS\" topo_parameters=\"4,4\"";
const char *const ring = "topology=\"TORUS\" topo_parameters=\"16\"";
const char *const hyperx = "topology=\"HYPERX\" topo_parameters=\"4,4;1;1\"";
const char *const oblong_hyperx = "topology=\"HYPERX\" topo_parameters=\"2,4;1;2\"";
const char *const bundled_hyperx = "topology=\"HYPERX\" topo_parameters=\"2,4;3;2\"";
const char *const fabrics[] = {"",        shared,           backbone, fat_tree, wide_tree, high_tree,    shared_tree,
                               dragonfly, shared_dragonfly, torus,    ring,     hyperx,    oblong_hyperx};

const char *const rails = "<prop id=\"rail-domains\" value=\"4\"/>";
const std::string adaptive = "<prop id=\"adaptive-routing\" value=\"1\"/>";

} /* namespace */

/* Every GPU and NIC of a flat fabric has one link out and one in; shared, a NIC has one. */
TEST(Links, FlatFabricsHaveAPortForEachHost)
{
  const Links flat("", ""), both(shared, ""), middle(backbone, "");
  EXPECT_EQ(flat.names().size(), 2u * 16 + 2 * 16);
  EXPECT_EQ(flat.name(2 * 3), "gpu-3:out");
  EXPECT_EQ(flat.name(2 * 3 + 1), "gpu-3:in");
  EXPECT_EQ(flat.route(4, 5, false), "gpu-4:out gpu-5:in");
  EXPECT_EQ(flat.route(4, 12), "nic-4:out nic-12:in");
  EXPECT_EQ(both.names().size(), 2u * 16 + 16);
  EXPECT_EQ(both.route(4, 12), "nic-4 nic-12");
  EXPECT_EQ(both.route(12, 4), "nic-12 nic-4");
  EXPECT_EQ(middle.route(4, 12), "nic-4:out backbone nic-12:in");
}

/* Four leaf switches of four NICs, two switches above. A leaf switch sends what is for NIC t through port t mod 2, to
 * the switch from which there is one cable down to the leaf switch t / 4: its cable with port t mod 2. */
TEST(Links, ATaperedTreeSendsByDestination)
{
  const Links tree(fat_tree, "");
  EXPECT_EQ(tree.names().size(), 2u * 16 + 2 * 16 + 2 * 4 * 2);
  EXPECT_EQ(tree.route(0, 3), "nic-0:out nic-3:in");
  EXPECT_EQ(tree.route(0, 5), "nic-0:out leaf-0:up-1 leaf-1:down-1 nic-5:in");
  EXPECT_EQ(tree.route(0, 6), "nic-0:out leaf-0:up-0 leaf-1:down-0 nic-6:in");
  EXPECT_EQ(tree.route(15, 2), "nic-15:out leaf-3:up-0 leaf-0:down-0 nic-2:in");
  EXPECT_EQ(Links(shared_tree, "").route(0, 5), "nic-0 leaf-0:1 leaf-1:1 nic-5");
}

/* Three levels, 2 * 4 * 2 hosts, leaf switches t / 2 with two switches above, eight switches on the second level (low
 * digit: which of the two; the next: t / 8). From 1 to 13, leaf 0 takes port 13 mod 2 = 1, to switch 1 of the second
 * level. It has 2 * 2 ports: 13 / 2 mod 4 = 2, which is switch 0 above it through the second parallel cable. Down, the
 * source says the parallel cable: 1 mod 2, of port 0 + 2 * 1, to switch 1 + 2 * (13 / 8) = 3; leaf switch 6 = 13 / 2.
 */
TEST(Links, AHighTreeHasPortsOnEachLevel)
{
  EXPECT_EQ(Links(high_tree, "").route(1, 13),
            "nic-1:out leaf-0:up-1 level2-1:up-2 level2-3:down-2 leaf-6:down-1 nic-13:in");
}

/* NIC n of domain d is host 4 n + d of the tree, so leaf switch n has the n-th NICs of all domains: NICs 0, 4, 8 and 12
 * are neighbours. NIC 1 is host 4: the way there leaves leaf switch 0 through port 4 mod 2. */
TEST(Links, RailsMakeNeighboursOfTheSameNicsOfDomains)
{
  const Links all(fat_tree, rails), pairs(fat_tree, "<prop id=\"rail-domains\" value=\"2\"/>");
  EXPECT_EQ(all.route(0, 4), "nic-0:out nic-4:in");
  EXPECT_EQ(all.route(8, 12), "nic-8:out nic-12:in");
  EXPECT_EQ(all.route(0, 1), "nic-0:out leaf-0:up-0 leaf-1:down-0 nic-1:in");
  EXPECT_EQ(all.route(15, 3), "nic-15:out nic-3:in"); /* hosts 15 and 12 */
  /* Runs of two domains have 8 hosts: NIC n of domain d is host 8 (d / 2) + 2 n + d mod 2. So NICs 0, 4, 1, 5 have leaf
   * switch 0, and NIC 9, n = 1 of domain 2, is host 10 of leaf switch 2. */
  EXPECT_EQ(pairs.route(4, 5), "nic-4:out nic-5:in");
  EXPECT_EQ(pairs.route(0, 9), "nic-0:out leaf-0:up-0 leaf-2:down-0 nic-9:in");
}

/* Along the row, then along the column. Four rows of four switches, 4 row + column, with a NIC each: of 15 others, 3
 * are in the row and 3 in the column, behind one cable, and 9 behind two; each of the 4 rows and 4 columns has 6
 * cables. Two rows of four with two NICs each: one other at the same switch, (3 + 1) 2 behind one cable and 3 * 2
 * behind two; 2 * 6 + 4 * 1 cables. Three links between two switches are one cable of their bandwidth. */
TEST(Links, AHyperXGoesAlongTheRowThenTheColumn)
{
  const Links square(hyperx, ""), oblong(oblong_hyperx, "");
  EXPECT_EQ(square.names().size(), 2u * 16 + 2 * 16 + 2 * 48);
  EXPECT_EQ(oblong.names().size(), 2u * 16 + 2 * 16 + 2 * 16);
  EXPECT_EQ(square.route(5, 7), "nic-5:out switch-5:to-7 nic-7:in");
  EXPECT_EQ(square.route(5, 13), "nic-5:out switch-5:to-13 nic-13:in");
  EXPECT_EQ(square.route(5, 10), "nic-5:out switch-5:to-6 switch-6:to-10 nic-10:in");
  EXPECT_EQ(square.route(10, 5), "nic-10:out switch-10:to-9 switch-9:to-5 nic-5:in");
  EXPECT_EQ(oblong.route(0, 1), "nic-0:out nic-1:in");
  EXPECT_EQ(oblong.route(15, 2), "nic-15:out switch-7:to-5 switch-5:to-1 nic-2:in");
  EXPECT_EQ(square.lengths(), (std::map<int, int>{{3, 16 * 6}, {4, 16 * 9}}));
  EXPECT_EQ(oblong.lengths(), (std::map<int, int>{{2, 16}, {3, 16 * 8}, {4, 16 * 6}}));
  EXPECT_EQ(Links(bundled_hyperx, "").slowed(3).size(), 2u * 16);
}

/* The same switches and cables, but SimGrid's routes between columns continue from the first chassis: from router 5 to
 * 6 they load the cable from 2 to 6, too, and from 5 to 10 they jump from router 6 to 2. */
TEST(Links, ADragonflyOfOneGroupIsWiredButNotRoutedAsAHyperX)
{
  const Links group("topology=\"DRAGONFLY\" topo_parameters=\"1,1;4,1;4,1;1\"", "");
  std::set<std::string> names;
  for (std::string name : Links(hyperx, "").names()) {
    if (name.rfind("switch", 0) == 0) replace(name, "switch", "router");
    names.insert(name);
  }
  EXPECT_EQ(group.names(), names);
  EXPECT_EQ(group.route(5, 6), "nic-5:out router-5:to-6 router-2:to-6 nic-6:in");
  EXPECT_EQ(group.route(5, 10), "nic-5:out router-5:to-6 router-2:to-10 nic-10:in");
}

/* Each link by its name alone, and both of a cable without the direction. */
TEST(Links, NamesMeanTheLinksThatHaveThem)
{
  for (const char *fabric : fabrics)
    for (const char *wiring : {"", rails}) {
      const Links plain(fabric, wiring);
      for (const std::string &name : plain.names()) {
        SCOPED_TRACE(std::string(fabric) + " " + name);
        EXPECT_EQ(Links(plain, name + ":0.25").slowed(0.25), std::set<std::string>{name});
      }
    }
  const std::vector<std::array<std::string, 4>> cables = {{"", "gpu-3", "gpu-3:out", "gpu-3:in"},
                                                          {fat_tree, "nic-15", "nic-15:out", "nic-15:in"},
                                                          {wide_tree, "nic-2:1", "nic-2:out-1", "nic-2:in-1"},
                                                          {fat_tree, "leaf-2:1", "leaf-2:up-1", "leaf-2:down-1"},
                                                          {torus, "nic-7:1", "nic-7:up-1", "nic-7:down-1"},
                                                          {dragonfly, "router-3:1", "router-3:to-1", "router-1:to-3"},
                                                          {hyperx, "switch-9:1", "switch-9:to-1", "switch-1:to-9"}};
  for (const auto &[fabric, cable, out, in] : cables)
    EXPECT_EQ(Links(fabric, link_speed("  " + cable + ":0.25 ")).slowed(0.25), (std::set<std::string>{out, in}))
        << cable;
  EXPECT_EQ(Links(shared_dragonfly, link_speed("router-3:1:0.25")).slowed(0.25), std::set<std::string>{"router-1:3"});
  EXPECT_EQ(Links("", link_speed("gpu_1..2:0.5")).slowed(0.5),
            (std::set<std::string>{"gpu-1:out", "gpu-1:in", "gpu-2:out", "gpu-2:in"}));
  EXPECT_EQ(Links(fat_tree, link_speed("leaf-2..3:up-0..1:0.5")).slowed(0.5),
            (std::set<std::string>{"leaf-2:up-0", "leaf-2:up-1", "leaf-3:up-0", "leaf-3:up-1"}));
  EXPECT_EQ(Links("", link_speed("gpu-0:1e-1 nic-1:in:.1")).slowed(0.1),
            (std::set<std::string>{"gpu-0:out", "gpu-0:in", "nic-1:in"}));
}

TEST(Links, DeadPortsHaveNoOtherWay)
{
  const Links tree(fat_tree, link_speed("nic-5:out:0 nic-7:0 gpu-1:in:0"));
  EXPECT_EQ(tree.route(5, 6), "none");
  EXPECT_EQ(tree.route(6, 5), "nic-6:out nic-5:in");
  EXPECT_EQ(tree.route(7, 6), "none");
  EXPECT_EQ(tree.route(0, 7), "none");
  EXPECT_EQ(tree.route(0, 1, false), "none");
  EXPECT_EQ(tree.route(1, 0, false), "gpu-1:out gpu-0:in");
  EXPECT_EQ(Links(backbone, link_speed("backbone:0")).route(0, 5), "none");
}

/* What went through port 1 goes through port 0, up and down: the other way, on which both cables are alive. */
TEST(Links, TreesGoAroundDeadLinks)
{
  EXPECT_EQ(Links(fat_tree, link_speed("leaf-0:up-1:0")).route(0, 5), "nic-0:out leaf-0:up-0 leaf-1:down-0 nic-5:in");
  EXPECT_EQ(Links(fat_tree, link_speed("leaf-1:down-1:0")).route(0, 5), "nic-0:out leaf-0:up-0 leaf-1:down-0 nic-5:in");
  EXPECT_EQ(Links(fat_tree, link_speed("leaf-1:down-1:0")).route(5, 1), "nic-5:out leaf-1:up-1 leaf-0:down-1 nic-1:in");
  EXPECT_EQ(Links(fat_tree, link_speed("leaf-0:up-0:0 leaf-1:down-1:0")).route(0, 5), "none");
  EXPECT_EQ(Links(fat_tree, link_speed("leaf-0:0:0 leaf-0:1:0")).route(0, 3), "nic-0:out nic-3:in");
  /* Two switches above each host with three parallel cables between the levels. To 5 from port 5 mod 2 = 1, then 5 / 2
   * mod (2 * 3) = 2, the second parallel cable to switch 0: ports 0, 2 and 4, of which the third is next. Down through
   * the parallel cable that the source says, 1 mod 3: port 0 + 2 * 1. */
  const std::string end = " nic-5:in-1";
  EXPECT_EQ(Links(wide_tree, "").route(1, 5), "nic-1:out-1 leaf-1:up-2 leaf-3:down-2" + end);
  EXPECT_EQ(Links(wide_tree, link_speed("leaf-1:up-2:0")).route(1, 5), "nic-1:out-1 leaf-1:up-4 leaf-3:down-2" + end);
  EXPECT_EQ(Links(wide_tree, link_speed("leaf-3:2:0 leaf-1:2:0 leaf-1:4:0")).route(1, 5),
            "nic-1:out-1 leaf-1:up-0 leaf-3:down-4" + end);
  EXPECT_EQ(Links(wide_tree, link_speed("leaf-1:0:0 leaf-1:2:0 leaf-1:4:0")).route(1, 5),
            "nic-1:out-1 leaf-1:up-3 leaf-3:down-3" + end);
  EXPECT_EQ(Links(wide_tree, link_speed("nic-1:out-1:0")).route(1, 5),
            "nic-1:out-0 leaf-0:up-2 leaf-2:down-2 nic-5:in-0");
}

/* The shortest way that is left. */
TEST(Links, ToriDragonfliesAndHyperXsGoAroundDeadLinks)
{
  EXPECT_EQ(Links(torus, "").route(0, 5), "nic-0:up-0 nic-1:up-1");
  EXPECT_EQ(Links(torus, link_speed("nic-1:up-1:0")).route(0, 5), "nic-0:up-1 nic-4:up-0");
  EXPECT_EQ(Links(torus, link_speed("nic-0:up-0:0 nic-0:up-1:0")).route(0, 5),
            "nic-3:down-0 nic-2:down-0 nic-1:down-0 nic-1:up-1");
  EXPECT_EQ(Links(ring, link_speed("nic-0:up-0:0")).route(0, 14), "nic-15:down-0 nic-14:down-0");
  EXPECT_EQ(Links(ring, link_speed("nic-14:0:0 nic-2:0:0")).route(0, 14), "none");
  /* Two groups with two chassis of four routers: router 4 c + r + 8 g, one NIC each. */
  EXPECT_EQ(Links(dragonfly, "").route(1, 10), "nic-1:out router-1:to-8 router-8:to-10 nic-10:in");
  EXPECT_EQ(Links(dragonfly, link_speed("router-8:to-10:0")).route(1, 10),
            "nic-1:out router-1:to-8 router-8:to-9 router-9:to-10 nic-10:in");
  EXPECT_EQ(Links(dragonfly, link_speed("router-0:4:0")).route(0, 4),
            "nic-0:out router-0:to-1 router-1:to-5 router-5:to-4 nic-4:in");
  EXPECT_EQ(Links(dragonfly, link_speed("router-1:8:0")).route(1, 10), "none"); /* the one cable between the groups */
  EXPECT_EQ(Links(hyperx, link_speed("switch-5:6:0")).route(5, 10), "nic-5:out switch-5:to-9 switch-9:to-10 nic-10:in");
  EXPECT_EQ(Links(hyperx, link_speed("switch-5:6:0")).route(5, 6), "nic-5:out switch-5:to-4 switch-4:to-6 nic-6:in");
}

TEST(Links, WhatIsNoLinkOrSpeedIsRefused)
{
  const std::string form = "allowed: NAME:FACTOR, separated by blanks, with factors from 0 to 1, such as nic-5:out:0.5";
  const std::string all = "allowed: gpu-0..15[:out|:in], nic-0..15[:out|:in], leaf-0..3:[up-|down-]0..1";
  const std::vector<Case> cases = {
      {"nic-5", "nic-5 does not end in a factor; " + form},
      {"nic-5:", "nic-5: does not end in a factor; " + form},
      {"nic-5:in", "nic-5:in does not end in a factor; " + form},
      {"nic-5:1.5", "nic-5:1.5 does not end in a factor; " + form},
      {"nic-5:-0.5", "nic-5:-0.5 does not end in a factor; " + form},
      {"nic-5:0x1", "nic-5:0x1 does not end in a factor; " + form},
      {"nic-5:nan", "nic-5:nan does not end in a factor; " + form},
      {"nic-5:1-", "nic-5:1- does not end in a factor; " + form},
      {"nic-5:0.5,nic-6:0.5", "there is no link nic-5:0.5,nic-6; " + all},
      {"nic-16:0.5", "there is no link nic-16; " + all},
      {"nic-05:0.5", "there is no link nic-05; " + all},
      {"nic-:0.5", "there is no link nic-; " + all},
      {"nic-1:up:0.5", "there is no link nic-1:up; " + all},
      {"nic-1:out-0:0.5", "there is no link nic-1:out-0; " + all},
      {"leaf-2:0.5", "there is no link leaf-2; " + all},
      {"leaf-2:up:0.5", "there is no link leaf-2:up; " + all},
      {"leaf-4:up-0:0.5", "there is no link leaf-4:up-0; " + all},
      {"leaf-2:up-2:0.5", "there is no link leaf-2:up-2; " + all},
      {"leaf-2:up-1x:0.5", "there is no link leaf-2:up-1x; " + all},
      {":0.5", "there is no link ; " + all},
      {"nic-5:0.5 nic-5:in:1", "link nic-5:in occurs again; allowed: once"},
  };
  ss_machine machine;
  for (const Case &c : cases)
    EXPECT_EQ(load_machine(platform(fat_tree, link_speed(c.input)), &machine),
              "PATH:14: link-speed=\"" + c.input + "\": " + c.expected);
  const std::vector<Case> names = {
      {shared, "gpu-0..15[:out|:in], nic-0..15"},
      {backbone, "gpu-0..15[:out|:in], nic-0..15[:out|:in], backbone"},
      {shared_tree, "gpu-0..15[:out|:in], nic-0..15, leaf-0..3:0..1"},
      {high_tree, "gpu-0..15[:out|:in], nic-0..15[:out|:in], leaf-0..7:[up-|down-]0..1, level2-0..3:[up-|down-]0..3"},
      {dragonfly, "gpu-0..15[:out|:in], nic-0..15[:out|:in], router-0..15:[to-]0..15 where there is a cable"},
      {hyperx, "gpu-0..15[:out|:in], nic-0..15[:out|:in], switch-0..15:[to-]0..15 where there is a cable"},
      {torus, "gpu-0..15[:out|:in], nic-0..15:[up-|down-]0..1"},
  };
  for (const Case &c : names)
    EXPECT_EQ(load_machine(platform(c.input, link_speed("router-0:to-13:0")), &machine),
              "PATH:14: link-speed=\"router-0:to-13:0\": there is no link router-0:to-13; allowed: " + c.expected);
  for (const std::string name : {"leaf-0:up-2", "leaf-0:up-", "nic-0:out-0"})
    EXPECT_EQ(load_machine(platform(fat_tree, adaptive + link_speed(name + ":0")), &machine),
              "PATH:14: link-speed=\"" + name + ":0\": there is no link " + name +
                  "; allowed: gpu-0..15[:out|:in], nic-0..15[:out|:in], leaf-0..3[:up|:down][-0..1]");
  EXPECT_EQ(load_machine(platform(fat_tree, adaptive + link_speed("leaf-0:up:0.5 leaf-0:0:0")), &machine),
            "PATH:14: link-speed=\"leaf-0:up:0.5 leaf-0:0:0\": link leaf-0:0 occurs again; allowed: once");
  const std::string longest(SS_LINK_SPEED_SIZE - 1, ' ');
  EXPECT_EQ(load_machine(platform(fat_tree, link_speed(longest)), &machine), "accepted");
  EXPECT_EQ(load_machine(platform(fat_tree, link_speed(longest + " ")), &machine),
            "PATH:14: link-speed=\"" + std::string(124, ' ') + "...\": has 2048 bytes; allowed: at most 2047");
}

/* With adaptive routing the two cables of a leaf switch are one of twice the bandwidth. In the tree of three levels, 8
 * cables lead up from the 4 leaf switches of a subtree with their 2 switches above: 2 to each of 2 from each of 2. */
TEST(Links, AdaptiveRoutingJoinsCables)
{
  const Links tree(fat_tree, adaptive), high(high_tree, adaptive), on_rails(fat_tree, adaptive + rails);
  EXPECT_EQ(tree.route(0, 12), "nic-0:out leaf-0:up leaf-3:down nic-12:in");
  EXPECT_EQ(tree.route(0, 13), "nic-0:out leaf-0:up leaf-3:down nic-13:in");
  EXPECT_EQ(tree.route(0, 3), "nic-0:out nic-3:in");
  EXPECT_EQ(on_rails.route(0, 12), "nic-0:out nic-12:in");
  EXPECT_EQ(tree.slowed(2.0).size(), 2u * 4);
  EXPECT_EQ(high.route(0, 15), "nic-0:out leaf-0:up level2-0:up level2-1:down leaf-7:down nic-15:in");
  EXPECT_EQ(high.route(0, 7), "nic-0:out leaf-0:up leaf-3:down nic-7:in");
  EXPECT_EQ(high.slowed(2.0).size(), 2u * 8);
  EXPECT_EQ(high.slowed(8.0), (std::set<std::string>{"level2-0:up", "level2-0:down", "level2-1:up", "level2-1:down"}));
  EXPECT_EQ(Links(tree, "leaf-0:0").route(0, 12), "none");
}

/* A link of two cables has 1.5 of them where one is at half its speed, and that of eight has 6 where two are dead. */
TEST(Links, CablesOfOneLinkHaveNamesOfTheirOwn)
{
  const Links tree(fat_tree, adaptive), high(high_tree, adaptive);
  EXPECT_EQ(Links(tree, "leaf-0:up-1:0.5").slowed(1.5), std::set<std::string>{"leaf-0:up"});
  EXPECT_EQ(Links(tree, "leaf-0:1:0.5").slowed(1.5), (std::set<std::string>{"leaf-0:up", "leaf-0:down"}));
  EXPECT_EQ(Links(tree, "leaf-2:up-0..1:0.5").slowed(1.0).count("leaf-2:up"), 1u);
  EXPECT_EQ(Links(tree, "leaf-0:0..1:0").route(0, 12), "none");
  EXPECT_EQ(Links(high, "level2-1:down-0:0 level2-1:down-7:0").slowed(6.0), std::set<std::string>{"level2-1:down"});
}

TEST(Links, AdaptiveRoutingNeedsSeveralRoutes)
{
  ss_machine machine;
  ss_error error = {};
  EXPECT_EQ(
      load_machine(platform(torus, adaptive), &machine),
      "PATH:14: adaptive-routing=\"1\": needs a fabric with several routes to choose from; allowed: 0, or a fat tree");
  ASSERT_EQ(load_machine(platform(torus), &machine), "accepted");
  ASSERT_EQ(ss_override("platform.adaptive-routing=1", nullptr, &machine, &error), SS_OK);
  EXPECT_EQ(
      printed(ss_machine_check(&machine, &error), error, machine.file),
      "--set: adaptive-routing=\"1\": needs a fabric with several routes to choose from; allowed: 0, or a fat tree");
  const Links tables(fat_tree, adaptive, "leaf-0:0 0-15\n");
  EXPECT_EQ(tables.said.substr(0, 14), "--set: routes=");
}

TEST(Links, RailsDivideTheDomains)
{
  ss_machine machine;
  ss_error error = {};
  EXPECT_EQ(load_machine(platform(fat_tree, "<prop id=\"rail-domains\" value=\"3\"/>"), &machine),
            "PATH:14: rail-domains=\"3\": does not divide the 4 domains; allowed: 0 or a divisor of 4");
  ASSERT_EQ(load_machine(platform(fat_tree, rails), &machine), "accepted");
  ASSERT_EQ(ss_override("platform.rail-domains=8", nullptr, &machine, &error), SS_OK);
  EXPECT_EQ(printed(ss_machine_check(&machine, &error), error, machine.file),
            "--set: rail-domains=\"8\": does not divide the 4 domains; allowed: 0 or a divisor of 4");
  ASSERT_EQ(ss_override("platform.rail-domains=0", nullptr, &machine, &error), SS_OK);
  ASSERT_EQ(ss_override("platform.link-speed=nic-16:0", nullptr, &machine, &error), SS_OK);
  EXPECT_EQ(printed(ss_machine_check(&machine, &error), error, machine.file),
            "--set: link-speed=\"nic-16:0\": there is no link nic-16; allowed: gpu-0..15[:out|:in], "
            "nic-0..15[:out|:in], leaf-0..3:[up-|down-]0..1");
  ASSERT_EQ(ss_override("platform.link-speed=nic-15:0", nullptr, &machine, &error), SS_OK);
  EXPECT_EQ(ss_machine_check(&machine, &error), SS_OK);
}

/* Leaves of four NICs with ports 0 and 1 up: 5 and 6 swap the ports that they have by destination. */
TEST(Links, TreesTakeTheRoutesOfAFile)
{
  const Links tree(fat_tree, "", "# a comment\nleaf-0:0 5,13 # to port 0\n\n  leaf-0:1\t4-6:2\n");
  EXPECT_EQ(tree.said, "accepted");
  EXPECT_EQ(tree.route(0, 5), "nic-0:out leaf-0:up-0 leaf-1:down-0 nic-5:in");
  EXPECT_EQ(tree.route(3, 13), "nic-3:out leaf-0:up-0 leaf-3:down-0 nic-13:in");
  EXPECT_EQ(tree.route(0, 4), "nic-0:out leaf-0:up-1 leaf-1:down-1 nic-4:in");
  EXPECT_EQ(tree.route(0, 6), "nic-0:out leaf-0:up-1 leaf-1:down-1 nic-6:in");
  EXPECT_EQ(tree.route(0, 7), "nic-0:out leaf-0:up-1 leaf-1:down-1 nic-7:in");
  EXPECT_EQ(tree.route(8, 5), "nic-8:out leaf-2:up-1 leaf-1:down-1 nic-5:in"); /* what is not said is by destination */
  EXPECT_EQ(tree.route(5, 0), "nic-5:out leaf-1:up-0 leaf-0:down-0 nic-0:in");
  EXPECT_EQ(Links(shared_tree, "", "leaf-0:0 5").route(0, 5), "nic-0 leaf-0:0 leaf-1:0 nic-5");
  /* NIC 1 is host 4 of rails, of leaf 1. */
  EXPECT_EQ(Links(fat_tree, rails, "leaf-0:1 1").route(0, 1), "nic-0:out leaf-0:up-1 leaf-1:down-1 nic-1:in");
  EXPECT_EQ(Links(fat_tree, link_speed("leaf-0:0:0"), "leaf-0:0 5").route(0, 5),
            "nic-0:out leaf-0:up-1 leaf-1:down-1 nic-5:in");
}

/* Two switches above each host, three cables to each of two further up: 1 to 5 goes by hosts' port 1, leaf 1, port 2
 * and down through 2 by itself (see TreesGoAroundDeadLinks). Each choice on the way is another one here. */
TEST(Links, RoutesChooseOnEveryLevel)
{
  EXPECT_EQ(Links(wide_tree, "", "leaf-3:4 5").route(1, 5), "nic-1:out-1 leaf-1:up-2 leaf-3:down-4 nic-5:in-1");
  EXPECT_EQ(Links(wide_tree, "", "leaf-1:5 5\nleaf-3:1 5").route(1, 5),
            "nic-1:out-1 leaf-1:up-5 leaf-3:down-1 nic-5:in-1");
  EXPECT_EQ(Links(wide_tree, "", "nic-1:0 5\nleaf-0:1 5").route(1, 5),
            "nic-1:out-0 leaf-0:up-1 leaf-2:down-3 nic-5:in-0");
  EXPECT_EQ(Links(high_tree, "", "level2-1:1 13").route(1, 13),
            "nic-1:out leaf-0:up-1 level2-1:up-1 level2-3:down-3 leaf-6:down-1 nic-13:in");
  EXPECT_EQ(Links(high_tree, "", "level2-3:0 13").route(1, 13),
            "nic-1:out leaf-0:up-1 level2-1:up-2 level2-3:down-0 leaf-6:down-1 nic-13:in");
}

TEST(Links, RefusesRoutes)
{
  const std::string form = ": is no route; allowed: CABLE NICS, such as \"leaf-2:3 0-95:12,101\": what is for NICs 0, "
                           "12, ... 84 and 101 takes port 3 of leaf 2",
                    names = " of the fabric; allowed: without a direction, which follows from the NIC: "
                            "gpu-0..15[:out|:in], nic-0..15[:out|:in], leaf-0..3:[up-|down-]0..1";
  const struct {
    std::string routes, message;
  } cases[] = {
      {"leaf-0:0", "PATH:1: \"leaf-0:0\"" + form},
      {"\nleaf-0:0 5;6", "PATH:2: \"leaf-0:0 5;6\"" + form},
      {"leaf-0:0 4-8:0", "PATH:1: \"leaf-0:0 4-8:0\"" + form},
      {"leaf-0:0 4-8:9999999", "PATH:1: \"leaf-0:0 4-8:9999999\"" + form},
      {"leaf-0:0 -8", "PATH:1: \"leaf-0:0 -8\"" + form},
      {"leaf-0:0 5,", "PATH:1: \"leaf-0:0 5,\"" + form},
      {"leaf-0:2 5", "PATH:1: there is no cable leaf-0:2" + names},
      {"leaf-0:up-1 5", "PATH:1: there is no cable leaf-0:up-1" + names},
      {"gpu-3 5", "PATH:1: there is no cable gpu-3" + names},
      {"leaf-0:0 8-16", "PATH:1: NICs 8 to 16 do not exist; allowed: in order, from 0 to 15"},
      {"leaf-0:0 6-5", "PATH:1: NICs 6 to 5 do not exist; allowed: in order, from 0 to 15"},
      {"leaf-0:0 4-6\nleaf-0:1 9,5", "PATH:2: says through which cable a switch sends to a NIC, as line 1 does; "
                                     "allowed: one cable for each switch and "
                                     "NIC"},
      {"leaf-0:0 5\nleaf-1:0 4\nleaf-1:0 4", "PATH:3: says through which cable a switch sends to a NIC, as line 2 "
                                             "does; allowed: one cable for each switch and "
                                             "NIC"},
  };
  for (const auto &c : cases) EXPECT_EQ(Links(fat_tree, "", c.routes).said, c.message) << c.routes;
  EXPECT_EQ(Links(torus, "", "nic-0 5").said.substr(0, 14), "--set: routes=");
  EXPECT_EQ(Links(fat_tree, "", "# nothing\n").said, "accepted");
}
