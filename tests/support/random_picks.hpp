/* Draws of one of several, on which random jobs are built. */
#ifndef STEPSIM_TESTS_SUPPORT_RANDOM_PICKS_HPP
#define STEPSIM_TESTS_SUPPORT_RANDOM_PICKS_HPP

#include <random>
#include <vector>

#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"

namespace stepsim
{

template <typename T> T pick(std::mt19937 &random, std::initializer_list<T> choices)
{
  return *(choices.begin() + random() % choices.size());
}

template <typename T> T pick(std::mt19937 &random, const std::vector<T> &choices)
{
  return choices[random() % choices.size()];
}

/* All words of a choice but one. */
template <typename T> std::vector<T> all_but(T word)
{
  std::vector<T> others;
  for (const T other : all_of<T>)
    if (other != word) others.push_back(other);
  return others;
}

inline bool coin(std::mt19937 &random)
{
  return random() % 2 == 0;
}

inline ss_switch pick_switch(std::mt19937 &random)
{
  return coin(random) ? SS_YES : SS_NO;
}

/* The words of a set that `all` has of it, each of them or not. */
inline ss_word_set pick_words(std::mt19937 &random, ss_word_set all)
{
  return static_cast<ss_word_set>(all & random());
}

} /* namespace stepsim */

#endif
