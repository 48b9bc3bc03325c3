/* Layers of kernels by their launches: of forward passes, of their backward passes, and of what neither is. */
#include <algorithm>

#include "tests/support/measured.hpp"

using namespace stepsim;

namespace
{

/* A moment of a thread of the host: a launch, or what a flow from an operator to its backward begins or ends with. */
std::string moment(const std::string &category, const std::string &phase, int id, int thread, double ts)
{
  const std::string link = std::to_string(id);
  const std::string name = category == "fwdbwd" ? category : "cudaLaunchKernel";
  return R"({"ph":")" + phase + R"(","cat":")" + category + R"(","name":")" + name + R"(","pid":9,"id":)" +
         (phase == "X" ? "0" : link) + R"(,"tid":)" + std::to_string(thread) + R"(,"ts":)" + std::to_string(ts) +
         R"(,"dur":1,"args":{"correlation":)" + link + "}}";
}

std::string annotation(const std::string &name, int thread, double ts, double dur)
{
  return R"({"ph":"X","cat":"user_annotation","name":")" + name + R"(","pid":9,"tid":)" + std::to_string(thread) +
         R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + "}";
}

std::string launched(int correlation, double ts, double dur)
{
  return kernel("gemm", ts, dur, "\"correlation\": " + std::to_string(correlation));
}

/* Thread 1 goes through layers 0 and 1 and the loss; thread 2 through their backwards, from the last one on. Kernels
 * run long after their launches, in an order that tells nothing, and each takes a length of its own. */
std::vector<std::string> forward_and_backward()
{
  return {launched(21, 100, 1),
          launched(22, 110, 2),
          launched(23, 120, 4),
          launched(24, 130, 8),
          launched(25, 140, 16),
          launched(26, 160, 32),
          launched(27, 200, 64),
          annotation("layers.0", 1, 0, 10),
          annotation("layers.1", 1, 10.5, 9),
          moment("cuda_runtime", "X", 21, 1, 2), /* forward of layer 0 */
          moment("fwdbwd", "s", 5, 1, 1),
          moment("cuda_driver", "X", 22, 1, 12), /* of layer 1 */
          moment("fwdbwd", "s", 6, 1, 11),
          moment("cuda_runtime", "X", 23, 1, 30), /* of the loss */
          moment("fwdbwd", "s", 7, 1, 29),
          moment("fwdbwd", "f", 7, 2, 40),
          moment("cuda_runtime", "X", 24, 2, 41), /* backward of the loss */
          moment("fwdbwd", "f", 6, 2, 50),
          moment("cuda_runtime", "X", 25, 2, 51), /* of layer 1 */
          moment("fwdbwd", "f", 5, 2, 60),
          moment("cuda_runtime", "X", 26, 2, 69),  /* of a hook behind that of layer 0 */
          moment("cuda_runtime", "X", 27, 1, 70)}; /* the optimizer */
}

/* What the kernels of the two layers take, and whether the trace says no more than what annotations hold. */
void expect_layers(const std::vector<std::string> &events, double first_s, double second_s, bool by_range)
{
  const Measured m = measure_events(events);
  ASSERT_EQ(m.error, "");
  ASSERT_EQ(m.of->profile.layers, 2);
  EXPECT_NEAR(m.of->profile.layer[0].sum_s, first_s, 1e-12);
  EXPECT_NEAR(m.of->profile.layer[1].sum_s, second_s, 1e-12);
  EXPECT_EQ(m.of->layers_by_range, by_range);
}

TEST(LaunchLayers, OfBackwardPasses)
{
  expect_layers(forward_and_backward(), 33e-6, 18e-6, false);
}

TEST(LaunchLayers, OfBackwardPassesThatComputeAgain)
{
  std::vector<std::string> events = forward_and_backward();
  /* The backward of layer 1 runs an operator again, of which it then runs the backward: both are of layer 1. */
  events.push_back(moment("fwdbwd", "s", 8, 2, 52));
  events.push_back(moment("fwdbwd", "f", 8, 2, 54));
  events.push_back(moment("cuda_runtime", "X", 28, 2, 55));
  events.push_back(launched(28, 300, 128));
  expect_layers(events, 33e-6, 146e-6, false);
}

std::vector<std::string> without(const std::vector<std::string> &events, const std::vector<std::string> &texts)
{
  std::vector<std::string> left;
  for (const std::string &event : events)
    if (std::none_of(texts.begin(), texts.end(), [&](const std::string &t) { return event.find(t) < event.size(); }))
      left.push_back(event);
  return left;
}

/* Kernels of 1 us and 2 us were launched within the annotations of the two layers. */
void expect_what_annotations_hold(const std::vector<std::string> &events)
{
  expect_layers(events, 1e-6, 2e-6, true);
}

TEST(LaunchLayers, WithoutFlowsAreWhatAnnotationsHold)
{
  expect_what_annotations_hold(without(forward_and_backward(), {"fwdbwd"}));
}

TEST(LaunchLayers, WithoutBeginningsOfFlowsAreWhatAnnotationsHold)
{
  expect_what_annotations_hold(without(forward_and_backward(), {R"("ph":"s")"}));
}

/* Where calls of the host were not traced, the GPU has annotations, too, which hold the same. */
TEST(LaunchLayers, WithoutLaunchesAreWhatAnnotationsHold)
{
  std::vector<std::string> events = without(forward_and_backward(), {"cuda_runtime", "cuda_driver"});
  for (const char *layer : {R"("layers.0","ts":100)", R"("layers.1","ts":110)"})
    events.push_back(R"({"ph":"X","cat":"gpu_user_annotation","pid":0,"tid":7,"dur":3,"name":)" + std::string(layer) +
                     "}");
  expect_what_annotations_hold(events);
}

/* Flows of operators that are in no annotation tell no layer of a backward. */
TEST(LaunchLayers, OfOperatorsOutsideOfAnnotationsAreWhatThoseHold)
{
  expect_what_annotations_hold(
      without(forward_and_backward(), {R"("ph":"s","cat":"fwdbwd","name":"fwdbwd","pid":9,"id":5)",
                                       R"("ph":"s","cat":"fwdbwd","name":"fwdbwd","pid":9,"id":6)"}));
}

/* The last backward, of layer 0, is followed by the optimizer on the same thread, and by what is launched before the
 * next annotation. */
TEST(LaunchLayers, OfAThreadThatRunsItsOwnBackwardsAreWhatAnnotationsHold)
{
  std::vector<std::string> events = forward_and_backward();
  for (std::string &event : events)
    if (const size_t thread = event.find(R"("tid":2)"); thread != std::string::npos) event[thread + 6] = '1';
  expect_what_annotations_hold(events);
}

TEST(LaunchLayers, MomentsOfTheHostThatTellNothing)
{
  std::vector<std::string> events = forward_and_backward();
  const std::string start = R"({"cat":"fwdbwd","name":"fwdbwd","tid":2,"ph":)";
  events.push_back(start + R"("f","id":6})");
  events.push_back(start + R"("f","id":"x","ts":50})");
  events.push_back(start + R"("f","id":99,"ts":50.5})"); /* ends a flow that did not begin: of no layer */
  const Measured m = measure_events(events);
  ASSERT_EQ(m.error, "");
  EXPECT_NEAR(m.of->profile.layer[0].sum_s, 33e-6, 1e-12);
  EXPECT_NEAR(m.of->profile.layer[1].sum_s, 2e-6, 1e-12);
}

} // namespace
