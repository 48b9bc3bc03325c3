/* A run that was published, by the defaults and the files that are shipped: checkpoints and energy, which
 * validation/measured-runs.xml, where days and interruptions of runs have their bounds, does not have. */
#include "tests/support/fixtures.hpp"
#include "tests/support/source.hpp"

#include <memory>

extern "C" {
#include "model/run/bill.h"
#include "model/run/whole_run.h"
#include "sim/io/io.h"
}

using namespace stepsim;

static const double kDay = 86400.0;

/* A workload on a platform, as `plan` takes them. */
struct PublishedRun {
  ss_workload workload;
  ss_machine machine;
  std::unique_ptr<Job> job;
  ss_breakdown iteration;

  PublishedRun(const std::string &name, const std::string &platform, const std::vector<std::string> &settings)
  {
    ss_error error = {};
    EXPECT_EQ(ss_workload_load(source_path("workloads/" + name + ".xml").c_str(), &workload, &error), SS_OK);
    EXPECT_EQ(ss_machine_load(source_path("platforms/" + platform + ".xml").c_str(), &machine, &error), SS_OK);
    for (const std::string &setting : settings)
      EXPECT_EQ(ss_override(setting.c_str(), &workload, &machine, &error), SS_OK) << error.message;
    ss_workload_derive(&workload);
    job = std::make_unique<Job>(workload, machine, SS_COST_CALIBRATED);
    iteration = ss_estimate_time(job->get());
  }

  /* With so many tokens at a number of sequences. */
  ss_whole_run_parts run(double tokens) const
  {
    const double iterations = tokens / static_cast<double>(workload.training.global_batch * workload.model.sequence);
    const double dp = static_cast<double>(workload.parallelism.dp);
    const ss_whole_run_question question = {job->get(), &workload,  &machine, &iteration,
                                            iterations, 1 - 1 / dp, 1,        nullptr};
    return ss_whole_run_of(&question);
  }
};

/* arXiv 2211.05100 section 3.4: 384 A100 for 3.5 months, of which arXiv 2211.02001 counts 1,082,990 GPU-hours (117.5
 * days), 433 MWh at 400 W a GPU, and 257 MWh of nodes that stand by (table 3): 690 MWh; one or two failures of GPUs a
 * week. At 57 g for a kWh
 * these are 24.7 and 39.3 t of CO2 equivalents (433,196 and 256,646 kWh). A checkpoint with its optimizer states
 * has 2.3 TB, which are TiB, as the "329GB" of weights are GiB (summary of the model at bigscience.notion.site). */
TEST(PublishedRun, Bloom)
{
  const PublishedRun bloom("bloom-176b", "jean-zay", {});
  const ss_whole_run_parts parts = bloom.run(366e9);
  const ss_whole_run_time time = ss_whole_run_mean(&parts.run);
  EXPECT_NEAR(parts.checkpoint.bytes, 2.3 * 0x1p40, 0.01 * 2.3 * 0x1p40);
  const ss_bill_question question = {&bloom.machine, 384, 32, &bloom.iteration, &time};
  const ss_bill bill = ss_bill_of(&question);
  EXPECT_NEAR(bill.gpu_j / 3.6e9, 433, 0.27 * 433); /* GPUs that move data and wait draw less than 400 W */
  EXPECT_NEAR(bill.energy_j / 3.6e9, 690, 0.15 * 690);
  EXPECT_NEAR(bill.carbon_kg, 39.3e3, 0.15 * 39.3e3);
}
