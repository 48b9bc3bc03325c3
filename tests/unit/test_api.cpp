/* The library as a program sees it: numbers are those of the files' job, and wrong use is an error with a message. */
#include <gtest/gtest.h>
#include <jansson.h>
#include <stepsim.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/scratch.hpp"

namespace
{

using Options = std::vector<const char *>;

const char *const *list(Options &options)
{
  options.push_back(nullptr);
  return options.data();
}

/* A small job whose replay takes a tenth of a second. */
class Library : public testing::Test
{
protected:
  void SetUp() override
  {
    ASSERT_EQ(stepsim_job_create("bert-large", "perlmutter", &job, &error), STEPSIM_OK) << error.message;
  }
  void TearDown() override
  {
    stepsim_result_destroy(result);
    stepsim_job_destroy(job);
  }

  double value(const char *column, int64_t row = 0) const
  {
    return stepsim_result_value(result, row, stepsim_column_find(column));
  }

  std::string knob(const stepsim_job *of, const char *name)
  {
    char text[256] = "";
    EXPECT_EQ(stepsim_job_get(of, name, text, sizeof text, &error), STEPSIM_OK) << error.message;
    return text;
  }

  stepsim_job *job = nullptr;
  stepsim_result *result = nullptr;
  stepsim_error error = {};
};

/* Whether a message has a part. */
testing::AssertionResult says(const stepsim_error &error, stepsim_status code, const char *part)
{
  if (error.code == code && std::strstr(error.message, part) != nullptr) return testing::AssertionSuccess();
  return testing::AssertionFailure() << stepsim_status_text(error.code) << ": " << error.message;
}

TEST_F(Library, EstimatesWhatItsJsonSays)
{
  ASSERT_EQ(stepsim_replay(job, nullptr, &result, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_result_rows(result), 1);
  json_t *document = json_loads(stepsim_result_json(result), 0, nullptr);
  ASSERT_NE(document, nullptr);
  int64_t numbers = 0;
  for (int64_t column = 0; column < stepsim_column_count(); ++column) {
    const json_t *at = document;
    std::string name = stepsim_column_name(column), rest = name;
    for (size_t dot = 0; at != nullptr && dot != std::string::npos; rest = rest.substr(dot + 1)) {
      dot = rest.find('.');
      at = json_object_get(at, rest.substr(0, dot).c_str());
    }
    const double number = stepsim_result_value(result, 0, column);
    if (std::isnan(number)) {
      EXPECT_TRUE(at == nullptr || json_is_null(at)) << name;
    } else {
      EXPECT_EQ(number, json_is_boolean(at) ? json_is_true(at) : json_number_value(at)) << name;
      ++numbers;
    }
  }
  json_decref(document);
  EXPECT_GT(numbers, 60);
}

TEST_F(Library, ColumnsAndKnobsAreNamedAndExplained)
{
  std::set<std::string> names;
  for (int64_t column = 0; column < stepsim_column_count(); ++column) {
    EXPECT_TRUE(names.insert(stepsim_column_name(column)).second) << stepsim_column_name(column);
    EXPECT_GT(std::strlen(stepsim_column_unit(column)), 0u);
    EXPECT_GT(std::strlen(stepsim_column_help(column)), 0u);
    EXPECT_EQ(stepsim_column_find(stepsim_column_name(column)), column);
  }
  for (int64_t at = 0; at < stepsim_knob_count(); ++at) {
    EXPECT_TRUE(names.insert(stepsim_knob_name(at)).second) << stepsim_knob_name(at);
    EXPECT_GT(std::strlen(stepsim_knob_help(at)), 0u);
  }
  for (const int64_t nowhere : {INT64_C(-1), stepsim_column_count()}) {
    EXPECT_EQ(stepsim_column_name(nowhere), nullptr);
    EXPECT_EQ(stepsim_column_unit(nowhere), nullptr);
    EXPECT_EQ(stepsim_column_help(nowhere), nullptr);
  }
  for (const int64_t nowhere : {INT64_C(-1), stepsim_knob_count()}) {
    EXPECT_EQ(stepsim_knob_name(nowhere), nullptr);
    EXPECT_EQ(stepsim_knob_help(nowhere), nullptr);
  }
  EXPECT_EQ(stepsim_column_find("iteration"), -1);
  EXPECT_EQ(stepsim_column_find(nullptr), -1);
}

/* Whatever a knob says can be set again, and changes nothing. */
TEST_F(Library, KnobsAreReadAsTheyAreSet)
{
  for (int64_t at = 0; at < stepsim_knob_count(); ++at) {
    const char *name = stepsim_knob_name(at);
    char before[2048], after[2048];
    stepsim_job *copy = nullptr;
    ASSERT_EQ(stepsim_job_copy(job, &copy, &error), STEPSIM_OK);
    ASSERT_EQ(stepsim_job_get(copy, name, before, sizeof before, &error), STEPSIM_OK) << error.message;
    if (stepsim_job_set(copy, name, before, nullptr) == STEPSIM_OK) { /* 0 may stand for "nobody says" */
      ASSERT_EQ(stepsim_job_get(copy, name, after, sizeof after, &error), STEPSIM_OK) << error.message;
      EXPECT_STREQ(before, after) << name;
    }
    stepsim_job_destroy(copy);
  }
}

TEST_F(Library, ACopyIsSetByItself)
{
  stepsim_job *copy = nullptr;
  ASSERT_EQ(stepsim_job_copy(job, &copy, &error), STEPSIM_OK);
  ASSERT_EQ(stepsim_job_set(copy, "model.layers", "48", &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_job_set(copy, "platform.domain_size", "4", &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(knob(copy, "model.layers"), "48");
  EXPECT_EQ(knob(job, "model.layers"), "24");
  for (const char *tp : {"2", "4"}) {
    ASSERT_EQ(stepsim_job_set(job, "parallelism.tp", tp, &error), STEPSIM_OK) << error.message;
    EXPECT_EQ(knob(job, "parallelism.panels"), tp) << "follows, since the file does not say it";
  }
  stepsim_job_destroy(copy);
}

/* The job of a row has the strategy that the search has found: its own estimate is what the search says. */
TEST_F(Library, ASearchGivesJobs)
{
  Options options = {"gpus=16", "top=4", "replay=1", "knobs=recompute"};
  ASSERT_EQ(stepsim_search(job, list(options), &result, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_result_rows(result), 4);
  EXPECT_EQ(value("gpus"), 16.0);
  EXPECT_TRUE(std::isfinite(value("simulation.iteration_s")));
  EXPECT_TRUE(std::isnan(value("explanation.contention_s"))) << "only a replay by itself explains";
  json_t *document = json_loads(stepsim_result_json(result), 0, nullptr), *top = json_object_get(document, "top");
  ASSERT_EQ(json_array_size(top), 4u);
  for (int64_t row = 0; row < 4; ++row) {
    const json_t *of = json_object_get(json_array_get(top, (size_t)row), "estimate");
    EXPECT_EQ(value("estimate.iteration_s", row), json_number_value(json_object_get(of, "iteration_s"))) << row;
  }
  json_decref(document);
  stepsim_job *best = nullptr;
  ASSERT_EQ(stepsim_result_job(result, 0, &best, &error), STEPSIM_OK) << error.message;
  Scratch scratch;
  ASSERT_EQ(stepsim_job_save(best, scratch.path("best.xml").c_str(), &error), STEPSIM_OK) << error.message;
  stepsim_job *read = nullptr;
  ASSERT_EQ(stepsim_job_create(scratch.path("best.xml").c_str(), "perlmutter", &read, &error), STEPSIM_OK);
  for (const stepsim_job *one : {best, read}) {
    stepsim_result *again = nullptr;
    ASSERT_EQ(stepsim_estimate(one, nullptr, &again, &error), STEPSIM_OK) << error.message;
    EXPECT_EQ(stepsim_result_value(again, 0, stepsim_column_find("estimate.iteration_s")),
              value("estimate.iteration_s"));
    stepsim_result_destroy(again);
  }
  stepsim_job_destroy(read);
  stepsim_job_destroy(best);
}

TEST_F(Library, ASearchOfWhatFitsNowhereHasNoRows)
{
  Options options = {"gpus=4"};
  ASSERT_EQ(stepsim_job_set(job, "platform.hbm-capacity", "1GB", &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_search(job, list(options), &result, &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(stepsim_result_rows(result), 0);
  EXPECT_NE(stepsim_result_json(result), nullptr);
}

TEST_F(Library, WrongUseIsAnError)
{
  char text[8];
  stepsim_job *made = job;
  EXPECT_EQ(stepsim_job_create(nullptr, "perlmutter", &made, &error), STEPSIM_ERROR_USE);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_USE, "stepsim_job_create: workload, platform or job is NULL"));
  EXPECT_EQ(made, nullptr) << "what fails makes nothing";
  EXPECT_EQ(stepsim_job_create("bert-large", "perlmutter", nullptr, nullptr), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_copy(nullptr, &made, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_set(nullptr, "model.layers", "1", &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_set(job, "model.layers", nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_get(job, "model.name", text, sizeof text, &error), STEPSIM_ERROR_USE);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_USE, "model.name has "));
  EXPECT_EQ(stepsim_job_save(job, "-", &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_estimate(nullptr, nullptr, &result, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_replay(job, nullptr, nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_list("workloads", nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_result_rows(nullptr), 0);
  EXPECT_TRUE(std::isnan(stepsim_result_value(nullptr, 0, 0)));
  EXPECT_EQ(stepsim_result_json(nullptr), nullptr);
  stepsim_job_destroy(nullptr);
  stepsim_result_destroy(nullptr);
  stepsim_text_free(nullptr);
  ASSERT_EQ(stepsim_estimate(job, nullptr, &result, &error), STEPSIM_OK);
  EXPECT_EQ(stepsim_result_job(result, 1, &made, &error), STEPSIM_ERROR_USE);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_USE, "no row 1; there are 1"));
  for (const int64_t nowhere : {INT64_C(-1), INT64_C(1) << 40}) {
    EXPECT_TRUE(std::isnan(stepsim_result_value(result, nowhere, 0)));
    EXPECT_TRUE(std::isnan(stepsim_result_value(result, 0, nowhere)));
  }
  EXPECT_STREQ(stepsim_status_text(STEPSIM_ERROR_USE), "a function was called with what it does not take");
}

TEST_F(Library, WhatCannotBeReadSaysWhatIsAllowed)
{
  stepsim_job *made = nullptr;
  EXPECT_EQ(stepsim_job_create("bert-larg", "perlmutter", &made, &error), STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "did you mean bert-large?"));
  EXPECT_EQ(stepsim_job_create("/nowhere.xml", "perlmutter", &made, nullptr), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_job_set(job, "parallelism.tp", "two", &error), STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "allowed"));
  EXPECT_EQ(stepsim_job_set(job, "parallelism.t", "2", &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_job_set(job, "platform.nics", "2", &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_job_get(job, "parallelism.t", nullptr, 0, &error), STEPSIM_ERROR_USE);
  char text[64];
  EXPECT_EQ(stepsim_job_get(job, "parallelism.t", text, sizeof text, &error), STEPSIM_ERROR_INPUT);
  char *names = text;
  EXPECT_EQ(stepsim_list("clouds", &names, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(names, nullptr);
  ASSERT_EQ(stepsim_job_set(job, "parallelism.tp", "3", &error), STEPSIM_OK) << "by itself";
  EXPECT_EQ(stepsim_estimate(job, nullptr, &result, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(result, nullptr);
}

TEST_F(Library, OptionsAreThoseOfTheCommandLine)
{
  const struct {
    const char *option, *message;
  } refused[] = {{"tops=3", "\"tops\": unknown option (did you mean top?); allowed: cost gpus "},
                 {"json=x", "unknown option"},
                 {"top", "\"top\": needs a value; allowed: top=K"},
                 {"top=0", "allowed: 1 to"},
                 {"pareto=yes", "\"pareto\": takes no value"},
                 {"gpus=9999999", "GPUs of"},
                 {"objective=joy", "allowed: time memory"}};
  for (const auto &[option, message] : refused) {
    Options options = {option};
    EXPECT_EQ(stepsim_search(job, list(options), &result, &error), STEPSIM_ERROR_INPUT) << option;
    EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, message));
  }
  Options again = {"top=3", "top=4"}, contradiction = {"pareto", "top=3"}, more = {"seed=1"}, limit = {"max_memory=1B"};
  EXPECT_EQ(stepsim_search(job, list(again), &result, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_search(job, list(contradiction), &result, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_estimate(job, list(more), &result, &error), STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "allowed: cost"));
  EXPECT_EQ(stepsim_replay(job, list(limit), &result, &error), STEPSIM_ERROR_BUDGET);
}

/* Replays in several threads at a time, of which each waits for a child of its own. */
TEST_F(Library, ThreadsReplay)
{
  ASSERT_EQ(stepsim_replay(job, nullptr, &result, &error), STEPSIM_OK) << error.message;
  std::vector<std::thread> threads;
  std::vector<double> seconds(4);
  for (double &time_s : seconds)
    threads.emplace_back([this, &time_s] {
      stepsim_result *own = nullptr;
      if (stepsim_replay(job, nullptr, &own, nullptr) == STEPSIM_OK)
        time_s = stepsim_result_value(own, 0, stepsim_column_find("simulation.iteration_s"));
      stepsim_result_destroy(own);
    });
  for (std::thread &thread : threads) thread.join();
  for (const double time_s : seconds) EXPECT_EQ(time_s, value("simulation.iteration_s"));
}

volatile std::sig_atomic_t handled = 0;
void handle(int)
{
  handled = 1;
}

/* A host has handlers, ignores its children or has something in a buffer: a replay leaves all of that alone. */
TEST_F(Library, AReplayLeavesItsHostAlone)
{
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(stepsim_replay(job, nullptr, &result, &error), STEPSIM_OK) << error.message;
  stepsim_result_destroy(result);
  result = nullptr;
  std::signal(SIGCHLD, before);
  std::signal(SIGUSR1, handle);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  FILE *buffered = fdopen(ends[1], "w");
  std::fputs("once", buffered);
  EXPECT_EQ(stepsim_replay(job, nullptr, &result, &error), STEPSIM_OK) << error.message;
  std::fclose(buffered);
  char text[16] = "";
  EXPECT_EQ(read(ends[0], text, sizeof text), 4) << "not flushed by a child, too";
  close(ends[0]);
  struct sigaction now;
  sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_handler, handle);
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(Files, AreListed)
{
  char *names = nullptr;
  ASSERT_EQ(stepsim_list("platforms", &names, nullptr), STEPSIM_OK);
  EXPECT_NE(std::strstr(names, "perlmutter\n"), nullptr);
  stepsim_text_free(names);
}

TEST(Version, IsThatOfTheProject)
{
  EXPECT_EQ(std::string(stepsim_version()).rfind(SS_VERSION, 0), 0u);
}

} // namespace
