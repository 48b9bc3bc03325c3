/* Descriptions of machines (tests/cluster_files): nodes, switches, cables, names; and what is refused. */
#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/import/cluster/own_cluster.h"
}

using namespace stepsim;

namespace
{

/* What files say together, in the order in which the command takes them. */
struct Cluster {
  ss_own_draft draft = {};
  ss_error error = {};
  ss_status status = SS_OK;

  explicit Cluster(const std::vector<std::string> &paths)
  {
    for (const std::string &path : paths)
      if (status == SS_OK) take(path);
    if (status == SS_OK) status = ss_own_finish(&draft, &error);
  }
  ~Cluster()
  {
    ss_own_free(&draft);
  }
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;

  void take(const std::string &path)
  {
    ss_source source;
    ss_node node;
    status = ss_source_read(path.c_str(), &source, &error);
    const ss_own_file kind = status == SS_OK ? ss_own_file_of(source.text) : SS_OWN_FILES;
    if (kind == SS_OWN_NCCL) status = ss_nccl_topology_load(path.c_str(), &node, &error);
    if (status == SS_OK && kind == SS_OWN_NCCL) status = ss_own_take_node(&draft, &node, path.c_str(), kind, &error);
    if (status == SS_OK && kind != SS_OWN_NCCL) status = ss_own_take(&draft, &source, kind, &error);
    ss_source_free(&source);
  }
};

std::string published(const std::string &name)
{
  return source_path("tests/cluster_files/" + name);
}

std::string refusal(const std::string &text)
{
  const std::string path = write("some.txt", text);
  const Cluster cluster({path});
  return printed(cluster.status, cluster.error, path);
}

/* "GPUs NICs NVLinks" */
std::string node_of(const std::string &path)
{
  const Cluster cluster({path});
  if (cluster.status != SS_OK) return cluster.error.message;
  const ss_node &node = cluster.draft.node;
  return std::to_string(node.gpus) + " " + std::to_string(node.nics) + " " + std::to_string(node.nvlinks);
}

std::string hosts_of(const ss_own_draft &draft)
{
  std::string text;
  for (int64_t i = 0; i < draft.hosts.count; ++i)
    text += std::string(i > 0 ? " " : "") + draft.hosts.name[i] + "@" + std::to_string(draft.place[i]);
  return text;
}

} // namespace

/* Eight GPUs and as many NICs of Azure, four NICs of AWS; these files leave NVLink to NCCL. */
TEST(OwnCluster, TopologiesForNccl)
{
  EXPECT_EQ(node_of(published("ndv4-topo.xml")), "8 8 0");
  EXPECT_EQ(node_of(source_path("docs/samples/node-topology.xml")), "8 8 0");
  EXPECT_EQ(node_of(published("p4d-24xl-topo.xml")), "8 4 0");
  /* NC A100 v4 has NVLink between pairs of GPUs only */
  EXPECT_EQ(node_of(published("ncv4-topo.xml")),
            "NVLink joins a GPU to 1 of 3 others; allowed: all of a node, or none");
}

/* Two of H200 behind a PCIe switch each, 18 NVLinks to switches, and a NIC for storage that is behind none. */
TEST(OwnCluster, DumpOfNccl)
{
  const std::string gpu =
      "<gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\"><nvlink target=\"0000:07:00.0\" count=\"10\" "
      "tclass=\"0x068000\"/><nvlink target=\"0000:06:00.0\" count=\"8\" tclass=\"0x068000\"/></gpu>";
  const std::string nic = "<nic><net name=\"mlx5_0\" dev=\"0\" speed=\"400000\" port=\"1\" gdr=\"1\"/></nic>";
  const std::string place = "<pci busid=\"a\" class=\"0x060400\"><pci busid=\"b\" class=\"0x030200\">" + gpu +
                            "</pci><pci busid=\"c\" class=\"0x020000\">" + nic + "</pci></pci>";
  const std::string storage =
      "<pci busid=\"d\" class=\"0x020700\"><nic><net name=\"mlx5_9\" speed=\"100000\"/></nic></pci>";
  const Cluster cluster(
      {write("topo.xml", "<system version=\"1\"><cpu numaid=\"0\">" + place + place + storage + "</cpu></system>")});
  ASSERT_EQ(cluster.status, SS_OK) << cluster.error.message;
  EXPECT_EQ(cluster.draft.node.gpus, 2);
  EXPECT_EQ(cluster.draft.node.nics, 2);
  EXPECT_EQ(cluster.draft.node.nics_left_out, 1);
  EXPECT_EQ(cluster.draft.node.nvlinks, 18);
  EXPECT_EQ(cluster.draft.node.capability, 90);
  EXPECT_EQ(cluster.draft.node.nic_bytes_per_s, 50e9);
  ASSERT_EQ(cluster.draft.notes, 1);
}

TEST(OwnCluster, MatricesOfNvidiaSmi)
{
  EXPECT_EQ(node_of(published("a100-matrix.txt")), "8 0 12");
  EXPECT_EQ(node_of(published("h100-matrix.txt")), "8 0 18");
  /* colours, and NICs near GPUs before others */
  EXPECT_EQ(node_of(write("matrix", "\t\033[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\033[0m\n"
                                    "GPU0\t X \tNV18\tPXB\tSYS\t0-51\t0\nGPU1\tNV18\t X \tSYS\tSYS\t0-51\t0\n"
                                    "NIC0\tPXB\tSYS\t X \tSYS\nNIC1\tSYS\tSYS\tSYS\t X \n")),
            "2 1 18");
  EXPECT_EQ(node_of(write("matrix", "\t[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID[0m\n"
                                    "GPU0\t X \tNV18\t0-51\t0\tN/A\nGPU1\tNV18\t X \t0-51\t0\tN/A\n")),
            "2 0 18"); /* as pasted, without the bytes that colours begin with */
  EXPECT_EQ(refusal("GPU0 GPU1 GPU2 CPU Affinity\nGPU0 X NV4 SYS 0 0\n"),
            "PATH:2: NVLink joins this GPU to 1 of 2 others; allowed: all of a node, or none");
  EXPECT_EQ(refusal("GPU0 GPU1 CPU Affinity\nGPU0 X WAT 0 0\n"),
            "PATH:2: \"WAT\" is unknown; allowed: X SYS NODE PHB PXB PIX, and NV with a number");
  EXPECT_EQ(refusal("\nGPU0 GPU1 CPU Affinity\nGPU0 X NV4 0 0\n"),
            "PATH:2: has 2 GPUs in its first line, and 1 rows of them; allowed: as many");
}

TEST(OwnCluster, TwoKindsOfNodesAreRefused)
{
  const Cluster cluster({source_path("docs/samples/node-topology.xml"), published("p4d-24xl-topo.xml")});
  EXPECT_EQ(cluster.status, SS_ERROR_INPUT);
  EXPECT_NE(std::string(cluster.error.message).find("two kinds of node"), std::string::npos) << cluster.error.message;
}

/* Three leaves of six nodes below one switch. */
TEST(OwnCluster, TreeOfSlurm)
{
  const Cluster cluster({published("topology-tree.conf")});
  ASSERT_EQ(cluster.status, SS_OK) << cluster.error.message;
  EXPECT_EQ(cluster.draft.of_leaf, 6);
  EXPECT_EQ(cluster.draft.places, 18);
  EXPECT_EQ(cluster.draft.levels, 2);
  EXPECT_EQ(cluster.draft.hosts.count, 18);
  EXPECT_STREQ(cluster.draft.hosts.name[17], "dev17");
}

TEST(OwnCluster, BlocksOfSlurm)
{
  const Cluster cluster({published("topology-blocks.conf")});
  ASSERT_EQ(cluster.status, SS_OK) << cluster.error.message;
  EXPECT_EQ(cluster.draft.block, 18);
  EXPECT_EQ(cluster.draft.places, 36);
  EXPECT_EQ(cluster.draft.of_leaf, 0); /* a block is no leaf */
}

TEST(OwnCluster, SlurmRefusals)
{
  EXPECT_EQ(refusal("SwitchName=s0 Nodes=a[0-1] Colour=red\n"),
            "PATH:1: \"Colour\" is not expected; allowed: SwitchName=NAME or BlockName=NAME with Nodes=LIST, "
            "Switches=LIST and LinkSpeed=N, and BlockSizes=LIST");
  EXPECT_EQ(refusal("SwitchName=s0 Nodes=a[0-\n"),
            "PATH:1: \"a[0-\" is not a list of names; allowed: such as node[001-064,070],login1");
  EXPECT_EQ(refusal("SwitchName=s0 Nodes=a[0-99999][0-99999][]\n").substr(0, 36),
            "PATH:1: \"[]\" is not a list of names;");
  EXPECT_EQ(refusal("SwitchName=s0 Nodes=a[1-200000]\n"),
            "PATH:1: \"a[1-200000]\" is of more names than a file may have; allowed: 131072");
  EXPECT_EQ(refusal("SwitchName=s0 Nodes=a[9-1]\n").substr(0, 35), "PATH:1: \"a\" is not a list of names;");
  EXPECT_EQ(refusal("SwitchName=s0 Nodes=a[1-131072]\nSwitchName=s1 Nodes=b\n"),
            "PATH:2: is behind more names than a file may have; allowed: 131072");
  EXPECT_EQ(refusal("SwitchName=s0 Nodes=b,a\n# comment\nSwitchName=s1 Nodes=c,a\n"),
            "PATH:3: a is a node of s0, too; allowed: each node once");
  EXPECT_EQ(refusal("BlockName=s0 Nodes=b,a,a\n"), "PATH:1: a is a node of s0, too; allowed: each node once");
  EXPECT_EQ(refusal("SwitchName=s0 Switches=s1\n"),
            "PATH:1: switch s1 is not there, or below two; allowed: each below one");
  EXPECT_EQ(
      refusal("SwitchName=r Switches=s0,m\nSwitchName=m Switches=s1\nSwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=b\n"),
      "PATH:4: s1 has 3 switches from its nodes to the top, others 2; allowed: a tree whose leaves are all as deep");
}

/* A file that ends early may have lost the switch that joins its leaves. */
TEST(OwnCluster, WhatOfSlurmIsLeftOut)
{
  const auto notes = [](const std::string &text) {
    const Cluster cluster({write("some.txt", text)});
    std::string all;
    for (int64_t i = 0; i < cluster.draft.notes; ++i)
      all += std::string(cluster.draft.note[i]).substr(std::string(cluster.draft.note[i]).find(": ") + 2) + "\n";
    return all;
  };
  const std::string leaves = "SwitchName=s0 Nodes=a[0-1]\nSwitchName=s1 Nodes=a[2-3]\n";
  EXPECT_EQ(notes(leaves), "2 switches have none above them, such as s1: they are joined here.\n");
  EXPECT_EQ(notes(leaves + "SwitchName=t Switches=s[0-1] LinkSpeed=100\n"),
            "LinkSpeed has no unit in Slurm, and is left out.\n");
  EXPECT_EQ(notes(leaves + "SwitchName=t Switches=s[0-1]\n"), "");
  EXPECT_EQ(notes("BlockName=b0 Nodes=a[0-1]\nBlockSizes=2\n"), "BlockSizes, which jobs may ask for, are left out.\n");
}

/* The same in YAML: the default of several topologies, with a note about the other; and blocks where they are it. */
TEST(OwnCluster, YamlOfSlurm)
{
  const Cluster tree({published("topology-slinky.yaml")});
  ASSERT_EQ(tree.status, SS_OK) << tree.error.message;
  EXPECT_EQ(tree.draft.levels, 2);
  EXPECT_EQ(tree.draft.of_leaf, 2);
  EXPECT_EQ(hosts_of(tree.draft), "slurm-node1@0 slurm-node2@1 slurm-node3@2 slurm-node4@3");
  ASSERT_EQ(tree.draft.notes, 1);
  EXPECT_NE(std::string(tree.draft.note[0]).find("left out (1)"), std::string::npos);
  const Cluster blocks({write("t.yaml", "# racks\n- topology: x\n  block:\n    block_sizes: [2]\n    blocks:\n"
                                        "      - nodes: a[1-2]\n        block: r1\n      - {block: r2, nodes: b}\n")});
  ASSERT_EQ(blocks.status, SS_OK) << blocks.error.message;
  EXPECT_EQ(blocks.draft.block, 2);
  EXPECT_EQ(blocks.draft.of_leaf, 0);
  EXPECT_EQ(hosts_of(blocks.draft), "a1@0 a2@1 b@2");
}

TEST(OwnCluster, YamlOfSlurmRefusals)
{
  const auto tree = [](const std::string &members) {
    return refusal("- topology: x\n  tree:\n    switches:\n" + members);
  };
  EXPECT_EQ(tree("    - switch: s\n      nodes: a[0-\n"),
            "PATH:5: \"a[0-\" is not a list of names; allowed: such as node[001-064,070],login1");
  EXPECT_EQ(tree("    - switch: s\n      colour: red\n").substr(0, 32), "PATH:5: \"colour\" is not expected");
  EXPECT_EQ(tree("    - nodes: a\n"), "PATH:4: has no switch: NAME; allowed: one for each");
  EXPECT_EQ(tree("    - switch: s\n      nodes: [a]\n"),
            "PATH:5: nodes is not a list of names; allowed: such as node[001-064,070]");
  EXPECT_EQ(tree("    - switch: s\n      nodes: a\n    - switch: s\n      nodes: b\n"),
            "PATH:6: \"s\" is there already, or no name; allowed: a name of its own");
  EXPECT_EQ(tree("    - switch: s\n      children: t\n"),
            "PATH:4: switch t is not there, or below two; allowed: each below one");
  EXPECT_EQ(tree("    - switch: s\n      nodes: a\n  block:\n    blocks:\n    - block: b\n      nodes: c\n"),
            "PATH:8: mixes switches and blocks; allowed: one of the two");
  EXPECT_EQ(refusal("- topology: x\n  flat: true\n").substr(0, 30), "PATH:2: \"flat\" is not expected");
  EXPECT_EQ(refusal("- topology: x\n- topology: y\n"),
            "PATH:1: has 2 topologies, and none is the default; allowed: one, or cluster_default: true for one");
  EXPECT_EQ(refusal("- topology: x\n").substr(0, 46), "PATH:1: is a topology without switches and blo");
  EXPECT_EQ(refusal("- topology: x\n- y\n").substr(0, 26), "PATH:1: \"\" is not expected");
  EXPECT_EQ(refusal("- topology: x\n  block: {block_sizes: [0]}\n"),
            "PATH:2: block_sizes are not numbers from 1 on; allowed: such as 18, 36");
  EXPECT_EQ(refusal("- topology: [\n"), "PATH:2: is not YAML: did not find expected node content");
}

/* Hosts get the places of the list, or those that switches give them; others are refused. */
TEST(OwnCluster, HostFiles)
{
  const Cluster alone({write("hosts", "node[08-10,2] slots=8\n# comment\nlogin:4\n")});
  ASSERT_EQ(alone.status, SS_OK) << alone.error.message;
  EXPECT_EQ(hosts_of(alone.draft), "node08@0 node09@1 node10@2 node2@3 login@4");
  const Cluster uneven(
      {write("hosts", "b\n"), write("topology.conf", "SwitchName=x Nodes=a\nSwitchName=y Nodes=b,c\n")});
  ASSERT_EQ(uneven.status, SS_OK) << uneven.error.message;
  EXPECT_EQ(hosts_of(uneven.draft), "a@0 b@2 c@3"); /* the second place of the first leaf stays empty */
  const std::string hosts = write("hosts", "z\n");
  const Cluster missing({hosts, published("topology-tree.conf")});
  EXPECT_EQ(printed(missing.status, missing.error, hosts),
            "PATH: z is in no other file; allowed: nodes of the cluster");
  EXPECT_EQ(refusal("one two three\n"), "PATH:1: is none of the files of a cluster, or no host; allowed: NAME, NAME "
                                        "slots=N, NAME:N or node[001-064,070], a line each");
}

/* PBS and LSF list a host once for each of its slots. */
TEST(OwnCluster, HostsOfSlots)
{
  const Cluster slots({write("hosts", "a\na\nb\nb\na\n")});
  ASSERT_EQ(slots.status, SS_OK) << slots.error.message;
  EXPECT_EQ(hosts_of(slots.draft), "a@0 b@1");
  EXPECT_EQ(slots.draft.places, 2);
}

/* Nodes that Slurm lists are those of the cluster, however many hosts have other numbers of NICs, or slower ones; what
 * it lists beside them has no place. */
TEST(OwnCluster, NodesOfSlurmOnCables)
{
  const std::string list = write("topology.conf", "SwitchName=s Nodes=n[1-3]\n");
  const std::string cables = write("cables.txt", "switchguid=0x1(1)\nSwitch 8 \"S-1\" # \"a\" base port 0 lid 1 lmc 0\n"
                                                 "[1] \"H-1\"[1](2) # \"n1 mlx5_0\" lid 2 4xNDR\n"
                                                 "[2] \"H-2\"[1](3) # \"n1 mlx5_1\" lid 3 4xNDR\n"
                                                 "[3] \"H-3\"[1](4) # \"n2 mlx5_0\" lid 4 4xNDR\n"
                                                 "[4] \"H-4\"[1](5) # \"n2 mlx5_1\" lid 5 4xNDR\n"
                                                 "[5] \"H-5\"[1](6) # \"disk1 mlx5_0\" lid 6 4xEDR\n"
                                                 "[6] \"H-6\"[1](7) # \"disk2 mlx5_0\" lid 7 4xEDR\n"
                                                 "[7] \"H-7\"[1](8) # \"disk3 mlx5_0\" lid 8 4xEDR\n");
  const Cluster cluster({list, cables});
  ASSERT_EQ(cluster.status, SS_OK) << cluster.error.message;
  EXPECT_EQ(hosts_of(cluster.draft), "n1@0 n2@1");
  EXPECT_EQ(cluster.draft.nics, 2);
  ASSERT_EQ(cluster.draft.notes, 2);
  EXPECT_EQ(cluster.draft.note[0], cables + ": 3 hosts are not nodes of the cluster, such as disk1.");
  EXPECT_EQ(cluster.draft.note[1], cables + ": 1 nodes of Slurm have no NIC in it, such as n3, and are left out.");
}

/* Four leaves of 24 hosts with six cables to each of two switches, one of them at DDR: 4 of 25 Gb/s a lane. It is the
 * fifth of the second leaf to the first switch: port 0 + 2 * 5 of those in order of their speed. */
TEST(OwnCluster, FabricOfEdr)
{
  const Cluster cluster({source_path("docs/samples/fabric.ibnetdiscover")});
  ASSERT_EQ(cluster.status, SS_OK) << cluster.error.message;
  const ss_own_draft &draft = cluster.draft;
  EXPECT_EQ(draft.hosts.count, 96);
  EXPECT_EQ(draft.of_leaf, 24);
  EXPECT_EQ(draft.rails, 1);
  EXPECT_EQ(draft.nics, 1);
  EXPECT_EQ(draft.levels, 2);
  EXPECT_EQ(draft.tree.up[1], 2);
  EXPECT_EQ(draft.tree.cables[1], 6);
  EXPECT_EQ(draft.nic_bytes_per_s, 12.5e9);
  EXPECT_STREQ(draft.link_speed, "leaf-1:up-10:0.16 leaf-1:down-10:0.16");
}

/* Two groups of three nodes, each with a leaf for each of two NICs; cables up are twice as fast, which two links are.
 */
TEST(OwnCluster, Rails)
{
  const Cluster cluster({published("rails.ibnetdiscover")});
  ASSERT_EQ(cluster.status, SS_OK) << cluster.error.message;
  const ss_own_draft &draft = cluster.draft;
  EXPECT_EQ(draft.rails, 2);
  EXPECT_EQ(draft.nics, 2);
  EXPECT_EQ(draft.of_leaf, 3);
  EXPECT_EQ(draft.places, 6);
  EXPECT_EQ(draft.tree.cables[1], 2);
  EXPECT_EQ(draft.nic_bytes_per_s, 25e9);
  EXPECT_STREQ(draft.link_speed, "");
}

TEST(OwnCluster, FabricRefusals)
{
  const std::string one = "switchguid=0x1(1)\nSwitch 8 \"S-1\" # \"a\" base port 0 lid 1 lmc 0\n";
  EXPECT_EQ(refusal(one + "[1] \"S-2\"[1] # \"b\" lid 2 4xEDR\n"),
            "PATH:3: leads to S-2, which the file does not have; allowed: the whole output");
  EXPECT_EQ(refusal(one + "[1] \"H-2\"[1](2) # \"n1 mlx5_0\" lid 2 4xZDR\n"),
            "PATH:3: has no name, or no known width and speed at its end; allowed: such as 4xEDR or 2xNDR");
  EXPECT_EQ(
      refusal(one +
              "[1] \"H-2\"[1](2) # \"n1 mlx5_0\" lid 2 4xEDR\n[2] \"S-9\"[1] # \"b\" lid 2 4xEDR\n"
              "Switch 8 \"S-9\" # \"b\" base port 0 lid 2 lmc 0\n[2] \"H-3\"[1](3) # \"n2 mlx5_0\" lid 2 4xEDR\n"),
      "PATH:4: links two switches of level 1: not a fat tree; allowed: a fat tree, or stepsim platform --fabric KIND "
      "for another one");
  EXPECT_EQ(refusal(one + "[9] \"H-2\"[1](2) # \"n1 mlx5_0\" lid 2 4xEDR\n"),
            "PATH:3: is port 9 of a switch with 8; allowed: as ibnetdiscover prints it");
  EXPECT_EQ(refusal(one + "hello\n"), "PATH:3: is not expected; allowed: what ibnetdiscover prints");
}
