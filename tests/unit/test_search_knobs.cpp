/* Knobs of a search: which are varied, and how many candidates that makes. */
#include <algorithm>

#include "tests/support/searches.hpp"

using namespace stepsim;

/* 14 without knobs, as test_search.cpp counts them: tp 1: 1 + 2 + 3 for pp 1, 2, 4; tp 2: 2 + 3 for pp 1, 2; tp 4: 3
 * for pp 1. Of two words each, overlap-pp does nothing with pp 1, and sequence-parallel nothing with tp 1. */
TEST(Search, CountsKnobs)
{
  ss_search_options options = options_of(4, one_d);
  options.knobs = SS_KNOB_BIT(SS_KNOB_overlap_pp) | SS_KNOB_BIT(SS_KNOB_sequence_parallel);
  const Search search(small_workload(), machine_of(4, 4), options);
  EXPECT_EQ(search->candidates, (1 + 2 * 2 + 2 * 3) + (2 * 2 + 4 * 3) + 2 * 3);
  EXPECT_EQ(search->feasible, search->candidates);
}

/* Experts, an interleaved schedule and layers that 16 stages do not divide call for a knob each, and recompute is
 * always one; whoever sets an attribute keeps it. */
TEST(Search, KnobsThatAModelNeeds)
{
  const auto knob = [](const std::string &name) { return ss_knob_find(name.c_str(), name.size()); };
  ss_workload w = small_workload();
  w.model.layers = 32;
  EXPECT_EQ(ss_knobs_by_themselves(&w), knob("recompute"));
  w.model.experts = 8;
  EXPECT_EQ(ss_knobs_by_themselves(&w), knob("recompute") | knob("ep"));
  w.model.layers = 61;
  EXPECT_EQ(ss_knobs_by_themselves(&w), knob("recompute") | knob("ep") | knob("uneven-stages"));
  w.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  EXPECT_EQ(ss_knobs_by_themselves(&w), knob("recompute") | knob("ep") | knob("uneven-stages") | knob("interleave"));
  w.line[SS_AT_training_recompute] = w.line[SS_AT_parallelism_interleave] = SS_LINE_OVERRIDE;
  EXPECT_EQ(ss_knobs_by_themselves(&w), knob("ep") | knob("uneven-stages"));
}

/* Each name is listed once, as varied or as not varied. */
TEST(Search, KnobsAreListedOnce)
{
  const ss_knob_set set = ss_knob_find("offload", 7) | ss_knob_find("ep", 2);
  std::vector<std::string> varied, others;
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if (ss_knob_listed(set, i, true) != nullptr) varied.emplace_back(ss_knob_listed(set, i, true));
    if (ss_knob_listed(set, i, false) != nullptr) others.emplace_back(ss_knob_listed(set, i, false));
  }
  EXPECT_EQ(varied, (std::vector<std::string>{"ep", "offload"}));
  EXPECT_EQ(std::count(others.begin(), others.end(), "interleave"), 1);
  EXPECT_EQ(std::count(others.begin(), others.end(), ""), 0);
}
