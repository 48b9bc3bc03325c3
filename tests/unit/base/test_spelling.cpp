/* Words as people spell them. The edits of each pair are counted by hand. */
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "model/base/spelling.h"
}

namespace
{

std::string hint(const char *text, std::vector<const char *> words)
{
  words.push_back(nullptr);
  return ss_hint_of(text, words.data()).text;
}

TEST(Spelling, DashesAndUnderscoresAreOne)
{
  EXPECT_TRUE(ss_spells("zero_bubble-1", 13, "zero-bubble_1"));
  EXPECT_TRUE(ss_spells("core-attn,moe", 9, "core_attn"));
  EXPECT_FALSE(ss_spells("core attn", 9, "core_attn"));
  EXPECT_FALSE(ss_spells("core", 4, "core_attn"));
}

TEST(Spelling, AWordFewEditsAwayIsNear)
{
  EXPECT_EQ(hint("serach", {"run", "search", "sweep"}), " (did you mean search?)"); /* ra for ar: one */
  EXPECT_EQ(hint("perlmuter", {"polaris", "perlmutter"}), " (did you mean perlmutter?)");
  EXPECT_EQ(hint("GLOBAL_BATCH", {"global-batch"}), " (did you mean global-batch?)");
  EXPECT_EQ(hint("mpl", {"mlp", "name"}), " (did you mean mlp?)");
}

/* Names of other tools, with the words that look alike behind them. */
TEST(Spelling, WhatOthersCallItIsNearest)
{
  EXPECT_EQ(hint("vpp", {"tp", "pp", "interleave"}), " (did you mean interleave or pp?)");
  EXPECT_EQ(hint("FP8_MX", {"fp8", "mxfp8"}), " (did you mean mxfp8?)");
  EXPECT_EQ(hint("gbs", {"global-batch", "micro-batch"}), " (did you mean global-batch?)");
  EXPECT_EQ(hint("H100", {"dgx-h100", "polaris"}), " (did you mean dgx-h100?)");
}

/* A letter in three may be wrong, three of them at most: "fly" is two edits away from "flat", one too many. */
TEST(Spelling, AWordManyEditsAwayIsNot)
{
  EXPECT_EQ(hint("fly", {"run", "fit", "flat"}), "");
  EXPECT_EQ(hint("", {"run"}), "");
  EXPECT_EQ(hint("abcdefghijkl", {"abcdefgh"}), "");
  EXPECT_EQ(hint(std::string(200, 'a').c_str(), {"aaa"}), "");
}

TEST(Spelling, APartStandsForTheWholeAndTheBeginningComesFirst)
{
  EXPECT_EQ(hint("llama3", {"llama3-8b", "llama3-70b"}), " (did you mean llama3-8b or llama3-70b?)");
  EXPECT_EQ(hint("405b", {"llama3-405b"}), " (did you mean llama3-405b?)");
  EXPECT_EQ(hint("h100", {"h800", "dgx-h100"}), " (did you mean h800 or dgx-h100?)"); /* one edit, and a whole part */
  EXPECT_EQ(hint("tp", {"etp-size", "tp-redo"}), "");
  EXPECT_EQ(hint("all", {"sequence-parallel"}), ""); /* begins no part */
}

TEST(Spelling, WhatIsMuchFartherThanTheNearestIsNotNear)
{
  EXPECT_EQ(hint("layer", {"layers", "dense-layers"}), " (did you mean layers?)"); /* one edit, and a part: three */
}

TEST(Spelling, ThreeWordsAtMostTheNearestFirst)
{
  EXPECT_EQ(hint("abcdef", {"abcdxy", "abcdex", "abcdey", "abcdef1"}), " (did you mean abcdex, abcdey or abcdef1?)");
}

} // namespace
