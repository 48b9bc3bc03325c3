/* Reading platforms: what they say, and the exact text of every refusal. */
#include <array>

#include "tests/support/inputs.hpp"

using namespace stepsim;

/* The names of all properties, in the order of their table. */
static std::string all_properties()
{
  std::string names;
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i)
    names += (i > 0 ? ", " : "") + std::string(ss_machine_properties()[i].name);
  return names;
}

TEST(PlatformFile, ReadsPropertiesAndZones)
{
  ss_machine m;
  ASSERT_EQ(load_machine(perlmutter, &m), "accepted");
  EXPECT_STREQ(m.name, "perlmutter");
  EXPECT_EQ(m.file, path_of("platform.xml"));
  EXPECT_EQ(m.gpus, 16);
  EXPECT_STREQ(m.accelerator, "A100-SXM4-80GB");
  EXPECT_EQ(m.matrix_flop_per_s, 312e12);
  EXPECT_EQ(m.hbm_bytes_per_s, 2039e9);
  EXPECT_EQ(m.hbm_bytes, 80e9);
  EXPECT_EQ(m.domain_size, 4);
  EXPECT_EQ(m.nvlink_efficiency, 0.7);
  EXPECT_EQ(m.zone_nvlink_bytes_per_s, 300e9);
  EXPECT_EQ(m.nvlink_bytes_per_s, 300e9);
  EXPECT_EQ(m.nvlink_latency_s, 2.5 * 1e-6);
  EXPECT_EQ(m.zone_fabric_bytes_per_s, 25e9); /* 200 Gbit/s / 8 */
  EXPECT_EQ(m.fabric_bytes_per_s, 25e9);
  EXPECT_EQ(m.fabric_latency_s, 5 * 1e-6);
  EXPECT_EQ(m.shape.topology, SS_TOPOLOGY_FAT_TREE);
  EXPECT_EQ(m.shape.sharing, SS_SHARING_SPLITDUPLEX);
  EXPECT_EQ(m.shape.as.fat_tree.levels, 2);
  EXPECT_EQ(m.shape.as.fat_tree.up[1], 2);
  EXPECT_EQ(m.launch_overhead_s, 3e-6);
  EXPECT_EQ(ss_curve_value(&m.matrix_efficiency, 1e9), 0.8);
  EXPECT_EQ(m.line[SS_PROPERTY_domain_size], 10);
  EXPECT_EQ(m.line[SS_PROPERTY_launch_overhead_s], SS_LINE_DEFAULT);
}

TEST(PlatformFile, PropertiesOverrideZonesAndCurvesHavePoints)
{
  std::string text = perlmutter;
  replace(text, "<!-- clusters -->",
          R"(<prop id="fabric-bandwidth" value="20GiBps"/><prop id="nvlink-latency" value="0s"/>
    <prop id="matrix-efficiency" value="1Gf:0.35 100Gf:0.75"/><prop id="hbm-efficiency" value="0.9"/>)");
  ss_machine m;
  ASSERT_EQ(load_machine(text, &m), "accepted");
  EXPECT_EQ(m.fabric_bytes_per_s, 20.0 * (1 << 30));
  EXPECT_EQ(m.zone_fabric_bytes_per_s, 25e9);
  EXPECT_EQ(m.nvlink_latency_s, 0);
  EXPECT_EQ(ss_curve_value(&m.matrix_efficiency, 1), 0.35);
  EXPECT_NEAR(ss_curve_value(&m.matrix_efficiency, 1e10), 0.55, 1e-15); /* half way in log(size) */
  EXPECT_EQ(ss_curve_value(&m.matrix_efficiency, 1e15), 0.75);
  EXPECT_EQ(ss_curve_value(&m.hbm_efficiency, 1e6), 0.9);
}

TEST(PlatformFile, AcceptsEveryKindOfFabric)
{
  for (const char *fabric :
       {"", "topology=\"FLAT\"", "bb_bw=\"100GBps\" bb_lat=\"1us\"", "bb_bw=\"100GBps\"", "sharing_policy=\"SHARED\"",
        "sharing_policy=\"FATPIPE\"", fat_tree, "topology=\"TORUS\" topo_parameters=\"4,4\"",
        "topology=\"TORUS\" topo_parameters=\"4,4,1\"", "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;2,1;2\""})
    EXPECT_EQ(load_fabric(fabric), "accepted") << fabric;
  EXPECT_EQ(load_changed("https://simgrid.org/simgrid.dtd", "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd"),
            "accepted");
  std::string spare = perlmutter; /* 12 GPUs on a tree of 16 leaves */
  replace(spare, "radical=\"0-15\"", "radical=\"0-11\"");
  ss_machine m;
  EXPECT_EQ(load_machine(spare, &m), "accepted");
  EXPECT_EQ(m.gpus, 12);
}

TEST(PlatformFile, RefusesByStructure)
{
  const std::string no_type = "PATH: has no document type, which SimGrid needs; allowed: <!DOCTYPE platform SYSTEM "
                              "\"https://simgrid.org/simgrid.dtd\">";
  const std::string other_type = "PATH:2: SimGrid does not read this document type; allowed: <!DOCTYPE platform SYSTEM "
                                 "\"https://simgrid.org/simgrid.dtd\">";
  const std::string declaration = "PATH:1: SimGrid does not read this XML declaration; allowed: <?xml version=\"1.0\" "
                                  "encoding=\"UTF-8\"?>";
  const std::vector<std::array<std::string, 3>> cases = {
      {"<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">", "", no_type},
      {"https://simgrid.org/simgrid.dtd", "simgrid.dtd", other_type},
      {"<!DOCTYPE platform", "<!DOCTYPEplatform", other_type},
      {"encoding=\"UTF-8\"", "standalone=\"yes\"", declaration},
      {"UTF-8\"?>", "UTF-8\" ?>", declaration},
      {"<?xml ", "<?xmlish ", declaration},
      {"<?xml", "\xef\xbb\xbf<?xml",
       "PATH:1: starts with a byte order mark, which SimGrid does not read; allowed: UTF-8 without it"},
      {"simgrid.dtd\">", "simgrid.dtd\" [ ]>",
       "PATH:2: the document type has an internal subset; allowed: no declarations"},
      {"radical=\"0-15\"", "radical=\"0-1&#53;\"",
       "PATH:15: SimGrid does not read references here; allowed: only in <prop>"},
      {"A100-SXM4-80GB", "&x;", "PATH:5: is not well-formed XML: Entity 'x' not defined"},
      {"version=\"4.1\"", "", "PATH:3: platform.version is missing; allowed: 4.1"},
      {"version=\"4.1\"", "version=\"4\"", "PATH:3: platform.version=\"4\": is not supported; allowed: 4.1"},
      {"<zone ", "<config id=\"x\"/><zone ", "PATH:4: unknown element <config>; allowed: <zone>"},
      {"</zone>", "</zone>\n<zone/>", "PATH:19: element <zone> follows the outer zone; allowed: one <zone> only"},
      {"id=\"perlmutter\"", "", "PATH:4: zone.id is missing; allowed: the name of the machine"},
      {"id=\"perlmutter\"", "id=\"nvlink\"",
       "PATH:4: zone.id=\"nvlink\": cannot be the name of the machine; allowed: any name other than nvlink and fabric"},
      {"routing=\"Full\"", "routing=\"Floyd\"", "PATH:4: zone.routing=\"Floyd\": is not supported; allowed: Full"},
      {"<!-- clusters -->", "<host/>", "PATH:14: unknown element <host>; allowed: <prop> first, then two <cluster>"},
      {"lat=\"2.5us\"/>", "lat=\"2.5us\"/>\n<prop id=\"launch-overhead\" value=\"1us\"/>",
       "PATH:16: unknown element <prop>; allowed: <prop> first, then two <cluster>"},
      {"<cluster id=\"nvlink\"", "<cluster id=\"gpus\"",
       "PATH:15: cluster.id=\"gpus\": is not a zone of a machine; allowed: nvlink, fabric"},
      {"id=\"fabric\" prefix=\"nic-\"", "id=\"nvlink\" prefix=\"gpu-\"",
       "PATH:16: cluster \"nvlink\" occurs again, after line 15; allowed: once"},
      {"lat=\"2.5us\"/>", "lat=\"2.5us\"><prop id=\"a\" value=\"b\"/></cluster>",
       "PATH:15: unknown element <prop>; allowed: no elements here"},
  };
  for (const auto &[from, to, expected] : cases) EXPECT_EQ(load_changed(from, to), expected) << to;

  ss_machine m;
  const std::string head = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  EXPECT_EQ(load_machine(gpt3, &m), "PATH:3: root element is <workload>; allowed: <platform>");
  EXPECT_EQ(load_machine(head + "<platform version=\"4.1\"/>", &m),
            "PATH:2: element <platform> is empty; allowed: one <zone> with the clusters nvlink and fabric");
  EXPECT_EQ(load_machine(head + "<platform version=\"4.1\">\n<zone id=\"x\" routing=\"Full\"/></platform>", &m),
            "PATH:3: the zone has 0 of its two clusters; allowed: exactly two, with the ids nvlink and fabric");
}

TEST(PlatformFile, RefusesByProperty)
{
  const std::string bandwidth = "a bandwidth such as 25GBps or 200Gbps";
  const std::string curve =
      "; allowed: a ratio such as 0.8, or up to 24 points such as 1Gf:0.35 10Gf:0.6 with increasing "
      "sizes and ratios above 0 and up to 1";
  const std::vector<std::array<std::string, 3>> cases = {
      {"\"2039GBps\"", "\"2039\"", "PATH:8: hbm-bandwidth=\"2039\": has no unit; allowed: " + bandwidth},
      {"\"2039GBps\"", "\"2039GB\"",
       "PATH:8: hbm-bandwidth=\"2039GB\": is not a number and a unit; allowed: " + bandwidth},
      {"\"2039GBps\"", "\"0Bps\"", "PATH:8: hbm-bandwidth=\"0Bps\": is out of range; allowed: 1Bps to 1e+18Bps"},
      {"\"78Tf\"", "\"78Tflops\"",
       "PATH:7: vector-flops=\"78Tflops\": is not a number and a unit; allowed: a rate such as "
       "312Tf (f, kf, Mf, Gf, Tf, Pf)"},
      {"\"0.7\"", "\"1.5\"", "PATH:12: nvlink-efficiency=\"1.5\": is out of range; allowed: 1e-06 to 1"},
      {"\"0.7\"", "\"70%\"", "PATH:12: nvlink-efficiency=\"70%\": is not a number; allowed: a plain number"},
      {"domain-size\" value=\"4\"", "domain-size\" value=\"0\"",
       "PATH:10: domain-size=\"0\": is out of range; allowed: 1 to 1000000"},
      {"id=\"accelerator\"", "id=\"gpu\"",
       "PATH:5: unknown property gpu=\"A100-SXM4-80GB\" (did you mean gpu-speed, gpu-spread or gpu-price?); allowed: " +
           all_properties()},
      {"<prop id=\"accelerator\"", "<prop", "PATH:5: prop.id is missing; allowed: the name of a property"},
      {" value=\"312Tf\"/>", "/>", "PATH:6: prop.value is missing; allowed: the value of the property"},
      {"id=\"vector-flops\"", "id=\"matrix-flops\"",
       "PATH:7: matrix-flops=\"78Tf\": occurs again, after line 6; allowed: once"},
      {"<prop id=\"hbm-capacity\" value=\"80GB\"/>\n    <prop id=\"domain-size\" value=\"4\"/>", "",
       "PATH:4: required properties are missing: hbm-capacity (a capacity such as 80GB or 80GiB), domain-size (a plain "
       "number)"},
      {"domain-size\" value=\"4\"", "domain-size\" value=\"3\"",
       "PATH:10: domain-size=\"3\": does not divide the 16 hosts of nvlink; allowed: a divisor of 16"},
      {"nics-per-domain\" value=\"4\"", "nics-per-domain\" value=\"3\"",
       "PATH:11: nics-per-domain=\"3\": does not suit domain-size=\"4\"; allowed: a divisor or a multiple of 4"},
      {"nics-per-domain\" value=\"4\"", "nics-per-domain\" value=\"8\"",
       "PATH:16: fabric.radical=\"0-15\": gives 16 NICs to 4 domains with 8 each; allowed: at least 0-31"},
  };
  for (const auto &[from, to, expected] : cases) EXPECT_EQ(load_changed(from, to), expected) << to;

  const std::vector<Case> curves = {
      {"", "is empty"},
      {"0", "has a ratio out of range"},
      {"1Gf:0.3 0.6", "has a point without a colon"},
      {"1Gf:0.3 10:0.6", "has a size that is not a positive number and a unit"},
      {"1Gf:0.3 10Gf:1.6", "has a ratio out of range"},
      {"1Gf:high", "has a ratio that is not a number"},
      {"1Gf:0.3 1Gf:0.6", "has sizes that do not increase"},
  };
  for (const Case &c : curves)
    EXPECT_EQ(load_changed("<!-- clusters -->", "<prop id=\"matrix-efficiency\" value=\"" + c.input + "\"/>"),
              "PATH:14: matrix-efficiency=\"" + c.input + "\": " + c.expected + curve);
  const std::string allowed =
      "; allowed: dollars such as 30000, or up to 24 points such as 20GiB:22500 80GiB:30000 with "
      "increasing sizes and prices from 0 to 1e+12";
  const std::vector<Case> prices = {
      {"-1", "has a price out of range"},
      {"1GiB:0 20", "has a point without a colon"},
      {"-1GiB:5 1GiB:6", "has a size that is not a number and a unit"},
      {"1GiB:much", "has a price that is not a number"},
      {"0GiB:5 0GiB:6", "has sizes that do not increase"},
  };
  for (const Case &c : prices)
    EXPECT_EQ(load_changed("<!-- clusters -->", "<prop id=\"gpu-price\" value=\"" + c.input + "\"/>"),
              "PATH:14: gpu-price=\"" + c.input + "\": " + c.expected + allowed);
  const std::vector<Case> speeds = {
      {"17:0.8", "names GPU 17, which is not there; allowed: 0 to 15"},
      {"0-3:0.8 9-16:1", "names GPU 16, which is not there; allowed: 0 to 15"},
      {"2:0.8 0-3:0.5", "names GPU 2 twice; allowed: every GPU once"},
      {"4-7:0.8 1:1 3-5:0.5", "names GPU 4 twice; allowed: every GPU once"},
      {"1:0.5 2:1.5", "has \"2:1.5\", which is no GPU with its speed; allowed: GPUs and their share of the speed, "
                      "above 0 and up to 1, such as 17:0.8 "
                      "64..71:0.95"},
  };
  for (const Case &c : speeds)
    EXPECT_EQ(load_changed("<!-- clusters -->", "<prop id=\"gpu-speed\" value=\"" + c.input + "\"/>"),
              "PATH:14: gpu-speed=\"" + c.input + "\": " + c.expected);
  EXPECT_EQ(load_changed("<!-- clusters -->", "<prop id=\"kernel-noise\" value=\"1.5\"/>"),
            "PATH:14: kernel-noise=\"1.5\": is out of range; allowed: 0 to 1");
  const std::string blanks(SS_GPU_SPEED_SIZE - 6, ' ');
  EXPECT_EQ(load_changed("<!-- clusters -->", "<prop id=\"gpu-speed\" value=\"1:0.5" + blanks + "\"/>"), "accepted");
  EXPECT_NE(load_changed("<!-- clusters -->", "<prop id=\"gpu-speed\" value=\"11:0.5" + blanks + "\"/>")
                .find("has 2048 bytes; allowed: at most 2047"),
            std::string::npos);
  std::string points;
  for (int i = 1; i <= SS_CURVE_POINTS + 1; i++) points += std::to_string(i) + "MB:0.5 ";
  EXPECT_NE(
      load_changed("<!-- clusters -->", "<prop id=\"hbm-efficiency\" value=\"" + points + "\"/>")
          .find("has too many points; allowed: a ratio such as 0.8, or up to 24 points such as 1MB:0.35 10MB:0.6"),
      std::string::npos);
}

TEST(PlatformFile, RefusesByCluster)
{
  const std::vector<std::array<std::string, 3>> cases = {
      {"radical=\"0-15\" ", "", "PATH:15: nvlink.radical is missing; allowed: 0-N for N+1 hosts"},
      {"radical=\"0-15\"", "radical=\"1-16\"",
       "PATH:15: nvlink.radical=\"1-16\": is not a range of hosts; allowed: 0-N for N+1 hosts, N up to 1048575"},
      {"radical=\"0-15\"", "radical=\"0-99999999\"",
       "PATH:15: nvlink.radical=\"0-99999999\": is not a range of hosts; allowed: 0-N for N+1 hosts, N up to 1048575"},
      {"prefix=\"gpu-\"", "prefix=\"g\"",
       "PATH:15: nvlink.prefix=\"g\": is not how the hosts of this zone are named; allowed: \"gpu-\""},
      {"suffix=\"\"", "suffix=\".org\"",
       "PATH:15: nvlink.suffix=\".org\": is not how the hosts of this zone are named; allowed: \"\""},
      {"bw=\"300GBps\"", "bw=\"300\"",
       "PATH:15: nvlink.bw=\"300\": has no unit; allowed: a bandwidth such as 25GBps or "
       "200Gbps"},
      {"lat=\"2.5us\"", "lat=\"-1us\"", "PATH:15: nvlink.lat=\"-1us\": is out of range; allowed: 0s to 1000s"},
      {"lat=\"2.5us\"", "lat=\"2.5us\" bb_bw=\"1GBps\"",
       "PATH:15: unknown attribute nvlink.bb_bw=\"1GBps\"; allowed: id, prefix, suffix, radical, speed, bw, lat, "
       "sharing_policy, topology"},
      {"lat=\"2.5us\"", "lat=\"2.5us\" topology=\"TORUS\"",
       "PATH:15: nvlink.topology=\"TORUS\": is unknown; allowed: FLAT"},
      {"lat=\"2.5us\"", "lat=\"2.5us\" sharing_policy=\"WIFI\"",
       "PATH:15: nvlink.sharing_policy=\"WIFI\": is unknown; allowed: SPLITDUPLEX"},
      {"topology=\"FAT_TREE\"", "topology=\"TREE\"",
       "PATH:17: fabric.topology=\"TREE\": is unknown (did you mean FAT_TREE?); allowed: FLAT, FAT_TREE, DRAGONFLY, "
       "TORUS, HYPERX"},
      {fat_tree, "loopback_bw=\"1GBps\"",
       "PATH:17: unknown attribute fabric.loopback_bw=\"1GBps\"; allowed: id, prefix, suffix, radical, speed, bw, lat, "
       "sharing_policy, topology, topo_parameters, bb_bw, bb_lat"},
      {fat_tree, std::string(fat_tree) + " bb_bw=\"1GBps\"",
       "PATH:17: fabric.bb_bw=\"1GBps\": needs a flat fabric; allowed: topology=\"FLAT\", or no backbone"},
      {fat_tree, "bb_lat=\"1us\"", "PATH:17: fabric.bb_lat=\"1us\": needs a bandwidth; allowed: together with bb_bw"},
      {"domain-size\" value=\"4\"", "domain-size\" value=\"2\"",
       "PATH:16: fabric.radical=\"0-15\": gives 16 NICs to 8 domains with 4 each; allowed: at least 0-31"},
  };
  for (const auto &[from, to, expected] : cases) EXPECT_EQ(load_changed(from, to), expected) << to;
  std::string flat = perlmutter;
  replace(flat, fat_tree, "");
  replace(flat, "radical=\"0-15\"", "radical=\"0-11\"");
  ss_machine m;
  EXPECT_EQ(load_machine(flat, &m),
            "PATH:16: fabric.radical=\"0-15\": gives 16 NICs to 3 domains with 4 each; allowed: 0-11");
}

/* Each of these stops SimGrid, or makes it crash in the first route. */
TEST(PlatformFile, RefusesByTopology)
{
  const std::string tree = "LEVELS;DOWN,...;UP,...;LINKS,... with one number per level in each list, such as "
                           "2;4,4;1,2;1,1 for 16 hosts";
  const std::string fly = "GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;NODES, such as 2,1;2,1;2,1;2 for 16 hosts";
  const std::vector<std::array<std::string, 3>> cases = {
      {"FLAT", "4,4", "needs a topology other than FLAT; allowed: leave it out"},
      {"FAT_TREE", "2;4,4;1,2", "is not a fat tree; allowed: " + tree},
      {"FAT_TREE", "3;4,4;1,2;1,1", "is not a fat tree; allowed: " + tree},
      {"FAT_TREE", "2;4,4;1,2;1", "is not a fat tree; allowed: " + tree},
      {"FAT_TREE", "2;4,4;1,0;1,1", "is not a list of numbers from 1 to 1048576; allowed: " + tree},
      {"FAT_TREE", "2;4,4;1,2;1,1;", "is not a list of numbers from 1 to 1048576; allowed: " + tree},
      {"FAT_TREE", "2; 4,4;1,2;1,1", "is not a list of numbers from 1 to 1048576; allowed: " + tree},
      {"FAT_TREE", "2;4,8;1,2;1,1", "describes 32 hosts; allowed: 16, as radical says"},
      {"FAT_TREE", "2;4,4;1,1048576;1,1", "needs 4194320 links; allowed: at most 4194304"}, /* 4 * 4 + 2^20 * 4 */
      {"TORUS", "4;4", "is not a torus; allowed: the size of each dimension, such as 4,4 for 16 hosts"},
      {"TORUS", "4,5", "describes 20 hosts; allowed: 16, as radical says"},
      {"TORUS", "16,1,1", "has 2 dimensions of 1; allowed: at most one, others can be left out"},
      {"TORUS", "258,2", "has ways of 130 links; allowed: up to 128"}, /* half way around each dimension */
      {"DRAGONFLY", "2;2,1;2,1;2", "is not a dragonfly; allowed: " + fly},
      {"DRAGONFLY", "2,1;2,1;2,1;4", "describes 32 hosts; allowed: 16, as radical says"},
      {"HYPERX", "2,4;1", "is not a HyperX; allowed: ROWS,COLUMNS;LINKS;NODES, such as 2,4;1;2 for 16 hosts"},
      {"HYPERX", "2,4;1,1;2", "is not a HyperX; allowed: ROWS,COLUMNS;LINKS;NODES, such as 2,4;1;2 for 16 hosts"},
      {"HYPERX", "2,4;1;1", "describes 8 hosts; allowed: 16, as radical says"},
      {"DRAGONFLY", "4,1;2,1;2,1;1",
       "has 4 groups, but only 2 routers in a chassis to link them; allowed: at most as many "
       "groups as routers"},
  };
  for (const auto &[topology, parameters, expected] : cases)
    EXPECT_EQ(load_fabric("topology=\"" + topology + "\" topo_parameters=\"" + parameters + "\""),
              "PATH:17: fabric.topo_parameters=\"" + parameters + "\": " + expected);
  EXPECT_EQ(load_fabric("topology=\"TORUS\""),
            "PATH:16: fabric.topo_parameters is missing with topology=\"TORUS\"; allowed: "
            "the size of each dimension, such as 4,4 for 16 hosts");
}

TEST(Machine, GpusShareNicsInOrder)
{
  ss_machine m;
  ASSERT_EQ(load_machine(perlmutter, &m), "accepted");
  EXPECT_EQ(ss_machine_nics_per_gpu(&m), 1);
  EXPECT_EQ(ss_machine_nic(&m, 5), 5);
  m.nics_per_domain = 2; /* GPUs 4, 5 of domain 1 send through NIC 2, GPUs 6, 7 through NIC 3 */
  EXPECT_EQ(ss_machine_nics_per_gpu(&m), 0.5);
  EXPECT_EQ(ss_machine_nic(&m, 5), 2);
  EXPECT_EQ(ss_machine_nic(&m, 6), 3);
  m.nics_per_domain = 8;
  EXPECT_EQ(ss_machine_nic(&m, 5), 10);
}
