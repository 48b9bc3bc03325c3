/* Workloads with a vision tower, small ones. */
#ifndef STEPSIM_TESTS_SUPPORT_TOWERS_HPP
#define STEPSIM_TESTS_SUPPORT_TOWERS_HPP

#include "tests/support/layouts.hpp"
#include "tests/support/random_parts.hpp"

namespace stepsim
{

/* Two layers of hidden size 256, two images of 64 patches each, four of which become a token. */
inline ss_workload with_tower(ss_workload w = make_workload())
{
  w.model.vocabulary = 32000;
  w.model.vision_layers = 2;
  w.model.vision_hidden = 256;
  w.model.vision_ffn = 1024;
  w.model.vision_heads = 4;
  w.model.vision_tokens = 64;
  w.model.vision_images = 2;
  w.model.vision_patch = 588;
  w.model.vision_merge = 4;
  return w;
}

/* So many layers of a tower over so many parts, some of which may have none, but not the first. */
inline std::string random_tower_layout(std::mt19937 &random, int64_t parts, int64_t vision)
{
  std::string text = "V";
  for (int64_t i = 0, left = vision - 1; i < parts; ++i) {
    const int64_t count = i + 1 == parts ? left : static_cast<int64_t>(random() % static_cast<unsigned>(left + 1));
    text.append(static_cast<size_t>(count), 'V');
    text += '|';
    left -= count;
  }
  return text;
}

} /* namespace stepsim */

#endif
