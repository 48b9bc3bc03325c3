/* Tables of iterations, and logs of training runs (tests/measured_logs). */
#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/import/measured/steps.h"
}

using namespace stepsim;

namespace
{

/* What a file says, released at the end. */
struct Steps {
  ss_timed_steps list = {};
  ss_error error = {};
  ss_status status = SS_OK;

  explicit Steps(const std::string &path, int64_t warmup = SS_STEP_WARMUP_FIFTH)
  {
    ss_source source;
    status = ss_source_read(path.c_str(), &source, &error);
    const bool is_log = status == SS_OK && ss_step_log_is(source.text);
    EXPECT_TRUE(status != SS_OK || is_log || ss_step_table_is(source.text)) << source.text;
    if (status == SS_OK)
      status = is_log ? ss_step_log_read(&source, warmup, &list, &error) : ss_step_table_read(&source, &list, &error);
    ss_source_free(&source);
  }
  ~Steps()
  {
    ss_timed_steps_free(&list);
  }
  Steps(const Steps &) = delete;
  Steps &operator=(const Steps &) = delete;
};

std::string published(const std::string &name)
{
  return source_path("tests/measured_logs/" + name);
}

std::string settings_of(const ss_timed_step &step)
{
  std::string text;
  for (int64_t i = 0; i < step.settings; ++i)
    text += std::string(i > 0 ? " " : "") + step.setting[i].name + "=" + step.setting[i].value;
  return text;
}

std::string refusal(const std::string &text)
{
  const std::string path = write("steps.csv", text);
  const Steps steps(path);
  return printed(steps.status, steps.error, path);
}

} // namespace

/* As spreadsheets export them: one column alone, in capitals, with other separators, and behind a byte order mark. */
TEST(StepTable, OfSpreadsheets)
{
  for (const char *text : {"seconds\n14.5\n", "\xef\xbb\xbfseconds,tp\n14.5,2\n", "Seconds,TP\r\n14.5,2\r\n",
                           "\"TP\";\"Seconds\"\n2;14.5\n", "tp\tseconds\n2\t14.5\n"}) {
    const Steps steps(write("steps.csv", text));
    ASSERT_EQ(steps.status, SS_OK) << text << steps.error.message;
    ASSERT_EQ(steps.list.count, 1);
    EXPECT_DOUBLE_EQ(steps.list.step[0].seconds, 14.5);
    const bool alone = std::string(text).find("2") == std::string::npos;
    EXPECT_EQ(settings_of(steps.list.step[0]), alone ? "" : "parallelism.tp=2");
  }
  EXPECT_NE(refusal("tp;seconds\n2;14,5\n").find("a number above 0"), std::string::npos);
}

/* The first of three is warm-up; the median of 243.4383 and 243.3444 s is between them. */
TEST(StepLog, OfMegatron)
{
  const Steps steps(published("steps-megatron-p5.log"));
  ASSERT_EQ(steps.status, SS_OK) << steps.error.message;
  ASSERT_EQ(steps.list.count, 1);
  const ss_timed_step &step = steps.list.step[0];
  EXPECT_DOUBLE_EQ(step.seconds, 0.5 * (243.4383 + 243.3444));
  EXPECT_EQ(step.left_out, 1);
  EXPECT_EQ(step.of, 2);
  EXPECT_EQ(step.gpus, 16);
  EXPECT_EQ(settings_of(step), "parallelism.dp=1 training.micro-batch=1 parallelism.pp=2 model.sequence=2048 "
                               "parallelism.tp=8 training.global-batch=288");
}

/* Five steps without the first: 7.549 7.556 7.559 7.561 7.566. */
TEST(StepLog, OfNemo2)
{
  const Steps steps(published("steps-nemo2.log"));
  ASSERT_EQ(steps.status, SS_OK) << steps.error.message;
  EXPECT_DOUBLE_EQ(steps.list.step[0].seconds, 7.559);
  EXPECT_EQ(settings_of(steps.list.step[0]), "training.global-batch=512");
}

/* Ten in a list: without a fifth, 5.36 4.55 4.12 and 2.18 four times and 2.12 are left: the median is 2.18. */
TEST(StepLog, OfNemosSummary)
{
  const Steps steps(published("steps-nemo-summary.log"));
  ASSERT_EQ(steps.status, SS_OK) << steps.error.message;
  EXPECT_EQ(steps.list.step[0].left_out, 2);
  EXPECT_DOUBLE_EQ(steps.list.step[0].seconds, 2.18);
  const Steps all(published("steps-nemo-summary.log"), 0); /* 4.12 and 2.18 are in the middle of ten */
  EXPECT_EQ(all.list.step[0].of, 10);
  EXPECT_DOUBLE_EQ(all.list.step[0].seconds, 0.5 * (2.18 + 4.12));
}

TEST(StepLog, AllWarmUpIsRefused)
{
  const std::string path = write("log", "train_step_timing in s: 2.0\ntrain_step_timing in s: 1.0\n");
  const Steps steps(path, 2);
  EXPECT_EQ(printed(steps.status, steps.error, path),
            "PATH: has 2 steps, all of which are warm-up; allowed: more steps, or a smaller --warmup");
}

TEST(StepLog, BatchesThatChangeAreRefused)
{
  EXPECT_EQ(refusal("elapsed time per iteration (ms): 10.0 | global batch size: 8 |\n"
                    "elapsed time per iteration (ms): 10.0 | global batch size: 16 |\n"),
            "PATH:2: the global batch changes in the log, or is none; allowed: steps of one size");
  EXPECT_EQ(refusal("elapsed time per iteration (ms): nan |\n"),
            "PATH:1: the time of a step is not a number above 0; allowed: one");
}

TEST(StepTable, AllTenColumnsAndAnAttribute)
{
  const Steps steps(write("steps.csv",
                          "# by hand\nworkload,gpus,tp,pp,dp,micro-batch,global_batch,sequence,seconds,weight,"
                          "training.recompute\n"
                          "llama3-8b, 64,2,1,32,1,512,8192,12.5,2,full\n\"my job.xml\",,,,,,,,1e-3,,\n"));
  ASSERT_EQ(steps.status, SS_OK) << steps.error.message;
  ASSERT_EQ(steps.list.count, 2);
  const ss_timed_step &first = steps.list.step[0], &second = steps.list.step[1];
  EXPECT_STREQ(first.workload, "llama3-8b");
  EXPECT_EQ(first.gpus, 64);
  EXPECT_EQ(first.seconds, 12.5);
  EXPECT_EQ(first.weight, 2.0);
  EXPECT_EQ(first.line, 3);
  EXPECT_EQ(settings_of(first), "parallelism.tp=2 parallelism.pp=1 parallelism.dp=32 training.micro-batch=1 "
                                "training.global-batch=512 model.sequence=8192 training.recompute=full");
  EXPECT_STREQ(second.workload, "my job.xml");
  EXPECT_EQ(second.gpus, 0);
  EXPECT_EQ(second.weight, 1.0);
  EXPECT_EQ(settings_of(second), "");
}

TEST(StepTable, Refusals)
{
  const std::string columns = "workload gpus tp pp dp micro-batch global-batch sequence seconds weight";
  EXPECT_EQ(refusal("seconds,nodes\n1,2\n"), "PATH:1: column \"nodes\" is unknown; allowed: " + columns +
                                                 ", or an attribute such as training.recompute");
  EXPECT_EQ(refusal("tp,tp,seconds\n"), "PATH:1: column \"tp\" occurs again; allowed: once");
  EXPECT_EQ(refusal("tp,seconds\n1\n"), "PATH:2: has 1 fields, the first line 2; allowed: as many");
  EXPECT_EQ(refusal("tp,seconds\n1,\n"), "PATH:2: has no seconds; allowed: the time of an iteration in every row");
  EXPECT_EQ(refusal("tp,seconds\n1,-2\n"), "PATH:2: seconds=\"-2\": allowed: a number above 0");
  EXPECT_EQ(refusal("gpus,seconds\n0,2\n"), "PATH:2: gpus=\"0\": allowed: 1 to 1048576");
  EXPECT_EQ(refusal("tp,seconds\n"), "PATH: has no row; allowed: one or more");
}
