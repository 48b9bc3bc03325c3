/* What a terminal shows of work that takes a while. */
#include <gtest/gtest.h>

#include <string>

extern "C" {
#include "sim/session/progress.h"
}

namespace
{

std::string text(double share, double elapsed_s)
{
  char line[SS_PROGRESS_SIZE];
  ss_progress_text(share, elapsed_s, line);
  return line;
}

/* A quarter in 10 s is 2.5 % a second and leaves 30 s; 1 % in 10 s leaves 990 s; 1e-4 in 10 s leaves 99990 s. */
TEST(Progress, TellsRateAndRest)
{
  EXPECT_EQ(text(0.25, 10.0), " 25 %, 2.5 % a second, 30 s left");
  EXPECT_EQ(text(0.01, 10.0), "  1 %, 0.1 % a second, 16 min left");
  EXPECT_EQ(text(0.0001, 10.0), "  0 %, 0.001 % a second, 28 h left");
  EXPECT_EQ(text(1.0, 4.0), "100 %, 25 % a second, 0 s left");
}

TEST(Progress, TellsTheShareAloneAsLongAsNothingFollowsFromIt)
{
  EXPECT_EQ(text(0.5, 0.1), " 50 %");
  EXPECT_EQ(text(0.0, 20.0), "  0 %");
}

/* A quarter in 10 s leaves 30 s, whatever the candidates. */
TEST(Progress, TellsCandidatesOfASearch)
{
  char line[SS_PROGRESS_SIZE];
  ss_search_progress progress = {0, 124, 1536, false};
  ss_progress_search_text(&progress, 20.0, line);
  EXPECT_STREQ(line, "  0 % of 124 sizes, 1536 candidates");
  progress.done = 31;
  ss_progress_search_text(&progress, 10.0, line);
  EXPECT_STREQ(line, " 25 % of 124 sizes, 1536 candidates, 30 s left");
}

} // namespace
