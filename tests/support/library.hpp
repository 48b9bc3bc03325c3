/* A small job of the library, and what is made of it. */
#ifndef STEPSIM_TESTS_SUPPORT_LIBRARY_HPP
#define STEPSIM_TESTS_SUPPORT_LIBRARY_HPP

#include <gtest/gtest.h>
#include <stepsim.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

/* Options or properties, with NULL behind the last; for one call. */
class list
{
public:
  list(std::initializer_list<const char *> texts) : all(texts)
  {
    all.push_back(nullptr);
  }
  operator const char * const *() const
  {
    return all.data();
  }

private:
  std::vector<const char *> all;
};

/* A replay of the job takes a tenth of a second. */
class Library : public testing::Test
{
protected:
  void SetUp() override
  {
    ASSERT_EQ(stepsim_machine_create("perlmutter", nullptr, &machine, &error), STEPSIM_OK) << error.message;
    ASSERT_EQ(stepsim_job_create("bert-large", machine, &job, &error), STEPSIM_OK) << error.message;
  }
  void TearDown() override
  {
    stepsim_machine_destroy(machine);
    stepsim_machine_destroy(other);
    stepsim_job_destroy(job);
    stepsim_estimate_destroy(estimate);
    stepsim_replay_destroy(replay);
    stepsim_search_destroy(search);
  }

  static double number(const stepsim_estimate *of, const char *column)
  {
    return stepsim_estimate_number(of, stepsim_column_find(column));
  }
  static double number(const stepsim_replay *of, const char *column)
  {
    return stepsim_replay_number(of, stepsim_column_find(column));
  }
  std::string knob(const stepsim_job *of, const char *name)
  {
    char text[2048] = "";
    EXPECT_EQ(stepsim_job_get(of, name, text, sizeof text, &error), STEPSIM_OK) << error.message;
    return text;
  }
  std::string property(const stepsim_machine *of, const char *name)
  {
    char text[2048] = "";
    EXPECT_EQ(stepsim_machine_get(of, name, text, sizeof text, &error), STEPSIM_OK) << error.message;
    return text;
  }

  stepsim_machine *machine = nullptr, *other = nullptr;
  stepsim_job *job = nullptr;
  stepsim_estimate *estimate = nullptr;
  stepsim_replay *replay = nullptr;
  stepsim_search *search = nullptr;
  stepsim_error error = {};
};

#endif
