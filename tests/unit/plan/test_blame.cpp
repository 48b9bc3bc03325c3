/* Sentences about slow parts. */
#include <cstring>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/plan/blame.h"
}

using namespace stepsim;

namespace
{

std::string gpus_text(std::vector<int> gpus, int64_t of)
{
  std::unique_ptr<bool[]> is_one(new bool[static_cast<size_t>(of)]());
  for (const int gpu : gpus) is_one[static_cast<size_t>(gpu)] = true;
  char text[128];
  ss_blame_gpus(is_one.get(), of, text, sizeof text);
  return text;
}

/* Ranks 0 to 7 on GPUs 0 to 7: stage 0 of replica 0 is GPUs 0 and 1, of replica 1 GPUs 2 and 3; stage 1 is 4 to 7. */
ss_workload of_eight()
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = workload.parallelism.pp = workload.parallelism.dp = 2;
  workload.training.global_batch = 2;
  return workload;
}

std::string sentence(const char *property, const char *entry, double cost_s, const ss_workload &workload = of_eight())
{
  const Job job(workload, make_machine({}));
  ss_slow_part part = {};
  part.property = ss_machine_property(property);
  std::strcpy(part.entry, entry);
  part.without_s = 10.0;
  part.cost_s = cost_s;
  ss_blame_tell(job.get(), &part);
  return part.sentence;
}

} // namespace

TEST(Blame, ListsGpusAsPeopleDo)
{
  EXPECT_EQ(gpus_text({5}, 8), "GPU 5");
  EXPECT_EQ(gpus_text({0, 1, 2, 3, 4, 5, 6, 7}, 8), "GPUs 0-7");
  EXPECT_EQ(gpus_text({1, 2, 3, 5, 7}, 8), "GPUs 1-3, 5, 7");
  EXPECT_EQ(gpus_text({0, 2, 4, 6, 8, 10, 12, 13, 14, 19}, 20), "GPUs 0, 2, 4, 6, 8, 10 and 4 more");
}

TEST(Blame, WhoSharesLayersWaits)
{
  EXPECT_EQ(sentence("gpu-speed", "5:0.85", 1.414), "GPU 4 waits for GPU 5 (0.85 of its speed): +1.41 s");
  EXPECT_EQ(sentence("gpu-speed", "gpu-1:0.5", 0.0204), "GPU 0 waits for GPU 1 (0.5 of its speed): +20.40 ms");
  EXPECT_EQ(sentence("gpu-speed", "1-2:0.9", 1.0), "GPUs 0, 3 wait for GPUs 1-2 (0.9 of their speed): +1.00 s");
}

/* Experts of a stage lie on all four of its GPUs, which exchange tokens in every layer. */
TEST(Blame, WhoSharesExpertsWaits)
{
  ss_workload workload = of_eight();
  workload.model.experts = 8;
  workload.parallelism.ep = 4;
  workload.parallelism.etp = 1;
  EXPECT_EQ(sentence("gpu-speed", "5:0.85", 1.0, workload), "GPUs 4, 6-7 wait for GPU 5 (0.85 of its speed): +1.00 s");
}

/* Where all that share layers are slow, the other stage of their copy of the model waits; where a copy is, the others.
 */
TEST(Blame, OrTheOtherStagesOrAll)
{
  EXPECT_EQ(sentence("gpu-speed", "4-5:0.5", 2.0), "GPUs 0-1 wait for GPUs 4-5 (0.5 of their speed): +2.00 s");
  EXPECT_EQ(sentence("gpu-speed", "0-7:0.5", 2.0), "The job waits for GPUs 0-7 (0.5 of their speed): +2.00 s");
}

TEST(Blame, Links)
{
  EXPECT_EQ(sentence("link-speed", "nic-1:out:0.5", 0.5),
            "The job waits for link nic-1:out (0.5 of its speed): +500.00 ms");
  EXPECT_EQ(sentence("link-speed", "gpu-1:0.5", 0.5), "The job waits for link gpu-1 (0.5 of its speed): +500.00 ms");
  EXPECT_EQ(sentence("link-speed", "leaf-0:up-1:0", 2e-4), "The job waits for link leaf-0:up-1 (dead): +0.200 ms");
}

TEST(Blame, NobodyWhereItCostsNothing)
{
  EXPECT_EQ(sentence("gpu-speed", "5:0.85", 1e-9), "Nobody waits for GPU 5 (0.85 of its speed)");
  EXPECT_EQ(sentence("link-speed", "nic-1:0.5", -1e-9), "Nobody waits for link nic-1 (0.5 of its speed)");
}
