/* Wrong use of the library, and what it cannot read: an error each, with what is allowed, and nothing made or changed.
 */
#include <gtest/gtest.h>
#include <stepsim.h>

#include <cmath>
#include <cstring>

#include "tests/support/library.hpp"

namespace
{

/* Whether a message has a part. */
testing::AssertionResult says(const stepsim_error &error, stepsim_status code, const char *part)
{
  if (error.code == code && std::strstr(error.message, part) != nullptr) return testing::AssertionSuccess();
  return testing::AssertionFailure() << stepsim_status_text(error.code) << ": " << error.message;
}

TEST_F(Library, NothingIsMadeOfNull)
{
  stepsim_machine *made = machine;
  stepsim_job *started = job;
  EXPECT_EQ(stepsim_machine_create(nullptr, nullptr, &made, &error), STEPSIM_ERROR_USE);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_USE, "stepsim_machine_create: platform or machine is NULL"));
  EXPECT_EQ(made, nullptr) << "what fails makes nothing";
  EXPECT_EQ(stepsim_machine_create("perlmutter", nullptr, nullptr, nullptr), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_machine_vary(nullptr, nullptr, &made, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_create("bert-large", nullptr, &started, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(started, nullptr);
  EXPECT_EQ(stepsim_job_create("bert-large", machine, nullptr, nullptr), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_import(nullptr, nullptr, machine, &started, nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_USE, "stepsim_job_import: there are no files"));
  EXPECT_EQ(stepsim_job_import(list({"config.json"}), nullptr, nullptr, &started, nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_copy(nullptr, &started, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_move(job, nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_set(nullptr, "model.layers", "1", &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_set(job, "model.layers", nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_save(job, "-", &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_estimate_create(nullptr, nullptr, &estimate, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_replay_create(job, nullptr, nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_search_create(nullptr, nullptr, &search, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_sweep_create(job, nullptr, nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_plan_create(nullptr, nullptr, nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_job_emit(job, "megatron", nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_list("workloads", nullptr, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_search_job(nullptr, 0, &started, &error), STEPSIM_ERROR_USE);
  EXPECT_STREQ(stepsim_status_text(STEPSIM_ERROR_USE), "a function was called with what it does not take");
}

TEST_F(Library, ValuesNeedRoom)
{
  char text[8] = "before";
  EXPECT_EQ(stepsim_job_get(job, "model.name", text, sizeof text, &error), STEPSIM_ERROR_USE);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_USE, "stepsim_job_get: the value has "));
  EXPECT_EQ(stepsim_job_get(job, "model.layers", nullptr, 0, &error), STEPSIM_ERROR_USE);
  EXPECT_EQ(stepsim_machine_get(machine, "accelerator", text, 1, &error), STEPSIM_ERROR_USE);
  EXPECT_STREQ(text, "before");
}

/* There are no numbers of nothing, nor ones beyond the last. */
TEST_F(Library, NothingHasNoNumbers)
{
  EXPECT_TRUE(std::isnan(stepsim_estimate_iteration_s(nullptr)));
  EXPECT_TRUE(std::isnan(stepsim_replay_mfu(nullptr)));
  EXPECT_TRUE(std::isnan(stepsim_estimate_memory_bytes(nullptr, 0, STEPSIM_MEMORY_TOTAL)));
  EXPECT_TRUE(std::isnan(stepsim_replay_stage_s(nullptr, 0, STEPSIM_STAGE_PASSES)));
  EXPECT_TRUE(std::isnan(stepsim_machine_memory_bytes(nullptr)));
  EXPECT_EQ(stepsim_machine_nodes(nullptr), 0);
  EXPECT_EQ(stepsim_estimate_stages(nullptr), 0);
  EXPECT_EQ(stepsim_estimate_fits(nullptr), 0);
  EXPECT_EQ(stepsim_search_count(nullptr), 0);
  EXPECT_EQ(stepsim_sweep_count(nullptr), 0);
  EXPECT_EQ(stepsim_sweep_json(nullptr), nullptr);
  EXPECT_EQ(stepsim_plan_json(nullptr), nullptr);
  EXPECT_TRUE(std::isnan(stepsim_plan_total_s(nullptr)));
  for (const char *text : {stepsim_estimate_json(nullptr), stepsim_replay_json(nullptr), stepsim_search_json(nullptr),
                           stepsim_machine_name(nullptr), stepsim_search_setting(nullptr, 0, 0)})
    EXPECT_EQ(text, nullptr);
  EXPECT_EQ(stepsim_job_machine(nullptr), nullptr);
  EXPECT_EQ(stepsim_replay_estimate(nullptr), nullptr);
  stepsim_machine_destroy(nullptr);
  stepsim_job_destroy(nullptr);
  stepsim_estimate_destroy(nullptr);
  stepsim_replay_destroy(nullptr);
  stepsim_search_destroy(nullptr);
  stepsim_text_free(nullptr);
}

TEST_F(Library, NumbersEndSomewhere)
{
  stepsim_job *started = job;
  ASSERT_EQ(stepsim_search_create(job, list({"gpus=8", "top=2"}), &search, &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(stepsim_search_job(search, 2, &started, &error), STEPSIM_ERROR_USE);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_USE, "no candidate 2; there are 2"));
  EXPECT_EQ(started, nullptr);
  const stepsim_estimate *of = stepsim_search_estimate(search, 1);
  for (const int64_t nowhere : {INT64_C(-2), INT64_C(1) << 40}) {
    EXPECT_EQ(stepsim_search_estimate(search, nowhere), nullptr);
    EXPECT_EQ(stepsim_search_replay(search, nowhere), nullptr);
    EXPECT_EQ(stepsim_search_setting(search, nowhere, 0), nullptr);
    EXPECT_EQ(stepsim_search_setting(search, 0, nowhere), nullptr);
    EXPECT_EQ(stepsim_search_setting_name(search, nowhere), nullptr);
    EXPECT_TRUE(std::isnan(stepsim_estimate_number(of, nowhere)));
    EXPECT_TRUE(std::isnan(stepsim_estimate_memory_bytes(of, nowhere, STEPSIM_MEMORY_TOTAL)));
  }
  EXPECT_TRUE(std::isnan(stepsim_estimate_memory_bytes(of, 0, (stepsim_memory)5)));
  EXPECT_TRUE(std::isnan(stepsim_estimate_part_s(of, (stepsim_part)12)));
  EXPECT_EQ(stepsim_search_replay(search, 0), nullptr) << "nobody asked for replays";
}

TEST_F(Library, WhatCannotBeReadSaysWhatIsAllowed)
{
  char text[64];
  stepsim_job *started = nullptr;
  EXPECT_EQ(stepsim_job_create("bert-larg", machine, &started, &error), STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "did you mean bert-large?"));
  EXPECT_EQ(stepsim_job_create("/nowhere.xml", machine, &started, nullptr), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_job_set(job, "parallelism.tp", "two", &error), STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "allowed"));
  EXPECT_EQ(stepsim_job_set(job, "parallelism.t", "2", &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_job_set(job, "platform.nics-per-domain", "2", &error), STEPSIM_ERROR_INPUT) << "of the machine";
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "is of the machine"));
  for (const char *none : {"parallelism.t", "model.name=x", "", "tp"})
    EXPECT_EQ(stepsim_job_get(job, none, text, sizeof text, &error), STEPSIM_ERROR_INPUT) << none;
  char *names = text;
  EXPECT_EQ(stepsim_list("clouds", &names, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(names, nullptr);
  ASSERT_EQ(stepsim_job_set(job, "parallelism.tp", "3", &error), STEPSIM_OK) << "by itself";
  EXPECT_EQ(stepsim_estimate_create(job, nullptr, &estimate, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(estimate, nullptr);
}

TEST_F(Library, PropertiesHaveNamesAndUnits)
{
  const struct {
    const char *property, *message;
  } refused[] = {
      {"hbm-capacity=40", "a capacity such as 80GB"},     {"fabric-bandwidth=50GB", "a bandwidth such as 25GBps"},
      {"nvlink-latency=2.5GBps", "a time such as 2.5us"}, {"nics=4", "allowed"},
      {"domain-size", "allowed: PROPERTY=VALUE"},         {"domain-size=0", "allowed"}};
  char text[64];
  for (const auto &[property, message] : refused) {
    stepsim_machine *made = machine;
    EXPECT_EQ(stepsim_machine_create("perlmutter", list({property}), &made, &error), STEPSIM_ERROR_INPUT) << property;
    EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, message)) << property;
    EXPECT_EQ(made, nullptr);
  }
  EXPECT_EQ(stepsim_machine_create("perlmuter", nullptr, &other, &error), STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "did you mean perlmutter"));
  for (const char *none : {"nics", "platform.domain-size", "", "accelerator=x"})
    EXPECT_EQ(stepsim_machine_get(machine, none, text, sizeof text, &error), STEPSIM_ERROR_INPUT) << none;
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
    EXPECT_EQ(stepsim_search_create(job, list({option}), &search, &error), STEPSIM_ERROR_INPUT) << option;
    EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, message));
  }
  EXPECT_EQ(stepsim_search_create(job, list({"top=3", "top=4"}), &search, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_search_create(job, list({"pareto", "top=3"}), &search, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(stepsim_estimate_create(job, list({"seed=1"}), &estimate, &error), STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "allowed: cost"));
  EXPECT_EQ(stepsim_replay_create(job, list({"max_memory=1B"}), &replay, &error), STEPSIM_ERROR_BUDGET);
}

/* Files that cannot be written are refused before anything runs; a library leaves standard output alone. */
TEST_F(Library, FilesOfReplaysAreChecked)
{
  const struct {
    const char *option, *message;
  } refused[] = {{"trace=/nowhere/run.json", "cannot write \"/nowhere/run.json\""},
                 {"trace=run.txt", "allowed"},
                 {"links=-", "\"-\" is not a file; allowed: links=FILE"},
                 {"trace-ranks=0", "--trace-ranks does nothing without --trace"}};
  for (const auto &[option, message] : refused) {
    EXPECT_EQ(stepsim_replay_create(job, list({option}), &replay, &error), STEPSIM_ERROR_INPUT) << option;
    EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, message));
    EXPECT_EQ(replay, nullptr);
  }
  EXPECT_EQ(stepsim_replay_create(job, list({"trace=/tmp/none.json", "trace-ranks=4096"}), &replay, &error),
            STEPSIM_ERROR_INPUT);
  EXPECT_TRUE(says(error, STEPSIM_ERROR_INPUT, "4096 does not exist"));
}

} // namespace
