/* Reading and checking workloads: what they say, and the exact text of every refusal. */

#include "tests/support/attributes.hpp"
#include "tests/support/inputs.hpp"

using namespace stepsim;

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
  /* The line of the attribute, not of the end of its tag. */
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
  ASSERT_EQ(load_workload(in_workload("<model layers=' +96\t'/>"), &w), "accepted"); /* as xs:integer */
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
                                "<schedule>, <placement>, <run>"},
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
  const std::vector<Case> cases = {
      {"<model\n layer=\"96\"/>",
       "PATH:3: unknown attribute model.layer=\"96\" (did you mean layers or layer-embedding?); allowed: " +
           names_of("model")},
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
      {"<training attention=\"fast\"/>", "PATH:2: training.attention=\"fast\": is unknown; allowed: flash, unfused"},
      {"<schedule overlap-dp=\"\"/>", "PATH:2: schedule.overlap-dp=\"\": is unknown; allowed: no, yes"},
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
  EXPECT_EQ(w.placement.ranks, path_of("ranks.txt"));
  ASSERT_EQ(load_workload(in_workload("<placement ranks=\"/data/ranks.txt\"/>"), &w), "accepted");
  EXPECT_STREQ(w.placement.ranks, "/data/ranks.txt");
  const std::string name(255, 'r'), bytes = std::to_string(path_of(name).size());
  EXPECT_EQ(load_workload(in_workload("<placement ranks=\"" + name + "\"/>")),
            "PATH:2: placement.ranks=\"" + name + "\": has " + bytes +
                " bytes with the folder of this file; allowed: at most 255");
}

TEST(WorkloadCheck, NamesWhatIsMissing)
{
  ss_workload w;
  ASSERT_EQ(load_workload(in_workload("<model layers=\"2\" heads=\"4\"/>"), &w), "accepted");
  ss_error error = {};
  ss_workload_derive(&w);
  const ss_status status = ss_workload_check(&w, &error);
  EXPECT_EQ(printed(status, error, w.file), "PATH:2: required attributes are missing: model.hidden (1 to 10000000), "
                                            "model.sequence (1 to 1000000000)");
}

TEST(WorkloadCheck, DerivesWhatIsNotGiven)
{
  ss_workload w;
  ASSERT_EQ(load_workload(in_workload("<model layers=\"2\" heads=\"4\" hidden=\"64\" sequence=\"8\"/>"), &w),
            "accepted");
  ss_workload_derive(&w);
  EXPECT_EQ(w.model.ffn, 256); /* 4 * 64 */
  EXPECT_EQ(w.model.kv_heads, 4);
  EXPECT_EQ(w.model.head_size, 16); /* 64 / 4 */
  EXPECT_EQ(ss_workload_check(&w, nullptr), SS_OK);

  ASSERT_EQ(load_workload(in_workload("<model layers='2' heads='4' hidden='64' sequence='8' ffn='96'/>"
                                      "<parallelism tensor='summa' tp='2' tp2='4'/>"),
                          &w),
            "accepted");
  ss_workload_derive(&w);
  EXPECT_EQ(w.model.expert_ffn, 96);
  EXPECT_EQ(w.parallelism.panels, 4); /* the larger of 2 and 4 */
  EXPECT_EQ(ss_workload_check(&w, nullptr), SS_OK);
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
  EXPECT_EQ(ss_workload_gpus(&w), 512);          /* 8 * 16 * 4 */
  EXPECT_EQ(ss_workload_micro_batches(&w), 384); /* 1536 / 4 */
  w.parallelism.tp = w.parallelism.tp2 = w.parallelism.cp = w.parallelism.dp = w.parallelism.pp = 1000000;
  EXPECT_EQ(ss_workload_gpus(&w), INT64_MAX); /* saturates */
  EXPECT_STREQ(ss_word(SS_AT_training_attention, w.training.attention), "flash");
}

TEST(Workload, AxesHaveTheirWords)
{
  EXPECT_EQ(ss_axis_find("tp,cp", 2), SS_AXIS_TP);
  EXPECT_EQ(ss_axis_find("tp2,pp", 3), SS_AXIS_CP); /* of 2d and summa */
  EXPECT_EQ(ss_axis_find("cp", 2), SS_AXIS_CP);
  EXPECT_EQ(ss_axis_find("ep", 2), SS_AXIS_COUNT);
  EXPECT_EQ(ss_axis_find("", 0), SS_AXIS_COUNT);
}
