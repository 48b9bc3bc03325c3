/* Forwarding tables beside the cables they are for: ibsim* of tests/cluster_files and docs/samples, which OpenSM made
 * for the simulated fabric of ibsim, and the same with other ports. */
#include <algorithm>
#include <numeric>
#include <random>
#include <regex>

#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/import/cluster/assignment.h"
#include "sim/import/cluster/own_cluster.h"
#include "sim/import/cluster/own_routes.h"
}

using namespace stepsim;

namespace
{

/* What is said of tables with these cables: the numbers of both notes, or the refusal with the name of the file left
 * out. */
std::string said_of(const std::string &tables, const std::string &cables)
{
  ss_own_draft draft = {};
  ss_error error = {};
  ss_status status = SS_OK;
  const std::string path = write("tables.lfts", tables);
  for (const std::string &file : {cables, path}) {
    ss_source source;
    if (file.empty() || status != SS_OK) continue;
    status = ss_source_read(file.c_str(), &source, &error);
    if (status == SS_OK) status = ss_own_take(&draft, &source, ss_own_file_of(source.text), &error);
    ss_source_free(&source);
  }
  std::string all;
  for (int64_t i = 0; status == SS_OK && i < draft.notes; ++i) all += draft.note[i];
  ss_own_free(&draft);
  if (status != SS_OK) return printed(status, error, path);
  const std::regex numbers(
      "of (\\d+) routes .* NICs of others, (\\d+) \\(.* switches has (\\S+) messages on average over "
      "(\\d+) distances and (\\d+) at most; cables of a leaf that share evenly, (\\S+)\\.$");
  std::smatch found;
  if (!std::regex_search(all, found, numbers)) return all;
  return found[2].str() + " of " + found[1].str() + "; " + found[3].str() + " over " + found[4].str() + ", at most " +
         found[5].str() + ", evenly " + found[6].str();
}

/* The routes of tables with the cables of ibsim, as text. */
std::string routes_of(const std::string &tables)
{
  ss_own_draft draft = {};
  ss_error error = {};
  for (const std::string &file :
       {source_path("tests/cluster_files/ibsim.ibnetdiscover"), write("tables.lfts", tables)}) {
    ss_source source;
    EXPECT_EQ(ss_source_read(file.c_str(), &source, &error), SS_OK);
    EXPECT_EQ(ss_own_take(&draft, &source, ss_own_file_of(source.text), &error), SS_OK) << error.message;
    ss_source_free(&source);
  }
  char *text = ss_own_routes_text(&draft);
  const std::string copy = text;
  free(text);
  ss_own_free(&draft);
  return copy;
}

/* The line of a text that begins so. */
std::string line_of(const std::string &text, const std::string &begin)
{
  const size_t at = text.find("\n" + begin);
  return at == std::string::npos ? "none" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

std::string file(const std::string &name)
{
  return source_path("tests/cluster_files/" + name);
}

std::string text_of(const std::string &name)
{
  std::ifstream stream(file(name));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string said_of(const std::string &tables)
{
  return said_of(tables, file("ibsim.ibnetdiscover"));
}

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/* The tables with other ports in the first one, that of leaf0: what goes to another switch (ports 7 to 12) goes there.
 */
std::string with_one_way_up(const std::string &text)
{
  const size_t end = text.find("lids dumped");
  return std::regex_replace(text.substr(0, end), std::regex("(0x[0-9a-f]{4}) 0(0[789]|1[012]) "), "$1 007 ") +
         text.substr(end);
}

} // namespace

/* Four leaves of six nodes, with two cables to each of three switches. OpenSM takes the cables in turn, in the order of
 * the ports: 18 destinations from each leaf by the rule, and all six messages of a leaf on cables of their own. */
TEST(IbRoutes, OfOpenSmFollowTheRule)
{
  EXPECT_EQ(said_of(text_of("ibsim-opensm-lfts.dump")), "0 of 72; 1 over 23, at most 1, evenly 1");
  EXPECT_EQ(said_of(text_of("ibsim-ibroute.lfts")), "0 of 72; 1 over 23, at most 1, evenly 1");
}

/* Two groups of two rails, whose nodes are on the ports of a leaf in a random order, on each leaf in another one:
 * OpenSM takes the cables in the order of ports, and replays in that of nodes. The numbers are those of a program in
 * Python that follows the tables and tries all orders of the four cables of a leaf. */
TEST(IbRoutes, OfRailsInAnotherOrderOfNodes)
{
  EXPECT_EQ(said_of(text_of("../../docs/samples/ibsim-rails-opensm-lfts.dump"),
                    source_path("docs/samples/ibsim-rails.ibnetdiscover")),
            "22 of 48; 1.4 over 15, at most 2, evenly 1");
}

/* One of 72 goes beside another one. */
TEST(IbRoutes, ThatShareACable)
{
  const std::string text = text_of("ibsim-opensm-lfts.dump");
  const std::string said = said_of(replaced(text, "0x0003 007 #", "0x0003 008 #"));
  EXPECT_EQ(said.substr(0, 8), "1 of 72;");
  EXPECT_NE(said.find("at most 2, evenly 1"), std::string::npos) << said;
}

/* leaf0 is the last leaf of the file, leaf 3 of the tree, and spine0 the last switch above, 2: its first cable is
 * port 2. Of what is for the NICs of others, which all takes that port, 2, 8 and 14 do so by destination. Of its own
 * NICs, 18 and those behind it, one comes down each cable, as what is for it goes up to one switch from all other
 * leaves, and the tables still say so. */
TEST(IbRoutes, BecomeThoseOfTheTree)
{
  const std::string text = text_of("ibsim-opensm-lfts.dump");
  EXPECT_EQ(line_of(routes_of(text), "leaf-3:0 "), "leaf-3:0 4-22:6");
  const std::string one_way = routes_of(with_one_way_up(text));
  EXPECT_EQ(line_of(one_way, "leaf-3:2 "), "leaf-3:2 0-1,3-7,9-13,15-18");
  EXPECT_EQ(line_of(one_way, "leaf-3:0 "), "leaf-3:0 22");
  EXPECT_EQ(line_of(one_way, "leaf-2:1 "), line_of(routes_of(text), "leaf-2:1 "));
}

/* A leaf whose nodes all go up through one cable: three of its 18 destinations have the remainder of that cable. Of its
 * nodes, D send to other leaves at a distance D from 1 to 5, 24 - D from 19 to 23, and all six in between: (2 * 15 + 13
 * * 6) / 23 on average. */
TEST(IbRoutes, OfOneCableCarryAllMessages)
{
  const std::string said = said_of(with_one_way_up(text_of("ibsim-opensm-lfts.dump")));
  EXPECT_EQ(said, "15 of 72; 4.7 over 23, at most 6, evenly 1");
}

TEST(IbRoutes, Refusals)
{
  const std::string text = text_of("ibsim-opensm-lfts.dump");
  EXPECT_EQ(said_of(text, ""),
            "PATH: has forwarding tables, but no cables are given; allowed: with the output of ibnetdiscover");
  EXPECT_EQ(said_of(text.substr(0, text.find("Unicast", 1))).substr(0, 28), "PATH: has no table of switch");
  const std::string allowed = "; allowed: tables of the fabric whose cables are given";
  const std::string of = "LID 3 is of node10, and switch S-0000000000200000 (leaf0) ";
  EXPECT_EQ(said_of(replaced(text, "0x0003 007 #", "0x0003 255 #")), "PATH:1: " + of + "has no port for it" + allowed);
  EXPECT_EQ(said_of(replaced(text, "0x0003 007 #", "0x0003 001 #")),
            "PATH:4: " + of + "sends it to another NIC" + allowed);
  EXPECT_EQ(said_of(replaced(text, "0x0003 007 #", "0x0003 016 #")),
            "PATH:4: " + of + "sends it through a port without a cable" + allowed);
  EXPECT_EQ(said_of(replaced(text, "0x0007 007 #", "0x0020 007 #")).substr(0, 38),
            "PATH:9: has a LID that is not above th");
  EXPECT_EQ(said_of(replaced(text, "0x001f 0", "0x002f 0")).substr(0, 32), "PATH:32: is for LID 47, which no");
  EXPECT_EQ(said_of(replaced(text, "guid 0x0000000000200000", "guid 0x0000000000200099")).substr(0, 38),
            "PATH:1: is the table of a switch that ");
  const std::string head = "Unicast lids [0-3] of switch Lid 2 guid 0x0000000000200000 ('leaf0'):\n";
  EXPECT_EQ(said_of(head + "0x0001 001 # a\n0x0001 002 # b\n"),
            "PATH:3: has a LID that is not above the one before; allowed: in ascending order");
  EXPECT_EQ(said_of(head + "0x0001 256 # a\n"),
            "PATH:2: is no LID with a port, in a table of a switch; allowed: such as 0x0023 013");
  EXPECT_EQ(said_of(head + "0xc000 001 # a\n").substr(0, 31), "PATH:2: is no LID with a port, ");
  EXPECT_EQ(said_of(head + head), "PATH:2: is of the switch of line 1; allowed: each switch once");
  EXPECT_EQ(said_of(head + "hello\n"), "PATH:2: is not expected; allowed: what dump_lfts.sh, ibroute or OpenSM prints");
  EXPECT_EQ(said_of("Unicast lids [0-3] of switch guid 0x0:\n"),
            "PATH:1: has no guid of a switch; allowed: such as guid 0x2c9f0");
}

/* Tables of OpenSM for three levels of switches, that were cut: behind a table, inside a line, and without an entry;
 * and the cables that were. Each of four leaves sends what is for six NICs up, evenly on two cables. */
TEST(IbRoutes, OfThreeLevels)
{
  const std::string cables = source_path("docs/samples/ibsim-3-levels.ibnetdiscover");
  const std::string text = text_of("../../docs/samples/ibsim-3-levels-opensm-lfts.dump");
  EXPECT_EQ(said_of(text, cables).substr(0, 9), "0 of 24; ");
  EXPECT_EQ(said_of(text.substr(0, text.rfind("Unicast")), cables).substr(0, 28), "PATH: has no table of switch");
  EXPECT_EQ(said_of(text.substr(0, text.find("0x0005") + 6), cables),
            "PATH:6: is no LID with a port, in a table of a switch; allowed: such as 0x0023 013");
  const std::regex of_node("0x0001 [0-9]{3} # Channel");
  EXPECT_EQ(said_of(std::regex_replace(text, of_node, "0x0001 255 # Channel"), cables).substr(0, 28),
            "PATH:199: LID 1 is of node00");
  const std::string all = text_of("../../docs/samples/ibsim-3-levels.ibnetdiscover");
  const std::string cut = write("cut.ibnetdiscover", all.substr(0, all.find("[", all.size() / 3)));
  EXPECT_NE(said_of(text, cut).find("which the file does not have; allowed: the whole output"), std::string::npos);
}

/* As the best of all orders of five columns. */
TEST(Assignment, IsTheBest)
{
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const int64_t count = 1 + round % 5;
    std::vector<int64_t> value(static_cast<size_t>(count * count)), order(static_cast<size_t>(count));
    for (int64_t &member : value) member = static_cast<int64_t>(random() % 7);
    std::iota(order.begin(), order.end(), 0);
    int64_t best = 0, sum = 0;
    do {
      int64_t whole = 0;
      for (size_t i = 0; i < order.size(); ++i) whole += value[i * order.size() + static_cast<size_t>(order[i])];
      best = std::max(best, whole);
    } while (std::next_permutation(order.begin(), order.end()));
    ASSERT_EQ(ss_assignment_best(value.data(), count, &sum, nullptr), SS_OK);
    ASSERT_EQ(sum, best);
  }
}
