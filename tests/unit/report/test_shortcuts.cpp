/* What replays of a listing leave out, as text. */
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include "sim/report/strategies/shortcuts.h"
}

namespace
{

ss_strategy replayed(double iteration_s, double ahead_s, int64_t crowded_links)
{
  ss_strategy strategy = {};
  strategy.simulated = true;
  strategy.simulation.iteration_s = iteration_s;
  strategy.shortcuts = {{ahead_s > 0.0 ? 7 : 0, ahead_s}, crowded_links};
  return strategy;
}

std::string printed(const ss_shortcut_bound &bound)
{
  char *text = nullptr;
  size_t size = 0;
  std::FILE *stream = open_memstream(&text, &size);
  ss_shortcut_bound_print(stream, &bound);
  (void)std::fclose(stream);
  const std::string result(text, size);
  std::free(text);
  return result;
}

} // namespace

/* Exact replays, and strategies without one, need no word. */
TEST(Shortcuts, OfExactReplaysSayNothing)
{
  ss_shortcut_bound bound = {};
  ss_strategy estimated = replayed(1.0, 0.5, 3);
  estimated.simulated = false;
  ss_shortcut_bound_see(&bound, &estimated);
  const ss_strategy exact = replayed(1.0, 0.0, 0);
  ss_shortcut_bound_see(&bound, &exact);
  EXPECT_EQ(printed(bound), "");
}

/* The largest share of its own iteration counts, not the longest time. */
TEST(Shortcuts, AreBoundedByTheWorst)
{
  ss_shortcut_bound bound = {};
  for (const ss_strategy &strategy : {replayed(10.0, 0.02, 0), replayed(1.0, 0.004, 12), replayed(2.0, 0.0, 9)})
    ss_shortcut_bound_see(&bound, &strategy);
  EXPECT_DOUBLE_EQ(bound.ahead_share, 0.004);
  const std::string text = printed(bound);
  EXPECT_NE(text.find("adds up to 0.4 % of an"), std::string::npos) << text;
  EXPECT_NE(text.find("contention on up to 12 links"), std::string::npos) << text;
}
