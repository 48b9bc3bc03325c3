/* Every platform and workload that is shipped loads, is what its name says, and fits together with the others. */
#include <filesystem>
#include <map>
#include <vector>

#include "tests/support/fixtures.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/io/io.h"
}

using namespace stepsim;
namespace fs = std::filesystem;

namespace
{

std::vector<std::string> files(const char *folder)
{
  std::vector<std::string> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(source_path(folder)))
    if (entry.path().extension() == ".xml") found.push_back(entry.path().string());
  return found;
}

struct Shape {
  int64_t gpus, domain, nics;
  double nic_bytes_per_s;
};

} /* namespace */

TEST(Shipped, PlatformsHaveTheirShape)
{
  std::map<std::string, Shape> expected = {
      {"perlmutter", {512, 4, 4, 25e9}},      {"perlmutter-1024", {1024, 4, 4, 25e9}},
      {"selene", {4096, 8, 8, 25e9}},         {"a100-8x4nic", {512, 8, 4, 25e9}},
      {"jean-zay", {416, 8, 4, 12.5e9}},      {"dgx2-v100", {512, 16, 8, 12.5e9}},
      {"dgx-h100", {16384, 8, 8, 50e9}},      {"dgx-b200", {4096, 8, 8, 50e9}},
      {"gb200-nvl72", {4608, 72, 72, 50e9}},  {"polaris", {2240, 4, 2, 12.5e9}},
      {"thetagpu", {320, 8, 8, 25e9}},        {"kempner-h100", {384, 4, 4, 50e9}},
      {"a100-nvl4", {16384, 4, 4, 25e9}},     {"a100-nvl8", {16384, 8, 8, 25e9}},
      {"a100-nvl64", {16384, 64, 64, 25e9}},  {"h200-nvl4", {16384, 4, 4, 50e9}},
      {"h200-nvl8", {16384, 8, 8, 50e9}},     {"h200-nvl64", {16384, 64, 64, 50e9}},
      {"b200-nvl4", {16384, 4, 4, 100e9}},    {"b200-nvl8", {16384, 8, 8, 100e9}},
      {"b200-nvl64", {16384, 64, 64, 100e9}}, {"b200-next-nvl64", {16384, 64, 64, 200e9}},
      {"dgx-h200", {16384, 8, 8, 50e9}},      {"dgx-b300", {4096, 8, 8, 100e9}},
      {"gb300-nvl72", {4608, 72, 72, 100e9}}, {"mi300x", {4096, 8, 8, 50e9}},
      {"mi355x", {4096, 8, 8, 50e9}},         {"h800", {2048, 8, 8, 50e9}},
      {"mi325x", {4096, 8, 8, 50e9}},         {"tpu-v5p", {6144, 1, 1, 100e9}},
      {"trainium2", {4096, 16, 16, 25e9}},
  };
  for (const std::string &path : files("platforms")) {
    ss_machine machine;
    ss_error error = {};
    ASSERT_EQ(ss_machine_load(path.c_str(), &machine, &error), SS_OK) << path << ": " << error.message;
    const std::string name = fs::path(path).stem();
    EXPECT_EQ(machine.name, name);
    ASSERT_EQ(expected.count(name), 1u) << name;
    EXPECT_EQ(machine.gpus, expected[name].gpus) << name;
    EXPECT_EQ(machine.domain_size, expected[name].domain) << name;
    EXPECT_EQ(machine.nics_per_domain, expected[name].nics) << name;
    EXPECT_EQ(machine.fabric_bytes_per_s, expected[name].nic_bytes_per_s) << name;
    expected.erase(name);
  }
  EXPECT_TRUE(expected.empty()) << expected.begin()->first << " is missing";
}

TEST(Shipped, WorkloadsAreValid)
{
  ss_machine machine;
  ss_error error = {};
  ASSERT_EQ(ss_machine_load(source_path("platforms/dgx-h100.xml").c_str(), &machine, &error), SS_OK) << error.message;
  for (const std::string &path : files("workloads")) {
    ss_workload workload;
    ASSERT_EQ(ss_workload_load(path.c_str(), &workload, &error), SS_OK) << path << ": " << error.message;
    ss_workload_derive(&workload);
    EXPECT_EQ(workload.model.name, fs::path(path).stem().string());
    const Job job(workload, machine, SS_COST_CALIBRATED);
    EXPECT_GT(ss_estimate_time(job.get()).iteration_s, 0) << path;
  }
  EXPECT_EQ(files("workloads").size(), 27u);
}

namespace
{

/* Parameters of a shipped model, whole on one GPU. */
double parameters_of(const std::string &name)
{
  ss_workload workload, whole;
  ss_machine machine;
  ss_error error = {};
  EXPECT_EQ(ss_workload_load(source_path("workloads/" + name + ".xml").c_str(), &workload, &error), SS_OK)
      << error.message;
  EXPECT_EQ(ss_machine_load(source_path("platforms/dgx-h100.xml").c_str(), &machine, &error), SS_OK) << error.message;
  ss_workload_init(&whole);
  whole.model = workload.model;
  ss_workload_derive(&whole);
  const Job job(whole, machine, SS_COST_CALIBRATED);
  double total = 0;
  for (int weights = 0; weights < SS_WEIGHTS; weights++)
    total += ss_job_stage_parameters(job.get(), 0, static_cast<ss_weights>(weights));
  const bool apart = workload.model.tied_embeddings == SS_NO;
  /* GPT, Megatron's models and BERT share the embedding with the output layer, which their files leave apart */
  const bool shared = apart && workload.model.mlp == SS_MLP_GELU;
  return total - (shared ? (double)(workload.model.vocabulary * workload.model.hidden) : 0);
}

} /* namespace */

/* Parameters of the models within 1 % of what their names promise. */
TEST(Shipped, ModelsHaveTheirSize)
{
  const std::map<std::string, double> parameters = {
      {"gpt3-175b", 175e9},     {"gpt3-1t", 1.008e12},  {"megatron-22b", 22e9},   {"megatron-530b", 530e9},
      {"llama3-8b", 8.03e9},    {"llama3-70b", 70.6e9}, {"llama3-405b", 405.9e9}, {"bert-large", 0.334e9},
      {"mixtral-8x7b", 46.7e9}, {"deepseek-v3", 671e9}, {"grok-1", 314e9},        {"deepseek-v3-mtp", 671e9 + 11.5e9},
  };
  for (const auto &[name, expected] : parameters) EXPECT_NEAR(parameters_of(name), expected, 0.011 * expected) << name;
}

/* Parameters within 0.1 % of what is published, with its source in the file. */
TEST(Shipped, ModelsHaveThePublishedParameters)
{
  const std::map<std::string, double> parameters = {
      {"qwen3-235b", 235.09e9},    {"qwen3-30b", 30.53e9},        {"gpt-oss-120b", 116.83e9}, {"gemma2-27b", 27.23e9},
      {"kimi-k2", 1026.4e9},       {"llama4-maverick", 400.71e9}, {"mpt-7b", 6.65e9},         {"mpt-30b", 29.96e9},
      {"nemotron-h-8b", 8.1009e9}, {"nemotron4-340b", 341.0e9},   {"nemotron4-15b", 15.63e9}, {"gemma3-27b", 27.4324e9},
  };
  for (const auto &[name, expected] : parameters) EXPECT_NEAR(parameters_of(name), expected, 0.001 * expected) << name;
}
