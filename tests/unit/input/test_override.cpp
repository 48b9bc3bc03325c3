/* Overrides, rank files and quantities, and the exact text of every refusal. */

#include "tests/support/attributes.hpp"
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/io/workload/synonyms.h"
}

using namespace stepsim;

TEST(Override, SetsAttributesAndProperties)
{
  ss_workload w;
  ss_machine m;
  ASSERT_EQ(load_workload(gpt3, &w), "accepted");
  ASSERT_EQ(load_machine(perlmutter, &m), "accepted");
  for (const char *text : {"parallelism.tp=4", "model.name=a=b.c", "training.recompute=full", "training.tokens=1e12",
                           "parallelism.tp2=2", "training.imbalance=1.5", "platform.hbm-capacity=40GiB",
                           "platform.domain-size=8", "platform.matrix-efficiency=0.5", "platform.fp8-flops=2Pf"})
    ASSERT_EQ(ss_override(text, &w, &m, nullptr), SS_OK) << text;
  EXPECT_EQ(w.parallelism.tp, 4);
  EXPECT_EQ(w.line[SS_AT_parallelism_tp], SS_LINE_OVERRIDE);
  EXPECT_STREQ(w.model.name, "a=b.c");
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_FULL);
  EXPECT_EQ(w.training.tokens, 1e12);
  EXPECT_EQ(m.hbm_bytes, 40.0 * (1 << 30));
  EXPECT_EQ(m.line[SS_PROPERTY_hbm_bytes], SS_LINE_OVERRIDE);
  EXPECT_EQ(m.matrix_efficiency.value[0], 0.5);
  EXPECT_EQ(w.parallelism.tp2, 2);
  EXPECT_EQ(w.training.imbalance, 1.5);
  EXPECT_EQ(m.fp8_flop_per_s, 2e15);
}

/* As if it had not been given: the last stage has what the others leave, and texts are empty, or what they were. Names
 * may be called so, and what is required is not. */
TEST(Override, TakesBackToTheDefault)
{
  ss_workload w;
  ss_error error = {};
  ASSERT_EQ(load_workload(gpt3, &w), "accepted");
  for (const char *text :
       {"parallelism.last-stage-layers=3", "parallelism.last-stage-layers=default", "training.recompute=full",
        "training.recompute=default", "model.name=default", "parallelism.layout=Et|tL", "parallelism.layout=default",
        "placement.order=tp,cp,pp,dp", "placement.order=default", "training.recompute-layer-ids=3",
        "training.recompute-layer-ids=default"})
    ASSERT_EQ(ss_override(text, &w, nullptr, &error), SS_OK) << text << ": " << error.message;
  EXPECT_EQ(w.parallelism.last_stage_layers, SS_DERIVED);
  EXPECT_EQ(w.line[SS_AT_parallelism_last_stage_layers], SS_LINE_DEFAULT);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_NONE);
  EXPECT_STREQ(w.model.name, "default");
  EXPECT_STREQ(w.parallelism.layout, "");
  EXPECT_EQ(w.line[SS_AT_parallelism_layout], SS_LINE_DEFAULT); /* a search may vary it */
  EXPECT_STREQ(w.placement.order, "tp,cp,dp,pp");
  EXPECT_STREQ(w.training.recompute_layer_ids, "");
  EXPECT_EQ(ss_override("model.layers=default", &w, nullptr, &error), SS_ERROR_INPUT);
}

TEST(Override, RefusesAsAFileDoes)
{
  ss_workload w;
  ss_machine m;
  ss_workload_init(&w);
  ss_machine_init(&m);
  const std::vector<Case> cases = {
      {"tp=4", "\"tp=4\": is not an override (did you mean parallelism.tp?); allowed: ELEMENT.ATTRIBUTE=VALUE or "
               "platform.PROPERTY=VALUE"},
      {"micro_batch=4", "\"micro_batch=4\": is not an override (did you mean training.micro-batch?); allowed: "
                        "ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE"},
      {"hbm-capacity", "\"hbm-capacity\": is not an override (did you mean platform.hbm-capacity?); allowed: "
                       "ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE"},
      {"tpp=4", "\"tpp=4\": is not an override; allowed: ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE"},
      {"parallelism.tp", "\"parallelism.tp\": is not an override; allowed: ELEMENT.ATTRIBUTE=VALUE or "
                         "platform.PROPERTY=VALUE"},
      {"", "\"\": is not an override; allowed: ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE"},
      {"modle.layers=3", "\"modle.layers=3\": has an unknown element (did you mean model?); allowed: model, training, "
                         "parallelism, schedule, "
                         "placement, run, platform"},
      {"training.tp=4", "unknown attribute training.tp=\"4\"; allowed: " + names_of("training")},
      {"model.layers=-3", "model.layers=\"-3\": is out of range; allowed: 1 to 100000"},
      {"model.mlp=relu", "model.mlp=\"relu\": is unknown (did you mean gelu or relu2?); allowed: gelu, swiglu, relu2"},
      {"platform.hbm-bandwidth=2039",
       "hbm-bandwidth=\"2039\": has no unit; allowed: a bandwidth such as 25GBps or 200Gbps"},
  };
  for (const Case &c : cases) {
    ss_error error = {};
    const ss_status status = ss_override(c.input.c_str(), &w, &m, &error);
    EXPECT_EQ(printed(status, error, ""), "--set: " + c.expected);
  }
  ss_error error = {};
  ASSERT_EQ(ss_override("platform.cores=4", &w, &m, &error), SS_ERROR_INPUT);
  EXPECT_EQ(
      std::string(error.message)
          .rfind("unknown property cores=\"4\"; allowed: accelerator, fitted-to, idealised, matrix-flops, fp8-flops, ",
                 0),
      0u);
  ASSERT_EQ(ss_override("platform.domain-size=4", &w, nullptr, &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "\"platform.domain-size=4\": is of the machine, and this is of a workload; allowed: "
                              "ELEMENT.ATTRIBUTE=VALUE");
  ASSERT_EQ(ss_override("foo=2", &w, nullptr, &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "\"foo=2\": is not an override; allowed: ELEMENT.ATTRIBUTE=VALUE");
  ASSERT_EQ(ss_override("foo=2", nullptr, &m, &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "\"foo=2\": is not an override; allowed: platform.PROPERTY=VALUE");
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

namespace
{

std::string load_ranks(const std::string &text, int64_t ranks, int64_t gpus, std::vector<int32_t> *gpu)
{
  const std::string path = write("ranks.txt", text);
  ss_error error = {};
  gpu->assign(static_cast<size_t>(ranks), -1);
  const ss_status status = ss_ranks_load(path.c_str(), ranks, gpus, gpu->data(), &error);
  return printed(status, error, path);
}

/* The machine has 4 domains of 8 GPUs. */
std::string load_free(const std::string &text, std::vector<int32_t> *gpus)
{
  const std::string path = write("free.txt", text);
  ss_error error = {};
  ss_machine machine = {};
  ss_free_gpus free_gpus = {};
  machine.gpus = 32;
  machine.domain_size = 8;
  const ss_status status = ss_free_gpus_load(path.c_str(), &machine, &free_gpus, &error);
  if (status == SS_OK) gpus->assign(free_gpus.gpu, free_gpus.gpu + free_gpus.first[4]);
  ss_free_gpus_free(&free_gpus);
  return printed(status, error, path);
}

} /* namespace */

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

TEST(FreeFile, ListsGpus)
{
  std::vector<int32_t> gpus;
  ASSERT_EQ(load_free("# a drained node\n0-1 2\n 3 \t gpus 7,0-1 # spare\n\n2 0\n", &gpus), "accepted");
  EXPECT_EQ(gpus, (std::vector<int32_t>{0, 1, 8, 9, 24, 25, 31}));
  ASSERT_EQ(load_free("0..1 2\n3 gpus 7,0..1\n2 0\n", &gpus), "accepted"); /* the same with dots */
  EXPECT_EQ(gpus, (std::vector<int32_t>{0, 1, 8, 9, 24, 25, 31}));
}

/* Each synonym is a name of its own, and is there. */
TEST(Synonyms, AreOfWhatThereIs)
{
#define SYNONYM(name, meant) {name, meant},
  const std::vector<Case> synonyms = {SS_SYNONYM_LIST(SYNONYM)};
#undef SYNONYM
  for (const Case &c : synonyms) {
    const size_t dot = c.expected.find('.');
    const std::string element = c.expected.substr(0, dot), name = c.expected.substr(dot + 1);
    const bool is_there = element == "platform" ? ss_machine_property(name.c_str()) != nullptr
                                                : ss_workload_attribute(element.c_str(), name.c_str()) != nullptr;
    EXPECT_TRUE(is_there) << c.expected;
    EXPECT_EQ(ss_machine_property(c.input.c_str()), nullptr) << c.input;
    EXPECT_EQ(ss_synonym(c.input.c_str()), c.expected);
  }
  EXPECT_STREQ(ss_synonym("micro_batch_size"), "training.micro-batch");
  EXPECT_EQ(ss_synonym("tp"), nullptr);
}

TEST(Override, NamesAnAttributeInFull)
{
  char full[SS_TEXT_SIZE];
  ASSERT_TRUE(ss_override_named("tp=4", 2, full));
  EXPECT_STREQ(full, "parallelism.tp");
  ASSERT_TRUE(ss_override_named("gpu_memory", 10, full));
  EXPECT_STREQ(full, "platform.hbm-capacity");
  EXPECT_FALSE(ss_override_named("nothing", 7, full));
}

TEST(FreeFile, Refuses)
{
  const std::string form =
      "says nothing about domains; allowed: DOMAINS COUNT or DOMAINS gpus LIST, such as \"0-5 64\" or \"7 gpus "
      "0-31,40-71\"";
  const std::vector<Case> cases = {
      {"0 8\n0-2 4\n", "PATH:2: domain 0 was in line 1 already; allowed: each domain once"},
      {"0 9\n", "PATH:1: 9 GPUs are more than a domain has; allowed: 0 to 8"},
      {"4 8\n", "PATH:1: domains 4 to 4 do not exist; allowed: in order, from 0 to 3"},
      {"2-1 8\n", "PATH:1: domains 2 to 1 do not exist; allowed: in order, from 0 to 3"},
      {"\n0 gpus 3,8\n", "PATH:2: GPUs 8 to 8 do not exist; allowed: in order, from 0 to 7"},
      {"0\n", "PATH:1: \"0\": " + form},
      {"0 all\n", "PATH:1: \"0 all\": " + form},
      {"0 gpus 1;2\n", "PATH:1: \"0 gpus 1;2\": " + form},
      {"0 gpus 1,\n", "PATH:1: \"0 gpus 1,\": " + form},
      {"0 4 4\n", "PATH:1: \"0 4 4\": " + form},
      {"-1 4\n", "PATH:1: \"-1 4\": " + form},
      {"", "PATH: is empty"},
  };
  std::vector<int32_t> gpus;
  for (const Case &c : cases) EXPECT_EQ(load_free(c.input, &gpus), c.expected) << c.input;
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
