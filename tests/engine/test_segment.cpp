/* Segments: which GPUs of each domain a job uses, and how its groups then lie, against positions worked out by hand. */
#include <numeric>
#include <vector>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

/* The segment of groups of these sizes, all ranks last. */
int64_t chosen(const ss_machine &machine, const std::vector<int64_t> &groups)
{
  return ss_segment_of_groups({&machine, nullptr}, groups.data(), static_cast<int64_t>(groups.size()));
}

ss_workload data_parallel(int64_t dp)
{
  ss_workload w = make_workload();
  w.parallelism.dp = dp;
  w.training.global_batch = dp;
  return w;
}

std::string refusal_of(const ss_workload &workload, const ss_machine &machine, const ss_free_gpus *free_gpus = nullptr)
{
  try {
    const Job job(workload, machine, SS_COST_CALIBRATED, {}, nullptr, free_gpus);
    return "accepted";
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

std::vector<int32_t> gpus_of(const Job &job, int64_t ranks)
{
  return {job->placement.gpu, job->placement.gpu + ranks};
}

} /* namespace */

/* 72 GPUs in a domain: groups of powers of two fill 64, of 3 x 2^n all 72; groups of 48, 48 twice: 48 is more than
 * half. Nothing divides 7 x 31 and is more than half, so that only what is inside counts: 70 is the largest multiple
 * of 7. A domain of a power of two, and what fits in one, is used as a whole; 64 of 72 would need 72 domains for all
 * GPUs. */
TEST(Segment, IsWhatGroupsDivide)
{
  const ss_machine rack = machine_of(64 * 72, 72, 72), node = machine_of(64, 8, 8);
  EXPECT_EQ(chosen(rack, {1, 8, 32, 256}), 64);
  EXPECT_EQ(chosen(rack, {8, 24, 72, 288}), 72);
  EXPECT_EQ(chosen(rack, {4, 8, 144}), 72);
  EXPECT_EQ(chosen(rack, {48, 48 * 5}), 48);
  EXPECT_EQ(chosen(rack, {7, 7 * 31}), 70);
  EXPECT_EQ(chosen(rack, {1, 256}), 64);
  EXPECT_EQ(chosen(rack, {8, 64}), 72);
  EXPECT_EQ(chosen(rack, {16, 64 * 72}), 72);
  EXPECT_EQ(chosen(node, {6, 48}), 8);
}

/* dp 8 over two GPUs of each domain of four: ranks 0 and 1 in the first domain, 2 and 3 in the second, GPU 4 and 5. */
TEST(Segment, RanksFillSegments)
{
  ss_workload w = data_parallel(8);
  w.placement.segment = 2;
  const Job job(w, machine_of(16, 4, 4), SS_COST_CALIBRATED);
  EXPECT_EQ(gpus_of(job, 8), (std::vector<int32_t>{0, 1, 4, 5, 8, 9, 12, 13}));
  const ss_span span = job->data_span[SS_WEIGHTS_DENSE][0];
  EXPECT_EQ(span.size, 8);
  EXPECT_EQ(span.domains, 4);
  EXPECT_EQ(span.per_domain, 2);
}

/* A split speaks of the segment: dp 6 of each of two domains of eight, which 4 would not be part of. */
TEST(Segment, IsSplit)
{
  ss_workload w = data_parallel(12);
  std::snprintf(w.placement.domain, sizeof w.placement.domain, "dp=6");
  const ss_machine machine = machine_of(32, 8, 4);
  EXPECT_NE(refusal_of(w, machine).find("is 6 GPUs, a domain of"), std::string::npos);
  w.placement.segment = 6;
  const Job job(w, machine, SS_COST_CALIBRATED);
  EXPECT_TRUE(job->placement.even);
  EXPECT_EQ(gpus_of(job, 12), (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13}));
  std::snprintf(w.placement.domain, sizeof w.placement.domain, "dp=4");
  EXPECT_NE(refusal_of(w, machine).find("is 4 GPUs, a segment of"), std::string::npos);
}

/* A ring over all ranks goes through the NICs of the GPUs that are used: of domains of eight GPUs and four NICs, all
 * four with eight GPUs, two with four. An all-gather of V bytes moves (D - 1) / D V over the fabric of each of D
 * domains: 4 or 8. */
TEST(Segment, HasTheNicsOfItsGpus)
{
  const double volume_bytes = 1e9;
  ss_machine machine = machine_of(64, 8, 4);
  machine.fabric_latency_s = machine.nvlink_latency_s = 0;
  const double nic_bytes_per_s = machine.fabric_bytes_per_s * machine.fabric_efficiency;
  for (const int64_t segment : {8, 4}) {
    ss_workload w = data_parallel(32);
    w.placement.segment = segment;
    w.schedule.all_gather = SS_ALGORITHM_RING;
    const Job job(w, machine, SS_COST_CALIBRATED);
    const ss_span span = job->data_span[SS_WEIGHTS_DENSE][0];
    const double domains = 32.0 / static_cast<double>(segment), nics = static_cast<double>(segment) / 2;
    EXPECT_EQ(ss_span_nics(span, ss_machine_nics_per_gpu(&machine)), segment / 2);
    const ss_comm_time time = ss_collective_time(&job->network, SS_ALL_GATHER, span, volume_bytes);
    EXPECT_GE(time.transfer_s, (domains - 1) / domains * volume_bytes / (nics * nic_bytes_per_s) * (1 - 1e-12));
  }
}

/* Closed form and replay are the same where nothing contends, and links of GPUs that are not used stay idle. */
TEST(Segment, ReplayIsClosedForm)
{
  for (const int64_t segment : {1, 2, 3, 4}) {
    ss_workload w = data_parallel(12);
    w.parallelism.tp = segment == 3 ? 1 : 2;
    w.parallelism.dp = segment == 3 ? 12 : 6;
    w.training.global_batch = w.parallelism.dp;
    w.placement.segment = segment;
    w.schedule.overlap_dp = SS_NO;
    const Job job(w, machine_of(64, 4, 2), SS_COST_CALIBRATED, own_links());
    ss_replay_options options = {};
    options.private_links = true;
    const double closed_s = ss_estimate_time(job.get()).iteration_s;
    expect_close(job.replay(options).breakdown.iteration_s, closed_s, 1e-9);
    ss_replay_options unfolded = {};
    unfolded.fold = SS_FOLD_NONE;
    expect_close(job.replay(unfolded).breakdown.iteration_s, job.replay().breakdown.iteration_s, 1e-9);
  }
}

/* Domains of 4 with 4, 1, 3 and 4 free GPUs. Three of each: domains 0, 2 and 3; four: 0 and 3. Eight ranks go on two
 * whole domains, nine on three times three, and of ten there is no room: 2 x 4, 3 x 3, 3 x 2, 4 x 1. */
TEST(Segment, LiesOnFreeGpus)
{
  const ss_machine machine = machine_of(16, 4, 4);
  const FreeGpus free_gpus(machine, {4, 1, 3, 4});
  const auto laid = [&](int64_t ranks) {
    return gpus_of(Job(data_parallel(ranks), machine, SS_COST_CALIBRATED, {}, nullptr, free_gpus.get()), ranks);
  };
  EXPECT_EQ(laid(8), (std::vector<int32_t>{0, 1, 2, 3, 12, 13, 14, 15}));
  EXPECT_EQ(laid(9), (std::vector<int32_t>{0, 1, 2, 8, 9, 10, 12, 13, 14}));
  EXPECT_NE(refusal_of(data_parallel(10), machine, free_gpus.get())
                .find("placement.free=\"\": leaves room for 9 ranks in whole segments"),
            std::string::npos);
  ss_workload w = data_parallel(9);
  w.placement.segment = 4;
  EXPECT_NE(refusal_of(w, machine, free_gpus.get()).find("placement.segment=\"4\": leaves room for 8 ranks"),
            std::string::npos);
}

TEST(Segment, Refuses)
{
  const ss_machine machine = machine_of(16, 4, 4);
  ss_workload w = data_parallel(12);
  w.placement.segment = 2;
  EXPECT_NE(refusal_of(w, machine).find("placement.segment=\"2\": leaves room for 8 ranks"), std::string::npos);
  w.placement.segment = 5;
  EXPECT_NE(refusal_of(w, machine).find("placement.segment=\"5\": is more than the domain-size"), std::string::npos);
  w.placement.segment = 4;
  std::snprintf(w.placement.ranks, sizeof w.placement.ranks, "a");
  EXPECT_NE(refusal_of(w, machine).find("placement.segment=\"4\": is given beside placement.ranks"), std::string::npos);
  w.placement.segment = SS_DERIVED;
  std::snprintf(w.placement.free, sizeof w.placement.free, "b");
  EXPECT_NE(refusal_of(w, machine).find("placement.free=\"b\": is given beside placement.ranks"), std::string::npos);
}
