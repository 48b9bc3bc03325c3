/* The main program of all tests. Beside the options of GoogleTest: --file=NAME runs the tests of NAME.cpp only,
 * --seed=N, or STEPSIM_SEED=N in the environment, changes what the random tests draw. */
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/seed.hpp"

unsigned stepsim::seed = 0;

namespace
{

/* A test that fails says which seed it had. */
class TellsSeed : public testing::EmptyTestEventListener
{
  void OnTestEnd(const testing::TestInfo &info) override
  {
    if (info.result()->Failed()) std::printf("to see this again: --seed=%u\n", stepsim::seed);
  }
};

/* The tests of a file, as a filter; empty when there are none. */
std::string filter_of(const std::string &file)
{
  std::string filter;
  const testing::UnitTest &all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite &suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo &test = *suite.GetTestInfo(j);
      const std::string path = "/" + std::string(test.file()), end = "/" + file + ".cpp";
      if (path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0)
        filter += (filter.empty() ? "" : ":") + std::string(suite.name()) + "." + test.name();
    }
  }
  return filter;
}

/* The value of an argument that starts with `name`; nullptr of another one. */
const char *value_of(const char *argument, const std::string &name)
{
  return std::string(argument).rfind(name, 0) == 0 ? argument + name.size() : nullptr;
}

int refuse(const std::string &problem)
{
  std::fprintf(stderr, "%s\n", problem.c_str());
  return 2;
}

} // namespace

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  const char *given = std::getenv("STEPSIM_SEED");
  for (int i = 1; i < argc; ++i) {
    if (const char *file = value_of(argv[i], "--file="); file != nullptr) {
      const std::string filter = filter_of(file);
      if (filter.empty()) return refuse("no tests in " + std::string(file) + ".cpp");
      if (testing::GTEST_FLAG(filter) == "*") testing::GTEST_FLAG(filter) = filter;
    } else if (const char *seed = value_of(argv[i], "--seed="); seed != nullptr) {
      given = seed;
    } else {
      return refuse(std::string(argv[i]) + ": is not an option");
    }
  }
  if (given != nullptr) stepsim::seed = static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  testing::UnitTest::GetInstance()->listeners().Append(new TellsSeed);
  return RUN_ALL_TESTS();
}
