/* What a search keeps: the same whatever the order of the offers and the lists they go through. */
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/seed.hpp"

extern "C" {
#include "model/search/shortlist.h"
}

namespace
{

class Shortlist
{
public:
  explicit Shortlist(const ss_shortlist_rule &rule)
  {
    EXPECT_EQ(ss_shortlist_init(&list_, &rule), SS_OK);
  }
  Shortlist(const Shortlist &) = delete;
  Shortlist &operator=(const Shortlist &) = delete;
  ~Shortlist()
  {
    ss_shortlist_free(&list_);
  }
  void offer(const ss_strategy &strategy)
  {
    ASSERT_EQ(ss_shortlist_offer(&list_, &strategy), SS_OK);
  }
  void merge(const Shortlist &other)
  {
    ASSERT_EQ(ss_shortlist_merge(&list_, &other.list_), SS_OK);
  }
  bool takes(const ss_strategy &strategy) const
  {
    return ss_shortlist_takes(&list_, strategy.estimate.iteration_s, strategy.memory.total_bytes);
  }
  const ss_shortlist *operator->() const
  {
    return &list_;
  }

private:
  ss_shortlist list_ = {};
};

ss_shortlist_rule rule_of(ss_objective objective, int64_t top, bool pareto = false)
{
  ss_shortlist_rule rule = {};
  rule.objective = objective;
  rule.gpus = 7;
  rule.tariff.gpu_dollars_per_s = 0.1;
  rule.tariff.dollars_per_j = 0.01;
  rule.tariff.power = {{5, 3, 2}, 1, 1, 1.5}; /* watts of a GPU that computes, moves data, waits and is idle */
  rule.tariff.least_w = 1.5 * (2 + 1);
  rule.top = top;
  rule.pareto = pareto;
  return rule;
}

ss_strategy strategy_of(double time_s, double memory_bytes, int64_t sizes, int64_t variant, int64_t placement = 1)
{
  ss_strategy strategy = {};
  strategy.estimate.iteration_s = time_s;
  strategy.estimate.compute_s =
      0.25 * time_s * (double)placement; /* so that strategies as long draw different powers */
  strategy.estimate.bubble_s = time_s - strategy.estimate.compute_s;
  strategy.memory.total_bytes = memory_bytes;
  strategy.sizes = sizes;
  strategy.variant = variant;
  strategy.candidate.inside.tp = placement;
  return strategy;
}

/* A thousand, few of whose times and memories differ, so that there are many equals and repeats. */
std::vector<ss_strategy> random_strategies(std::mt19937 &random)
{
  std::vector<ss_strategy> all;
  for (int64_t sizes = 0; sizes < 25; ++sizes)
    for (int64_t variant = 0; variant < 40; ++variant)
      all.push_back(strategy_of(1.0 + 0.125 * (double)(random() % 12), 1.0 + (double)(random() % 9), sizes, variant,
                                1 + (int64_t)(random() % 3)));
  return all;
}

bool comes_first(const ss_strategy &a, const ss_strategy &b)
{
  return a.sizes != b.sizes ? a.sizes < b.sizes : a.variant < b.variant;
}

bool same_figures(const ss_strategy &a, const ss_strategy &b)
{
  return a.estimate.iteration_s == b.estimate.iteration_s && a.memory.total_bytes == b.memory.total_bytes;
}

/* All by all: without those that repeat an earlier one, sorted. */
std::vector<ss_strategy> best_of(const std::vector<ss_strategy> &all, const ss_shortlist_rule &rule)
{
  std::vector<ss_strategy> kept;
  for (const ss_strategy &s : all) {
    const bool repeats = std::any_of(all.begin(), all.end(), [&](const ss_strategy &other) {
      return other.sizes == s.sizes && other.variant < s.variant && same_figures(other, s) &&
             other.candidate.inside.tp == s.candidate.inside.tp;
    });
    if (!repeats) kept.push_back(s);
  }
  std::sort(kept.begin(), kept.end(), [&](const ss_strategy &a, const ss_strategy &b) {
    const double x = ss_strategy_value(&a, &rule), y = ss_strategy_value(&b, &rule);
    if (x != y) return x < y;
    if (a.estimate.iteration_s != b.estimate.iteration_s) return a.estimate.iteration_s < b.estimate.iteration_s;
    return comes_first(a, b);
  });
  if ((int64_t)kept.size() > rule.top) kept.resize((size_t)rule.top);
  return kept;
}

std::vector<ss_strategy> front_of(const std::vector<ss_strategy> &all)
{
  std::vector<ss_strategy> kept;
  for (const ss_strategy &s : all) {
    const bool beaten = std::any_of(all.begin(), all.end(), [&](const ss_strategy &other) {
      if (same_figures(other, s)) return comes_first(other, s);
      return other.estimate.iteration_s <= s.estimate.iteration_s && other.memory.total_bytes <= s.memory.total_bytes;
    });
    if (!beaten) kept.push_back(s);
  }
  std::sort(kept.begin(), kept.end(),
            [](const ss_strategy &a, const ss_strategy &b) { return a.estimate.iteration_s < b.estimate.iteration_s; });
  return kept;
}

void expect_same(const Shortlist &list, const std::vector<ss_strategy> &expected)
{
  ASSERT_EQ(list->count, (int64_t)expected.size());
  for (int64_t i = 0; i < list->count; ++i) {
    EXPECT_EQ(list->top[i].sizes, expected[(size_t)i].sizes) << i;
    EXPECT_EQ(list->top[i].variant, expected[(size_t)i].variant) << i;
  }
}

/* In random orders, through random lists, in each of which what it does not take is left out in every other round. */
void expect_in_any_order(const ss_shortlist_rule &rule)
{
  std::mt19937 random(20240613 + stepsim::seed);
  for (int set = 0; set < 2; ++set) {
    std::vector<ss_strategy> all = random_strategies(random);
    const std::vector<ss_strategy> expected = rule.pareto ? front_of(all) : best_of(all, rule);
    for (int round = 0; round < 12; ++round) {
      std::shuffle(all.begin(), all.end(), random);
      std::vector<std::unique_ptr<Shortlist>> parts;
      for (size_t i = 0; i < 1 + random() % 4; ++i) parts.push_back(std::make_unique<Shortlist>(rule));
      for (const ss_strategy &s : all) {
        Shortlist &part = *parts[random() % parts.size()];
        if (round % 2 == 0 || part.takes(s)) part.offer(s);
      }
      std::shuffle(parts.begin(), parts.end(), random);
      for (size_t i = 1; i < parts.size(); ++i) parts[0]->merge(*parts[i]);
      expect_same(*parts[0], expected);
    }
  }
}

} /* namespace */

TEST(Shortlist, BestInAnyOrder)
{
  for (int objective = 0; objective < SS_OBJECTIVE_COUNT; ++objective)
    for (const int64_t top : {1, 10, 100, 2000}) expect_in_any_order(rule_of((ss_objective)objective, top));
}

TEST(Shortlist, FrontInAnyOrder)
{
  expect_in_any_order(rule_of(SS_OBJECTIVE_TIME, 1, true));
}

/* 3600 s of 7 GPUs at 0.1 dollars a second; they compute for 900 s at 5 W and wait at 2 W: with 1 W around each and a
 * PUE of 1.5, 1.5 (4500 + 5400 + 3600) J of one GPU, 141,750 J, at 0.01 dollars each. */
TEST(Shortlist, Values)
{
  const ss_strategy strategy = strategy_of(3600.0, 5.0, 0, 0);
  const double expected[] = {3600.0, 5.0, 7.0, 2520.0 + 1417.5, 141750.0};
  for (int objective = 0; objective < SS_OBJECTIVE_COUNT; ++objective) {
    const ss_shortlist_rule rule = rule_of((ss_objective)objective, 1);
    EXPECT_DOUBLE_EQ(ss_strategy_value(&strategy, &rule), expected[objective]);
  }
}

/* Of two with knobs that make no difference the first stays, also where one with other memory comes between them. */
TEST(Shortlist, LeavesOutRepeats)
{
  Shortlist list(rule_of(SS_OBJECTIVE_TIME, 3));
  list.offer(strategy_of(1.0, 4.0, 0, 2));
  list.offer(strategy_of(1.0, 5.0, 0, 1));
  list.offer(strategy_of(1.0, 4.0, 0, 0));
  list.offer(strategy_of(1.0, 4.0, 0, 3, 2)); /* another placement */
  expect_same(list, {strategy_of(1.0, 4.0, 0, 0), strategy_of(1.0, 5.0, 0, 1), strategy_of(1.0, 4.0, 0, 3, 2)});
}

/* An equal of the last one may come first in the order of enumeration; what is slower cannot. */
TEST(Shortlist, TakesEqualsOfTheLast)
{
  Shortlist list(rule_of(SS_OBJECTIVE_MEMORY, 1));
  EXPECT_TRUE(list.takes(strategy_of(9.0, 9.0, 0, 0)));
  list.offer(strategy_of(2.0, 4.0, 5, 0));
  EXPECT_TRUE(list.takes(strategy_of(2.0, 4.0, 9, 9)));
  EXPECT_FALSE(list.takes(strategy_of(2.1, 4.0, 0, 0)));
  EXPECT_FALSE(list.takes(strategy_of(1.0, 4.1, 0, 0)));
  EXPECT_TRUE(list.takes(strategy_of(9.0, 3.0, 0, 0)));
}

TEST(Shortlist, FrontTakesWhatItDoesNotRuleOut)
{
  Shortlist front(rule_of(SS_OBJECTIVE_TIME, 1, true));
  front.offer(strategy_of(2.0, 4.0, 5, 0));
  front.offer(strategy_of(3.0, 2.0, 5, 1));
  EXPECT_TRUE(front.takes(strategy_of(3.0, 2.0, 9, 9)));
  EXPECT_FALSE(front.takes(strategy_of(3.1, 2.0, 0, 0)));
  EXPECT_FALSE(front.takes(strategy_of(2.5, 4.0, 0, 0)));
  EXPECT_TRUE(front.takes(strategy_of(2.5, 3.0, 0, 0)));
  EXPECT_TRUE(front.takes(strategy_of(1.0, 9.0, 0, 0)));
  EXPECT_TRUE(front.takes(strategy_of(9.0, 1.0, 0, 0)));
}

/* What differs by the order of a sum only is the same: of two such strategies the first is listed, the slower by a bit.
 */
TEST(Shortlist, RoundingIsNoDifference)
{
  ss_strategy first = {}, second = {};
  first.estimate.iteration_s = std::nextafter(2.5, 3.0);
  second.estimate.iteration_s = 2.5;
  first.memory.total_bytes = second.memory.total_bytes = 1e9;
  first.variant = 1;
  second.variant = 2;
  for (const bool pareto : {false, true})
    for (const bool turned : {false, true}) {
      Shortlist list(rule_of(SS_OBJECTIVE_TIME, 5, pareto));
      list.offer(turned ? second : first);
      list.offer(turned ? first : second);
      ASSERT_EQ(list->count, 1);
      EXPECT_EQ(list->top[0].variant, 1);
    }
}
