/* The program is made of the library: both say the same, byte for byte. */
#include <gtest/gtest.h>
#include <jansson.h>
#include <stepsim.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "tests/support/library.hpp"

namespace
{

/* Inputs, with a knob and a property that are set: values as the files have them say nothing about --set. */
struct Inputs {
  const char *workload, *platform, *knob, *value, *property;
};

class Program : public Library, public testing::WithParamInterface<Inputs>
{
protected:
  void SetUp() override
  {
    const Inputs &in = GetParam();
    const list properties{in.property};
    ASSERT_EQ(stepsim_machine_create(in.platform, properties, &machine, &error), STEPSIM_OK) << error.message;
    ASSERT_EQ(stepsim_job_create(in.workload, machine, &job, &error), STEPSIM_OK) << error.message;
    ASSERT_EQ(stepsim_job_set(job, in.knob, in.value, &error), STEPSIM_OK) << error.message;
  }

  /* What a command prints with --json, without the end of the last line. */
  static std::string json(const std::string &command, const std::string &options)
  {
    const Inputs &in = GetParam();
    const std::string line = std::string("'" PROGRAM "' ") + command + " " + in.workload + " " + in.platform +
                             " --set " + in.knob + "=" + in.value + " --set platform." + in.property +
                             " --quiet --json - " + options;
    std::string printed;
    FILE *stream = popen(line.c_str(), "r");
    if (stream == nullptr) return "";
    for (int byte = fgetc(stream); byte != EOF; byte = fgetc(stream)) printed += static_cast<char>(byte);
    const int status = pclose(stream);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0) << line;
    if (!printed.empty() && printed.back() == '\n') printed.pop_back();
    return printed;
  }
};

TEST_P(Program, EstimatesAsTheLibraryDoes)
{
  ASSERT_EQ(stepsim_estimate_create(job, nullptr, &estimate, &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(json("estimate", ""), stepsim_estimate_json(estimate));
}

TEST_P(Program, ReplaysAsTheLibraryDoes)
{
  ASSERT_EQ(stepsim_replay_create(job, list{"flows=all"}, &replay, &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(json("run", "--flows all"), stepsim_replay_json(replay));
}

/* `set` of a strategy makes the program's files into it, and the library's job, which has its settings already. */
TEST_P(Program, SearchesAsTheLibraryDoes)
{
  ASSERT_EQ(stepsim_search_create(job, list{"gpus=32,64", "top=3", "replay=2"}, &search, &error), STEPSIM_OK)
      << error.message;
  const Inputs &in = GetParam();
  const std::string own = "          \"" + std::string(in.knob) + "=" + in.value + "\",\n";
  const std::string of_platform = "          \"platform." + std::string(in.property) + "\",\n";
  std::string printed = json("search", "--gpus 32,64 --top 3 --replay 2");
  for (const std::string &setting : {own, of_platform})
    for (size_t at; (at = printed.find(setting)) != std::string::npos;) printed.erase(at, setting.size());
  EXPECT_EQ(printed, stepsim_search_json(search));
}

TEST_P(Program, PlansAsTheLibraryDoes)
{
  stepsim_plan *plan = nullptr;
  ASSERT_EQ(stepsim_job_set(job, "training.tokens", "1e11", &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_plan_create(job, list{"trials=20"}, &plan, &error), STEPSIM_OK) << error.message;
  const std::string all = stepsim_plan_json(plan);
  EXPECT_EQ(json("plan", "--set training.tokens=1e11 --trials 20"), all);
  json_t *document = json_loads(all.c_str(), 0, nullptr);
  double total_s = 0.0, work_s = 0.0;
  EXPECT_EQ(json_unpack(document, "{s:{s:F, s:F}}", "mean", "total_s", &total_s, "work_s", &work_s), 0);
  EXPECT_EQ(stepsim_plan_total_s(plan), total_s);
  EXPECT_EQ(stepsim_plan_work_s(plan), work_s);
  json_decref(document);
  stepsim_plan_destroy(plan);
}

TEST_P(Program, SweepsAsTheLibraryDoes)
{
  stepsim_sweep *sweep = nullptr;
  ASSERT_EQ(stepsim_sweep_create(job, list{"vary=parallelism.tp=1,2,3", "vary=gpus=32,64", "replay=1"}, &sweep, &error),
            STEPSIM_OK)
      << error.message;
  EXPECT_EQ(stepsim_sweep_count(sweep), 6);
  EXPECT_EQ(json("sweep", "--vary parallelism.tp=1,2,3 --vary gpus=32,64 --replay"), stepsim_sweep_json(sweep));
  stepsim_sweep_destroy(sweep);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, Program,
    testing::Values(Inputs{"bert-large", "perlmutter", "training.recompute", "full", "fabric-bandwidth=20GBps"},
                    Inputs{"llama3-8b", "dgx-h100", "training.recompute", "selective", "fabric-latency=9us"},
                    Inputs{"mixtral-8x7b", "dgx-h100", "training.host", "eager", "launch-overhead=5us"}),
    [](const testing::TestParamInfo<Inputs> &inputs) {
      std::string name = inputs.param.workload;
      for (char &c : name) c = c == '-' ? '_' : c;
      return name;
    });

} // namespace
