// Reading workloads, platforms, overrides and rank files: what they say, and the exact text of every refusal.
#include <gtest/gtest.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

extern "C" {
#include "model/machine.h"
#include "model/workload.h"
#include "sim/io/io.h"
#include "sim/io/schema.h"
}

namespace
{

// The name is of this process alone: other tests run beside it.
std::string path_of(const std::string &name)
{
  return testing::TempDir() + "stepsim-io-" + std::to_string(getpid()) + "-" + name;
}

std::string write(const std::string &name, const std::string &text)
{
  const std::string path = path_of(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// An error as the command line prints it, with PATH for the file under test: "PATH:3: message", "--set: message".
std::string printed(ss_status status, const ss_error &error, const std::string &path)
{
  if (status == SS_OK) return "accepted";
  EXPECT_EQ(status, SS_ERROR_INPUT);
  EXPECT_EQ(error.code, status);
  std::string text = error.file == path ? "PATH" : error.file;
  if (error.line != 0) text += ":" + std::to_string(error.line);
  return text + ": " + error.message;
}

struct Case {
  std::string input, expected;
};

void replace(std::string &text, const std::string &from, const std::string &to)
{
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// ---------------------------------------------------------------------------------------------------------------------
// Workloads

const char *const gpt3 = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- comments and instructions may stand anywhere -->
<workload version="1">
  <model name="gpt3-175b" layers="96" hidden="12288" ffn="49152" heads="96" kv-heads="96" head-size="128"
         sequence="2048" vocabulary="51200" mlp="gelu"/>
  <?editor wrap?>
  <training global-batch="1536" micro-batch="1" precision="bf16" attention="flash" recompute="none" dropout="yes"
            tokens="300e9"/>
  <parallelism tensor="1d" tp="8" tp2="1" cp="1" pp="16" dp="4" ep="1" interleave="1"
               sequence-parallel="yes" sharding="optimizer"/>
  <schedule pipeline="1f1b" overlap-dp="yes" overlap-pp="no" overlap-tp="none" prefetch="1"/>
  <placement order="tp,cp,dp,pp"/> <!-- here, too -->
</workload>
)";

std::string in_workload(const std::string &elements)
{
  return "<workload version=\"1\">\n" + elements + "\n</workload>\n";
}

std::string load_workload(const std::string &text, ss_workload *workload)
{
  const std::string path = write("workload.xml", text);
  ss_error error = {};
  const ss_status status = ss_workload_load(path.c_str(), workload, &error);
  return printed(status, error, path);
}

std::string load_workload(const std::string &text)
{
  ss_workload workload;
  return load_workload(text, &workload);
}

TEST(WorkloadFile, ReadsEveryAttributeAndItsLine)
{
  ss_workload w;
  ASSERT_EQ(load_workload(gpt3, &w), "accepted");
  EXPECT_STREQ(w.model.name, "gpt3-175b");
  EXPECT_EQ(w.model.layers, 96);
  EXPECT_EQ(w.model.sequence, 2048);
  EXPECT_EQ(w.model.mlp, SS_MLP_GELU);
  EXPECT_EQ(w.training.global_batch, 1536);
  EXPECT_EQ(w.training.tokens, 300e9);
  EXPECT_EQ(w.parallelism.pp, 16);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_EQ(w.schedule.overlap_dp, SS_YES);
  EXPECT_EQ(w.schedule.overlap_pp, SS_NO);
  EXPECT_STREQ(w.placement.order, "tp,cp,dp,pp");
  // The line of the attribute, not of the end of its tag.
  EXPECT_EQ(w.line[SS_AT_model_layers], 4);
  EXPECT_EQ(w.line[SS_AT_model_vocabulary], 5);
  EXPECT_EQ(w.line[SS_AT_training_tokens], 8);
  EXPECT_EQ(w.line[SS_AT_model_causal], SS_LINE_DEFAULT);
  EXPECT_EQ(w.file, path_of("workload.xml"));
}

TEST(WorkloadFile, ElementsAndAttributesHaveDefaults)
{
  ss_workload w;
  ASSERT_EQ(load_workload("<workload version='1'/>", &w), "accepted");
  EXPECT_EQ(w.model.layers, 0);
  EXPECT_EQ(w.parallelism.tp, 1);
  EXPECT_EQ(w.training.attention, SS_ATTENTION_FLASH);
  ASSERT_EQ(load_workload(in_workload("<model layers=' +96\t'/>"), &w), "accepted"); // as xs:integer
  EXPECT_EQ(w.model.layers, 96);
}

TEST(WorkloadFile, RefusesWhatIsNoWorkload)
{
  const std::string folder = testing::TempDir();
  const std::vector<Case> paths = {
      {folder + "missing.xml", "PATH: cannot be read: No such file or directory"},
      {folder, "PATH: cannot be read: Is a directory"},
      {write("empty.xml", ""), "PATH: is empty"},
      {write("zero.xml", std::string("<a\0/>", 5)), "PATH: contains a zero byte; allowed: UTF-8 text"},
  };
  for (const Case &c : paths) {
    ss_workload workload;
    ss_error error = {};
    const ss_status status = ss_workload_load(c.input.c_str(), &workload, &error);
    EXPECT_EQ(printed(status, error, c.input), c.expected);
  }
  const std::string path(SS_PATH_SIZE, 'x');
  ss_workload workload;
  ss_error error = {};
  EXPECT_EQ(ss_workload_load(path.c_str(), &workload, &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "has a path that is too long; allowed: at most 511 bytes");
}

TEST(WorkloadFile, RefusesByElement)
{
  const std::vector<Case> cases = {
      {"layers = 96\n", "PATH:1: is not well-formed XML: Start tag expected, '<' not found"},
      {"<workload version=\"1\">\n<model>\n</workload>",
       "PATH:3: is not well-formed XML: Opening and ending tag mismatch: model line 2 and workload"},
      {"<platform version=\"4.1\"/>", "PATH:1: root element is <platform>; allowed: <workload>"},
      {"<workload/>", "PATH:1: workload.version is missing; allowed: 1"},
      {"\n<workload version=\"2\"/>", "PATH:2: workload.version=\"2\": is an unknown version; allowed: 1"},
      {"<workload version=\"1\"\n name=\"x\"/>", "PATH:2: unknown attribute workload.name=\"x\"; allowed: version"},
      {in_workload("<modle/>"), "PATH:2: unknown element <modle>; allowed: <model>, <training>, <parallelism>, "
                                "<schedule>, <placement>"},
      {in_workload("<model><layers/></model>"), "PATH:2: unknown element <layers>; allowed: no elements here"},
      {in_workload("<model/>\n<model/>"), "PATH:3: element <model> occurs again, after line 2; allowed: once"},
      {in_workload("<model>\nlayers=96</model>"),
       "PATH:2: element <model> contains the text \"layers=96\"; allowed: attributes and elements only"},
      {in_workload("<![CDATA[ ]]>"), "PATH:2: a CDATA section; allowed: elements, comments and white space"},
      {in_workload("&#32;"),
       "PATH:2: a reference outside of an attribute; allowed: elements, comments and white space"},
      {in_workload("<model xmlns=\"urn:x\"/>"), "PATH:2: element <model> has or declares a namespace; allowed: none"},
      {in_workload("<model xml:lang=\"en\"/>"), "PATH:2: element <model> has or declares a namespace; allowed: none"},
      {in_workload("<x:model/>"), "PATH:2: is not well-formed XML: Namespace prefix x on model is not defined"},
      {"<!DOCTYPE workload [\n<!ENTITY a \"aaaa\">\n<!ENTITY b \"&a;&a;&a;\">]>\n" +
           in_workload("<model name=\"&b;\"/>"),
       "PATH:2: declares the entity a; allowed: no declarations"},
      {"<!DOCTYPE workload [\n<!ENTITY % a SYSTEM \"file:///etc/passwd\">%a;]>\n" + in_workload(""),
       "PATH:2: declares the entity a; allowed: no declarations"},
      {"<!DOCTYPE workload [<!ATTLIST model layers CDATA \"96\">]>\n" + in_workload("<model/>"),
       "PATH:1: the document type has an internal subset; allowed: no declarations"},
      {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n" + in_workload(""),
       "PATH:1: encoding=\"ISO-8859-1\": cannot be read; allowed: UTF-8"},
  };
  for (const Case &c : cases) EXPECT_EQ(load_workload(c.input), c.expected) << c.input;
}

TEST(WorkloadFile, RefusesByAttribute)
{
  const std::string model_names =
      "name, layers, hidden, ffn, heads, kv-heads, head-size, sequence, vocabulary, mlp, causal";
  const std::vector<Case> cases = {
      {"<model\n layer=\"96\"/>", "PATH:3: unknown attribute model.layer=\"96\"; allowed: " + model_names},
      {"<model layers=\"-3\"/>", "PATH:2: model.layers=\"-3\": is out of range; allowed: 1 to 100000"},
      {"<model layers=\"0\"/>", "PATH:2: model.layers=\"0\": is out of range; allowed: 1 to 100000"},
      {"<model layers=\"100001\"/>", "PATH:2: model.layers=\"100001\": is out of range; allowed: 1 to 100000"},
      {"<model layers=\"99999999999999999999\"/>",
       "PATH:2: model.layers=\"99999999999999999999\": is out of range; allowed: 1 to 100000"},
      {"<model layers=\"\"/>", "PATH:2: model.layers=\"\": is not a whole number; allowed: 1 to 100000"},
      {"<model layers=\"9.5\"/>", "PATH:2: model.layers=\"9.5\": is not a whole number; allowed: 1 to 100000"},
      {"<model layers=\"ten\"/>", "PATH:2: model.layers=\"ten\": is not a whole number; allowed: 1 to 100000"},
      {"<training tokens=\"lots\"/>", "PATH:2: training.tokens=\"lots\": is not a number; allowed: 0 to 1e+18"},
      {"<training tokens=\"nan\"/>", "PATH:2: training.tokens=\"nan\": is not a number; allowed: 0 to 1e+18"},
      {"<training tokens=\"-1\"/>", "PATH:2: training.tokens=\"-1\": is out of range; allowed: 0 to 1e+18"},
      {"<training attention=\"fast\"/>",
       "PATH:2: training.attention=\"fast\": is not one of the words; allowed: flash, unfused"},
      {"<schedule overlap-dp=\"\"/>", "PATH:2: schedule.overlap-dp=\"\": is not one of the words; allowed: no, yes"},
      {"<model name=\"" + std::string(256, 'x') + "\"/>",
       "PATH:2: model.name=\"" + std::string(124, 'x') + "...\": has 256 bytes; allowed: at most 255"},
      {"<model layers=\"1&#10;2\"/>", "PATH:2: model.layers=\"1?2\": is not a whole number; allowed: 1 to 100000"},
  };
  for (const Case &c : cases) EXPECT_EQ(load_workload(in_workload(c.input)), c.expected) << c.input;
}

TEST(WorkloadFile, RankFilesLieBesideTheWorkload)
{
  ss_workload w;
  ASSERT_EQ(load_workload(in_workload("<placement ranks=\"ranks.txt\"/>"), &w), "accepted");
  EXPECT_EQ(w.placement.ranks, testing::TempDir() + "ranks.txt");
  ASSERT_EQ(load_workload(in_workload("<placement ranks=\"/data/ranks.txt\"/>"), &w), "accepted");
  EXPECT_STREQ(w.placement.ranks, "/data/ranks.txt");
  const std::string name(255, 'r'), bytes = std::to_string(255 + testing::TempDir().size());
  EXPECT_EQ(load_workload(in_workload("<placement ranks=\"" + name + "\"/>")),
            "PATH:2: placement.ranks=\"" + name + "\": has " + bytes +
                " bytes with the folder of this file; allowed: at most 255");
}

// ---------------------------------------------------------------------------------------------------------------------
// What follows from several attributes

// The GPT-3 workload with one override, derived and checked.
std::string check_with(const std::vector<std::string> &overrides)
{
  ss_workload workload;
  EXPECT_EQ(load_workload(gpt3, &workload), "accepted");
  ss_error error = {};
  for (const std::string &text : overrides) EXPECT_EQ(ss_override(text.c_str(), &workload, nullptr, &error), SS_OK);
  ss_workload_derive(&workload);
  const ss_status status = ss_workload_check(&workload, &error);
  return printed(status, error, workload.file);
}

TEST(WorkloadCheck, RefusesByTheAttributeThatWasSet)
{
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "accepted"},
      {{"parallelism.tp=5"},
       "--set: parallelism.tp=\"5\": does not divide model.heads=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
      {{"model.ffn=49150"},
       "PATH:9: parallelism.tp=\"8\": does not divide model.ffn=\"49150\"; allowed: 1, 2, 5, 10, 25, 50, 983, ..."},
      {{"model.kv-heads=7"},
       "--set: model.kv-heads=\"7\": does not divide model.heads=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
      {{"model.kv-heads=12"}, // 96 = 8 * 12; 8 and 12 do not divide each other
       "PATH:9: parallelism.tp=\"8\": neither divides model.kv-heads=\"12\" nor is a multiple of it; "
       "allowed: 1, 2, 3, 4, 6, 12, 24, ..."},
      {{"model.kv-heads=4"}, "accepted"}, // each of 4 key/value heads on 2 of 8 ranks
      {{"model.sequence=2047"},           // 2047 = 23 * 89
       "PATH:9: parallelism.tp=\"8\": does not divide model.sequence=\"2047\"; allowed: 1, 23, 89, 2047"},
      {{"model.sequence=2047", "parallelism.sequence-parallel=no"}, "accepted"},
      {{"model.vocabulary=50257"}, "accepted"}, // padded
      {{"parallelism.pp=5"},
       "--set: parallelism.pp=\"5\": does not divide model.layers=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
      {{"training.micro-batch=5"},
       "PATH:7: training.global-batch=\"1536\": is not a multiple of parallelism.dp=\"4\" * "
       "training.micro-batch=\"5\"; "
       "allowed: multiples of 20"},
      {{"model.head-size=64"}, "accepted"}, // need not fill the hidden size
      {{"placement.order=tp,pp"},
       "--set: placement.order=\"tp,pp\": is not an order of the four coordinates; allowed: tp,cp,dp,pp in any order, "
       "each once"},
      {{"placement.order=pp,dp,cp,tp"}, "accepted"},
      {{"placement.domain=tp=4", "placement.ranks=r"},
       "--set: placement.ranks=\"r\": excludes placement.domain=\"tp=4\"; allowed: one of the two"},
  };
  for (const auto &[overrides, expected] : cases) EXPECT_EQ(check_with(overrides), expected);
  for (const char *order : {"", "tp,cp,dp,pp,", "tp,cp,dp,dp", "tp,cp,dp,pp,tp", "tp cp dp pp", "t,cp,dp,pp"})
    EXPECT_NE(check_with({std::string("placement.order=") + order}), "accepted") << order;
}

TEST(WorkloadCheck, NamesWhatIsMissing)
{
  ss_workload w;
  ASSERT_EQ(load_workload(in_workload("<model layers=\"2\" heads=\"4\"/>"), &w), "accepted");
  ss_error error = {};
  ss_workload_derive(&w);
  const ss_status status = ss_workload_check(&w, &error);
  EXPECT_EQ(printed(status, error, w.file), "PATH: required attributes are missing: model.hidden (1 to 10000000), "
                                            "model.sequence (1 to 1000000000)");
}

TEST(WorkloadCheck, DerivesWhatIsNotGiven)
{
  ss_workload w;
  ASSERT_EQ(load_workload(in_workload("<model layers=\"2\" heads=\"4\" hidden=\"64\" sequence=\"8\"/>"), &w),
            "accepted");
  ss_workload_derive(&w);
  EXPECT_EQ(w.model.ffn, 256); // 4 * 64
  EXPECT_EQ(w.model.kv_heads, 4);
  EXPECT_EQ(w.model.head_size, 16); // 64 / 4
  EXPECT_EQ(ss_workload_check(&w, nullptr), SS_OK);

  ASSERT_EQ(load_workload(in_workload("<model layers=\"2\"\n heads=\"3\" hidden=\"64\" sequence=\"8\"/>"), &w),
            "accepted");
  ss_workload_derive(&w);
  ss_error error = {};
  const ss_status status = ss_workload_check(&w, &error);
  EXPECT_EQ(
      printed(status, error, w.file),
      "PATH:3: model.heads=\"3\": does not divide model.hidden=\"64\", and model.head-size is not given; allowed: 1, "
      "2, 4, 8, 16, 32, 64, or a model.head-size");
}

TEST(WorkloadCheck, HoldsDerivedAndProgrammedValuesToTheirRange)
{
  ss_workload w;
  ASSERT_EQ(load_workload(gpt3, &w), "accepted");
  w.parallelism.tp = 0;
  ss_error error = {};
  const ss_status status = ss_workload_check(&w, &error);
  EXPECT_EQ(printed(status, error, w.file), "PATH:9: parallelism.tp=\"0\": is out of range; allowed: 1 to 1000000");
}

TEST(Workload, CountsGpusAndMicroBatches)
{
  ss_workload w;
  ASSERT_EQ(load_workload(gpt3, &w), "accepted");
  EXPECT_EQ(ss_workload_gpus(&w), 512);          // 8 * 16 * 4
  EXPECT_EQ(ss_workload_micro_batches(&w), 384); // 1536 / 4
  w.parallelism.tp = w.parallelism.tp2 = w.parallelism.cp = w.parallelism.dp = w.parallelism.pp = 1000000;
  EXPECT_EQ(ss_workload_gpus(&w), INT64_MAX); // saturates
  EXPECT_STREQ(ss_word(SS_AT_training_attention, w.training.attention), "flash");
}

// ---------------------------------------------------------------------------------------------------------------------
// Platforms

const char *const perlmutter = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="perlmutter" routing="Full">
    <prop id="accelerator" value="A100-SXM4-80GB"/>
    <prop id="matrix-flops" value="312Tf"/>
    <prop id="vector-flops" value="78Tf"/>
    <prop id="hbm-bandwidth" value="2039GBps"/>
    <prop id="hbm-capacity" value="80GB"/>
    <prop id="domain-size" value="4"/>
    <prop id="nics-per-domain" value="4"/>
    <prop id="nvlink-efficiency" value="0.7"/>
    <prop id="fabric-efficiency" value="0.7"/>
    <!-- clusters -->
    <cluster id="nvlink" prefix="gpu-" suffix="" radical="0-15" speed="312Tf" bw="300GBps" lat="2.5us"/>
    <cluster id="fabric" prefix="nic-" suffix="" radical="0-15" speed="1f" bw="200Gbps" lat="5us"
             topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1"/>
  </zone>
</platform>
)";

const char *const fat_tree = "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,1\"";

std::string load_machine(const std::string &text, ss_machine *machine)
{
  const std::string path = write("platform.xml", text);
  ss_error error = {};
  const ss_status status = ss_machine_load(path.c_str(), machine, &error);
  return printed(status, error, path);
}

std::string load_changed(const std::string &from, const std::string &to)
{
  std::string text = perlmutter;
  replace(text, from, to);
  ss_machine machine;
  return load_machine(text, &machine);
}

// The fabric with these attributes in place of its topology.
std::string load_fabric(const std::string &attributes)
{
  return load_changed(fat_tree, attributes);
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
  EXPECT_EQ(m.zone_fabric_bytes_per_s, 25e9); // 200 Gbit/s / 8
  EXPECT_EQ(m.fabric_bytes_per_s, 25e9);
  EXPECT_EQ(m.fabric_latency_s, 5 * 1e-6);
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
  EXPECT_NEAR(ss_curve_value(&m.matrix_efficiency, 1e10), 0.55, 1e-15); // half way in log(size)
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
  std::string spare = perlmutter; // 12 GPUs on a tree of 16 leaves
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
       "PATH:4: zone.id=\"nvlink\": cannot be the name of the machine; allowed: any "
       "other than nvlink, fabric and nothing"},
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
       "PATH:5: unknown property gpu=\"A100-SXM4-80GB\"; allowed: accelerator, matrix-flops, vector-flops, "
       "hbm-bandwidth, "
       "hbm-capacity, domain-size, nics-per-domain, nvlink-efficiency, fabric-efficiency, nvlink-bandwidth, "
       "nvlink-latency, fabric-bandwidth, fabric-latency, matrix-efficiency, vector-efficiency, hbm-efficiency, "
       "launch-overhead"},
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
       "PATH:15: nvlink.prefix=\"g\": is not what the hosts of this zone are called; allowed: \"gpu-\""},
      {"suffix=\"\"", "suffix=\".org\"",
       "PATH:15: nvlink.suffix=\".org\": is not what the hosts of this zone are called; allowed: \"\""},
      {"bw=\"300GBps\"", "bw=\"300\"",
       "PATH:15: nvlink.bw=\"300\": has no unit; allowed: a bandwidth such as 25GBps or "
       "200Gbps"},
      {"lat=\"2.5us\"", "lat=\"-1us\"", "PATH:15: nvlink.lat=\"-1us\": is out of range; allowed: 0s to 1000s"},
      {"lat=\"2.5us\"", "lat=\"2.5us\" bb_bw=\"1GBps\"",
       "PATH:15: unknown attribute nvlink.bb_bw=\"1GBps\"; allowed: id, prefix, suffix, radical, speed, bw, lat, "
       "sharing_policy, topology"},
      {"lat=\"2.5us\"", "lat=\"2.5us\" topology=\"TORUS\"",
       "PATH:15: nvlink.topology=\"TORUS\": is not one of the words; allowed: FLAT"},
      {"lat=\"2.5us\"", "lat=\"2.5us\" sharing_policy=\"WIFI\"",
       "PATH:15: nvlink.sharing_policy=\"WIFI\": is not one of the words; allowed: SPLITDUPLEX"},
      {"topology=\"FAT_TREE\"", "topology=\"TREE\"",
       "PATH:17: fabric.topology=\"TREE\": is not one of the words; allowed: FLAT, FAT_TREE, DRAGONFLY, TORUS"},
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

// Each of these stops SimGrid, or makes it crash in the first route.
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
      {"FAT_TREE", "2;4,4;1,1048576;1,1", "needs 4194320 links; allowed: at most 4194304"}, // 4 * 4 + 2^20 * 4
      {"TORUS", "4;4", "is not a torus; allowed: the size of each dimension, such as 4,4 for 16 hosts"},
      {"TORUS", "4,5", "describes 20 hosts; allowed: 16, as radical says"},
      {"TORUS", "16,1,1", "has 2 dimensions of 1; allowed: at most one, others can be left out"},
      {"DRAGONFLY", "2;2,1;2,1;2", "is not a dragonfly; allowed: " + fly},
      {"DRAGONFLY", "2,1;2,1;2,1;4", "describes 32 hosts; allowed: 16, as radical says"},
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
  m.nics_per_domain = 2; // GPUs 4, 5 of domain 1 send through NIC 2, GPUs 6, 7 through NIC 3
  EXPECT_EQ(ss_machine_nics_per_gpu(&m), 0.5);
  EXPECT_EQ(ss_machine_nic(&m, 5), 2);
  EXPECT_EQ(ss_machine_nic(&m, 6), 3);
  m.nics_per_domain = 8;
  EXPECT_EQ(ss_machine_nic(&m, 5), 10);
}

// ---------------------------------------------------------------------------------------------------------------------
// Overrides, rank files, quantities

TEST(Override, SetsAttributesAndProperties)
{
  ss_workload w;
  ss_machine m;
  ASSERT_EQ(load_workload(gpt3, &w), "accepted");
  ASSERT_EQ(load_machine(perlmutter, &m), "accepted");
  for (const char *text : {"parallelism.tp=4", "model.name=a=b.c", "training.recompute=full", "training.tokens=1e12",
                           "platform.hbm-capacity=40GiB", "platform.domain-size=8", "platform.matrix-efficiency=0.5"})
    ASSERT_EQ(ss_override(text, &w, &m, nullptr), SS_OK) << text;
  EXPECT_EQ(w.parallelism.tp, 4);
  EXPECT_EQ(w.line[SS_AT_parallelism_tp], SS_LINE_OVERRIDE);
  EXPECT_STREQ(w.model.name, "a=b.c");
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_FULL);
  EXPECT_EQ(w.training.tokens, 1e12);
  EXPECT_EQ(m.hbm_bytes, 40.0 * (1 << 30));
  EXPECT_EQ(m.line[SS_PROPERTY_hbm_bytes], SS_LINE_OVERRIDE);
  EXPECT_EQ(m.matrix_efficiency.value[0], 0.5);
}

TEST(Override, RefusesAsAFileDoes)
{
  ss_workload w;
  ss_machine m;
  ss_workload_init(&w);
  ss_machine_init(&m);
  const std::vector<Case> cases = {
      {"tp=4", "\"tp=4\": is not an override; allowed: ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE"},
      {"parallelism.tp", "\"parallelism.tp\": is not an override; allowed: ELEMENT.ATTRIBUTE=VALUE or "
                         "platform.PROPERTY=VALUE"},
      {"", "\"\": is not an override; allowed: ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE"},
      {"modle.layers=3", "\"modle.layers=3\": has an unknown element; allowed: model, training, parallelism, schedule, "
                         "placement, platform"},
      {"training.tp=4",
       "unknown attribute training.tp=\"4\"; allowed: global-batch, micro-batch, precision, attention, "
       "recompute, dropout, tokens"},
      {"model.layers=-3", "model.layers=\"-3\": is out of range; allowed: 1 to 100000"},
      {"model.mlp=relu", "model.mlp=\"relu\": is not one of the words; allowed: gelu, swiglu"},
      {"platform.hbm-bandwidth=2039",
       "hbm-bandwidth=\"2039\": has no unit; allowed: a bandwidth such as 25GBps or 200Gbps"},
  };
  for (const Case &c : cases) {
    ss_error error = {};
    const ss_status status = ss_override(c.input.c_str(), &w, &m, &error);
    EXPECT_EQ(printed(status, error, ""), "--set: " + c.expected);
  }
  ss_error error = {};
  ASSERT_EQ(ss_override("platform.gpus=4", &w, &m, &error), SS_ERROR_INPUT);
  EXPECT_EQ(std::string(error.message).rfind("unknown property gpus=\"4\"; allowed: accelerator, matrix-flops, ", 0),
            0u);
  ASSERT_EQ(ss_override("platform.domain-size=4", &w, nullptr, &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message,
               "\"platform.domain-size=4\": has an unknown element; allowed: model, training, parallelism, "
               "schedule, placement");
  ASSERT_EQ(ss_override("model.layers=4", nullptr, &m, &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "\"model.layers=4\": has an unknown element; allowed: platform");
}

TEST(Override, TheMachineIsCheckedAfterTheLast)
{
  ss_machine m;
  ss_error error = {};
  ASSERT_EQ(load_machine(perlmutter, &m), "accepted");
  EXPECT_EQ(ss_machine_check(&m, &error), SS_OK);
  ASSERT_EQ(ss_override("platform.domain-size=3", nullptr, &m, &error), SS_OK);
  EXPECT_EQ(printed(ss_machine_check(&m, &error), error, m.file),
            "--set: domain-size=\"3\": does not divide the 16 hosts of nvlink; allowed: a divisor of 16");
  ASSERT_EQ(ss_override("platform.domain-size=8", nullptr, &m, &error), SS_OK);
  ASSERT_EQ(ss_override("platform.nics-per-domain=8", nullptr, &m, &error), SS_OK);
  EXPECT_EQ(ss_machine_check(&m, &error), SS_OK);
}

std::string load_ranks(const std::string &text, int64_t ranks, int64_t gpus, std::vector<int32_t> *gpu)
{
  const std::string path = write("ranks.txt", text);
  ss_error error = {};
  gpu->assign(static_cast<size_t>(ranks), -1);
  const ss_status status = ss_ranks_load(path.c_str(), ranks, gpus, gpu->data(), &error);
  return printed(status, error, path);
}

TEST(RankFile, GivesEachRankItsGpu)
{
  std::vector<int32_t> gpu;
  ASSERT_EQ(load_ranks("# stage 0\n3\n 0 # first\r\n\n7\n1", 4, 8, &gpu), "accepted");
  EXPECT_EQ(gpu, (std::vector<int32_t>{3, 0, 7, 1}));
}

TEST(RankFile, Refuses)
{
  const std::vector<Case> cases = {
      {"4\n1\n5\n4\n", "PATH:4: GPU 4 is given to rank 3 and to rank 0; allowed: each GPU once"},
      {"0\n1\n2\n\n", "PATH:3: ends after 3 GPUs; allowed: one GPU for each of 4 ranks"},
      {"# none\n", "PATH: ends after 0 GPUs; allowed: one GPU for each of 4 ranks"},
      {"0\n1\n2\n3\n4\n", "PATH:5: GPU 4 is left over; allowed: one GPU for each of 4 ranks"},
      {"0\n8\n", "PATH:2: GPU 8 does not exist; allowed: 0 to 7"},
      {"0\n-1\n", "PATH:2: \"-1\": is not a GPU index; allowed: one per line, 0 to 7"},
      {"0 1\n", "PATH:1: \"0 1\": is not a GPU index; allowed: one per line, 0 to 7"},
      {"gpu-0\n", "PATH:1: \"gpu-0\": is not a GPU index; allowed: one per line, 0 to 7"},
      {"", "PATH: is empty"},
  };
  std::vector<int32_t> gpu;
  for (const Case &c : cases) EXPECT_EQ(load_ranks(c.input, 4, 8, &gpu), c.expected) << c.input;
  ss_error error = {};
  EXPECT_EQ(ss_ranks_load("/no/ranks", 4, 8, gpu.data(), &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "cannot be read: No such file or directory");
}

TEST(Quantity, ParsesTheSpellingsOfSimGrid)
{
  const std::vector<std::tuple<const char *, ss_unit, double>> good = {
      {"0.7", SS_UNIT_NONE, 0.7},
      {"1e3", SS_UNIT_NONE, 1000},
      {".5", SS_UNIT_NONE, 0.5},
      {"312Tf", SS_UNIT_FLOP_PER_S, 312e12},
      {"1.5kf", SS_UNIT_FLOP, 1500},
      {"25GBps", SS_UNIT_BYTES_PER_S, 25e9},
      {"200Gbps", SS_UNIT_BYTES_PER_S, 25e9},
      {"1MiBps", SS_UNIT_BYTES_PER_S, 1048576},
      {"1Kibps", SS_UNIT_BYTES_PER_S, 128},
      {"1EBps", SS_UNIT_BYTES_PER_S, 1e18},
      {"80GiB", SS_UNIT_BYTES, 80.0 * (1 << 30)},
      {"80GB", SS_UNIT_BYTES, 80e9},
      {"8kb", SS_UNIT_BYTES, 1000},
      {"2ms", SS_UNIT_SECONDS, 2e-3},
      {"0s", SS_UNIT_SECONDS, 0},
  };
  for (const auto &[text, unit, expected] : good) {
    double value = -1;
    ASSERT_EQ(ss_quantity_parse(text, unit, &value), 0) << text;
    EXPECT_DOUBLE_EQ(value, expected) << text;
  }
  const std::vector<std::pair<const char *, ss_unit>> bad = {
      {"", SS_UNIT_NONE},
      {".", SS_UNIT_NONE},
      {"-", SS_UNIT_NONE},
      {"1e", SS_UNIT_NONE},
      {"nan", SS_UNIT_NONE},
      {"inf", SS_UNIT_NONE},
      {"0x10", SS_UNIT_NONE},
      {" 1", SS_UNIT_NONE},
      {"1 ", SS_UNIT_NONE},
      {"1e999", SS_UNIT_NONE},
      {"1e-999s", SS_UNIT_SECONDS},
      {"5", SS_UNIT_SECONDS},
      {"5 us", SS_UNIT_SECONDS},
      {"5Us", SS_UNIT_SECONDS},
      {"1KBps", SS_UNIT_BYTES_PER_S},
      {"1mBps", SS_UNIT_BYTES_PER_S},
      {"1GB/s", SS_UNIT_BYTES_PER_S},
      {"1GB", SS_UNIT_BYTES_PER_S},
      {"1GBps", SS_UNIT_BYTES},
      {"1GiF", SS_UNIT_FLOP},
  };
  for (const auto &[text, unit] : bad) {
    double value;
    EXPECT_EQ(ss_quantity_parse(text, unit, &value), -1) << text;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The schemas say what the tables say

using Strings = std::vector<std::string>;

// The values of the attribute nodes that an XPath expression selects in a schema.
Strings select(const char *xsd, const std::string &expression)
{
  xmlDoc *document = xmlReadMemory(xsd, static_cast<int>(std::string(xsd).size()), nullptr, nullptr, 0);
  xmlXPathContext *context = xmlXPathNewContext(document);
  xmlXPathRegisterNs(context, BAD_CAST "xs", BAD_CAST "http://www.w3.org/2001/XMLSchema");
  xmlXPathObject *found = xmlXPathEvalExpression(BAD_CAST expression.c_str(), context);
  Strings values;
  for (int i = 0; found->nodesetval != nullptr && i < found->nodesetval->nodeNr; i++) {
    xmlChar *text = xmlNodeGetContent(found->nodesetval->nodeTab[i]);
    values.emplace_back(reinterpret_cast<char *>(text));
    xmlFree(text);
  }
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  xmlFreeDoc(document);
  return values;
}

TEST(Schema, OfWorkloadsHasTheElementsAndAttributesOfTheTable)
{
  Strings elements;
  std::map<std::string, Strings> names;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute &row = ss_workload_attributes()[i];
    if (names.count(row.element) == 0) elements.push_back(row.element);
    names[row.element].push_back(row.name);
  }
  EXPECT_EQ(select(ss_workload_xsd, "//xs:all/xs:element/@name"), elements);
  EXPECT_EQ(select(ss_workload_xsd, "/xs:schema/xs:complexType/@name"), elements);
  for (const auto &[element, expected] : names)
    EXPECT_EQ(select(ss_workload_xsd, "//xs:complexType[@name='" + element + "']/xs:attribute/@name"), expected);
}

TEST(Schema, OfWorkloadsHasTheTypesAndRangesOfTheTable)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute &row = ss_workload_attributes()[i];
    SCOPED_TRACE(std::string(row.element) + "." + row.name);
    const std::string attribute =
        "//xs:complexType[@name='" + std::string(row.element) + "']/xs:attribute[@name='" + row.name + "']";
    const std::string restriction = attribute + "//xs:restriction";
    if (row.type == SS_ATTRIBUTE_TEXT) {
      EXPECT_EQ(select(ss_workload_xsd, attribute + "/@type"), Strings{"text"});
    } else if (row.type == SS_ATTRIBUTE_CHOICE) {
      Strings words;
      for (const char *const *word = row.words; *word != nullptr; word++) words.push_back(*word);
      EXPECT_EQ(select(ss_workload_xsd, restriction + "/@base"), Strings{"xs:string"});
      EXPECT_EQ(select(ss_workload_xsd, restriction + "/xs:enumeration/@value"), words);
    } else {
      const bool whole = row.type == SS_ATTRIBUTE_COUNT;
      EXPECT_EQ(select(ss_workload_xsd, restriction + "/@base"), Strings{whole ? "xs:integer" : "xs:double"});
      const Strings least = select(ss_workload_xsd, restriction + "/xs:minInclusive/@value");
      const Strings most = select(ss_workload_xsd, restriction + "/xs:maxInclusive/@value");
      ASSERT_EQ(least.size(), 1u);
      ASSERT_EQ(most.size(), 1u);
      EXPECT_EQ(std::stod(least[0]), row.minimum);
      EXPECT_EQ(std::stod(most[0]), row.maximum);
    }
  }
}

TEST(Schema, OfPlatformsHasThePropertiesOfTheTable)
{
  Strings expected;
  for (int i = 0; i < SS_PROPERTY_TOTAL; i++) expected.push_back(ss_machine_properties()[i].name);
  EXPECT_EQ(select(ss_platform_xsd, "//xs:complexType[@name='prop']/xs:attribute[@name='id']//xs:enumeration/@value"),
            expected);
}

} // namespace
