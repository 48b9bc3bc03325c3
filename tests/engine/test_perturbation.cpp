/* Slow GPUs, noise, and budgets of a replay. */
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sample.hpp"

extern "C" {
#include "model/base/random.h"
#include "sim/engine/perturbation/kernel_draws.h"
}

using namespace stepsim;

namespace
{

/* NVLink in domains of two and nothing else that takes time. */
PlatformSpec only_nvlink()
{
  PlatformSpec spec;
  spec.domain = spec.nics = 2;
  spec.fabric_bytes_per_s = 1e18;
  spec.fabric_latency_s = 0;
  return spec;
}

ss_workload make_two_by_four(int layers = 400)
{
  ss_workload workload = make_workload();
  workload.model.layers = layers;
  workload.parallelism.tp = 2;
  workload.parallelism.pp = 4;
  workload.training.global_batch = 7;
  workload.schedule.pipeline = SS_PIPELINE_1F1B;
  return workload;
}

ss_machine with_speed(ss_machine machine, const char *text)
{
  std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "%s", text);
  return machine;
}

ss_replay_options private_links(uint64_t seed)
{
  ss_replay_options options = {};
  options.private_links = true;
  options.seed = seed;
  return options;
}

/* A pass through the 100 layers of a stage, where the kernels of one rank run at a share of the speed: the collectives,
 * in which the others wait for it, take what they take. */
double stage_s(const Job &job, ss_pass pass, double speed)
{
  const ss_duration layer = job->pass[SS_BLOCK_LAYER][pass];
  const double kernels_s = ss_duration_kernel_s(layer);
  return 100 * (kernels_s / speed + ss_duration_sum(layer) - kernels_s);
}

double iteration_s(const Job &job, ss_replay_options options = {})
{
  return job.replay(options).breakdown.iteration_s;
}

} // namespace

/* The first numbers of SplitMix64 that starts at 0, as published with it. */
TEST(Random, KeysAreThoseOfSplitMix64)
{
  EXPECT_EQ(ss_random_key(0, 0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(ss_random_key(0, 1), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(ss_random_key(0, 2), 0x06c45d188009454fu);
}

/* Of n draws, the mean of a normal is off by 1 / sqrt(n) and its standard deviation by 1 / sqrt(2 n), times 5 at most;
 * 4.55 % lie beyond 2. Neighbours are independent: their product has mean 0 and deviation 1. */
TEST(Random, NormalsAreNormal)
{
  const int n = 100000;
  std::vector<double> draws, products;
  int beyond = 0;
  for (int i = 0; i < n; ++i) {
    draws.push_back(ss_random_normal(ss_random_key(ss_random_key(7, (uint64_t)(i / 100)), (uint64_t)(i % 100))));
    beyond += std::abs(draws.back()) > 2;
    if (i > 0) products.push_back(draws[(size_t)i] * draws[(size_t)i - 1]);
  }
  EXPECT_NEAR(mean(draws), 0.0, 5 / std::sqrt(n));
  EXPECT_NEAR(deviation(draws), 1.0, 5 / std::sqrt(2.0 * n));
  EXPECT_NEAR(mean(products), 0.0, 5 / std::sqrt(n));
  EXPECT_NEAR(beyond / (double)n, 0.0455, 5 * std::sqrt(0.0455 / n));
}

/* Factors have mean 1 and the deviation asked for; the fourth moment of a log-normal of 0.3 makes that of its sample
 * about 1.5 times as uncertain as a normal's. */
TEST(Random, FactorsHaveMeanOne)
{
  const int n = 100000;
  for (double relative : {0.01, 0.3}) {
    std::vector<double> draws;
    for (int i = 0; i < n; ++i)
      draws.push_back(
          ss_log_normal_factor(ss_log_normal_of(relative), ss_random_normal(ss_random_key(3, (uint64_t)i))));
    EXPECT_NEAR(mean(draws), 1.0, 5 * relative / std::sqrt(n));
    EXPECT_NEAR(deviation(draws), relative, 1.5 * 5 * relative / std::sqrt(2.0 * n));
  }
  EXPECT_EQ(ss_log_normal_factor(ss_log_normal_of(0.0), 3.0), 1.0);
}

/* The slices have the mean 1 and nearly all of the variance, are in order, and are drawn alike. */
TEST(Random, SlicesAreTheDistribution)
{
  std::vector<double> slices(SS_SLICES);
  for (double relative : {0.01, 0.3, 1.0}) {
    ss_log_normal_slices(ss_log_normal_of(relative), slices.data());
    EXPECT_NEAR(mean(slices), 1.0, 1e-12);
    EXPECT_NEAR(deviation(slices), relative, relative * (relative < 0.5 ? 1e-4 : 1e-3));
    EXPECT_TRUE(std::is_sorted(slices.begin(), slices.end()));
    /* the median of a log-normal of mean 1 */
    EXPECT_NEAR(slices[SS_SLICES / 2], 1 / std::sqrt(1 + relative * relative), 1e-4);
    const int n = 100000;
    std::vector<double> draws;
    for (int i = 0; i < n; ++i)
      draws.push_back(ss_random_slice(slices.data(), ss_random_key(ss_random_key(3, 5), (uint64_t)i)));
    EXPECT_NEAR(mean(draws), 1.0, 5 * relative / std::sqrt(n));
  }
}

/* The slow GPU 7 is a rank of the last of 4 stages, which takes F + B where the others take f + b. It alternates
 * between forward and backward without a pause, as the stage before has the next forward ready while it works: the
 * first forward reaches it after 3 f, and its last backward goes back in 3 b. T = 3 (f + b) + 7 (F + B). */
TEST(Perturbation, SlowGpuInTheLastStage)
{
  const ss_machine machine = with_speed(make_machine(only_nvlink()), "7:0.5");
  const Job job(make_two_by_four(), machine);
  const double f = stage_s(job, SS_PASS_FORWARD, 1.0), b = stage_s(job, SS_PASS_BACKWARD, 1.0);
  const double slow_f = stage_s(job, SS_PASS_FORWARD, 0.5), slow_b = stage_s(job, SS_PASS_BACKWARD, 0.5);
  const double expected_s = 3 * (f + b) + 7 * (slow_f + slow_b);
  ASSERT_GT(expected_s, 1.2 * 10 * (f + b));
  expect_close(iteration_s(job), expected_s, 1e-9);
  const Job small(make_two_by_four(8), machine);
  expect_close(small.replay_all_flows().breakdown.iteration_s, iteration_s(small), 1e-9);
  /* The first stage finishes last, and only waits longer. */
  const ss_breakdown parts = job.replay().breakdown;
  const double launches_s = 700 * (job->pass[SS_BLOCK_LAYER][SS_PASS_FORWARD].launch_s +
                                   job->pass[SS_BLOCK_LAYER][SS_PASS_BACKWARD].launch_s);
  expect_close(parts.bubble_s, expected_s - 7 * (f + b), 1e-8);
  EXPECT_NEAR(parts.other_s, launches_s, 1e-12);
}

/* The slow GPU is in the first stage. That sends 4 forwards ahead; the first comes back after F + 3 (f + b), which is
 * later than the other 3 F, if F < f + b. From then on it works without a pause: 7 backwards and 3 forwards.
 * T = F + 3 (f + b) + 7 B + 3 F. */
TEST(Perturbation, SlowGpuInTheFirstStage)
{
  const ss_machine machine = with_speed(make_machine(only_nvlink()), "1:0.5");
  const Job job(make_two_by_four(), machine);
  const double f = stage_s(job, SS_PASS_FORWARD, 1.0), b = stage_s(job, SS_PASS_BACKWARD, 1.0);
  const double slow_f = stage_s(job, SS_PASS_FORWARD, 0.5), slow_b = stage_s(job, SS_PASS_BACKWARD, 0.5);
  ASSERT_LT(slow_f, f + b);
  const double expected_s = slow_f + 3 * (f + b) + 7 * slow_b + 3 * slow_f;
  const ss_breakdown parts = job.replay().breakdown;
  expect_close(parts.iteration_s, expected_s, 1e-9);
  expect_close(parts.bubble_s, 3 * (f + b) - 3 * slow_f, 1e-8);
  /* the excess of 7 passes each way, beside the launches */
  const ss_duration forward = job->pass[SS_BLOCK_LAYER][SS_PASS_FORWARD],
                    backward = job->pass[SS_BLOCK_LAYER][SS_PASS_BACKWARD];
  expect_close(parts.other_s, 700 * (forward.launch_s + backward.launch_s) + 7 * (slow_f + slow_b - f - b), 1e-9);
}

/* The tensor ranks wait for the slowest of them: that the others are slow too changes nothing. */
TEST(Perturbation, SlowestRankSetsThePace)
{
  const ss_machine machine = make_machine(only_nvlink());
  const double one_s = iteration_s(Job(make_two_by_four(), with_speed(machine, "3:0.5")));
  EXPECT_EQ(iteration_s(Job(make_two_by_four(), with_speed(machine, "2-3:0.5"))), one_s);
  EXPECT_EQ(iteration_s(Job(make_two_by_four(), with_speed(machine, "2:0.7 3:0.5"))), one_s);
  EXPECT_GT(iteration_s(Job(make_two_by_four(), with_speed(machine, "3:0.4"))), one_s);
}

/* A GPU that the job does not use is no perturbation, nor one at full speed. */
TEST(Perturbation, NothingSlowNothingChanges)
{
  const ss_machine machine = make_machine({});
  const ss_replay_result plain = Job(make_two_by_four(8), machine).replay();
  for (const char *text : {"8-15:0.5", "0-7:1", " "}) {
    ss_replay_options options = {};
    options.seed = 5;
    const ss_replay_result other = Job(make_two_by_four(8), with_speed(machine, text)).replay(options);
    EXPECT_EQ(std::memcmp(&plain.breakdown, &other.breakdown, sizeof plain.breakdown), 0) << text;
  }
}

/* All GPUs at half the speed are a machine with half the rates and twice the launch overhead, whatever runs beside
 * kernels. */
TEST(Perturbation, AllGpusSlowAreASlowMachine)
{
  const ss_machine machine = make_machine({});
  ss_machine half = machine;
  half.matrix_flop_per_s /= 2;
  half.vector_flop_per_s /= 2;
  half.hbm_bytes_per_s /= 2;
  half.launch_overhead_s *= 2;
  for (ss_tp_overlap overlap : all_of<ss_tp_overlap>)
    for (ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_PARAMETERS}) {
      ss_workload workload = make_workload();
      workload.model.vocabulary = 32000;
      workload.parallelism.tp = 4;
      workload.parallelism.pp = 2;
      workload.parallelism.dp = 2;
      workload.parallelism.sharding = sharding;
      workload.training.global_batch = 8;
      workload.schedule.overlap_tp = overlap;
      SCOPED_TRACE(testing::Message() << overlap << " " << sharding);
      const Job slow(workload, with_speed(machine, "0-15:0.5"), SS_COST_CALIBRATED);
      const Job other(workload, half, SS_COST_CALIBRATED);
      const ss_breakdown parts = slow.replay().breakdown;
      expect_close(parts.iteration_s, iteration_s(other), 1e-9);
      expect_close(ss_breakdown_sum(&parts), parts.iteration_s, 1e-12);
      expect_close(slow.replay_all_flows().breakdown.iteration_s, iteration_s(other), 1e-9);
    }
}

/* An optimizer step whose states come from the second memory tier takes the longer of the two. */
TEST(Perturbation, OptimizerStepBesideTheSecondMemoryTier)
{
  ss_workload workload = make_workload();
  workload.training.offload_optimizer = SS_YES;
  ss_machine machine = make_machine({});
  machine.offload_bytes = 1e12;
  for (double tier_bytes_per_s : {5e9, 600e9, 5000e9}) {
    machine.offload_bytes_per_s = tier_bytes_per_s;
    const Job job(workload, with_speed(machine, "0:0.5"), SS_COST_CALIBRATED);
    const ss_tier_traffic traffic = ss_job_optimizer_traffic(job.get(), 0);
    const double kernel_s = ss_job_optimizer(job.get(), 0).optimizer_s;
    const double layers_s = 2 * 8 *
                            (ss_duration_sum(job->pass[SS_BLOCK_LAYER][SS_PASS_FORWARD]) +
                             ss_duration_sum(job->pass[SS_BLOCK_LAYER][SS_PASS_BACKWARD]));
    const double step_s = std::max(2 * kernel_s, traffic.read_bytes / tier_bytes_per_s);
    expect_close(iteration_s(job), layers_s + step_s, 1e-9);
  }
}

/* One GPU, 8 layers: an iteration is the sum of its kernels' times t_i, so that noise of r makes its variance
 * r^2 sum t_i^2. The deviation of a sample of 300 is within 5 / sqrt(600) of that. */
TEST(Perturbation, NoiseOfAnIterationIsThatOfItsKernels)
{
  ss_machine machine = make_machine({});
  machine.kernel_noise = 0.1;
  const Job job(make_workload(), machine);
  double sum_s = 0, squares = 0;
  for (ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
    const ss_task_list *tasks = ss_job_tasks(job.get(), SS_BLOCK_LAYER, pass);
    for (int64_t i = 0; i < tasks->count; ++i) {
      const double time_s = ss_duration_sum(ss_job_task_duration(job.get(), SS_BLOCK_LAYER, pass, &tasks->task[i]));
      sum_s += 8 * time_s;
      squares += 8 * time_s * time_s;
    }
  }
  std::vector<double> draws;
  const int n = 300;
  for (int seed = 1; seed <= n; ++seed) draws.push_back(iteration_s(job, private_links((uint64_t)seed)));
  const double expected = 0.1 * std::sqrt(squares);
  EXPECT_NEAR(mean(draws), sum_s, 5 * expected / std::sqrt(n));
  EXPECT_NEAR(deviation(draws), expected, 5 * expected / std::sqrt(2.0 * n));
}

/* Where GPUs are equally fast, the slowest rank of a piece of a kernel is that of the largest factor. */
TEST(Perturbation, TheLargestFactorIsThatOfTheSlowestRank)
{
  ss_machine machine = make_machine({});
  machine.kernel_noise = 0.3;
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  const Job job(workload, machine);
  const uint64_t key[] = {11, 12, 13, 14};
  const int32_t gpu[] = {3, 1, 0, 2};
  ss_kernel_draws *draws = nullptr;
  ASSERT_EQ(ss_kernel_draws_create(&draws, job.get(), key), SS_OK);
  for (int64_t position = 0; position < 50; ++position) {
    ss_kernel_draws_turn_to(draws, gpu, 7, position);
    double most = 0;
    for (int64_t rank = 0; rank < 4; ++rank) most = std::max(most, ss_kernel_draws_factor(draws, rank, 2, position));
    const uint64_t name[2] = {ss_kernel_draws_name(2, position), ss_kernel_draws_name(2, position)};
    double largest[2];
    ss_kernel_draws_largest(draws, name, 2, largest);
    EXPECT_EQ(largest[0], most);
    EXPECT_EQ(largest[1], most);
  }
  ss_kernel_draws_destroy(draws);
  EXPECT_EQ(ss_kernel_draws_factor(nullptr, 0, 2, 0), 1);
}

/* Two ranks wait for each other: of two factors of deviation r the larger is 1 + r / sqrt(pi) on average, with the
 * deviation r sqrt(1 - 1 / pi); kernels alone are slowed. */
TEST(Perturbation, SpreadCostsTheMeanOfTheSlowerOfTwo)
{
  ss_machine machine = make_machine(only_nvlink());
  machine.gpu_spread = 0.02;
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  const Job job(workload, machine);
  double kernels_s = 0, calls_s = 0;
  for (ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
    const ss_duration layer = job->pass[SS_BLOCK_LAYER][pass];
    kernels_s += 8 * ss_duration_kernel_s(layer);
    calls_s += 8 * (ss_duration_sum(layer) - ss_duration_kernel_s(layer));
  }
  std::vector<double> factors;
  const int n = 400;
  for (int seed = 1; seed <= n; ++seed)
    factors.push_back((iteration_s(job, private_links((uint64_t)seed)) - calls_s) / kernels_s);
  const double pi = std::acos(-1.0), expected = 0.02 * std::sqrt(1 - 1 / pi);
  EXPECT_NEAR(mean(factors), 1 + 0.02 / std::sqrt(pi), 5 * expected / std::sqrt(n) + 0.02 * 0.02);
  EXPECT_NEAR(deviation(factors), expected, 5 * expected / std::sqrt(2.0 * n) + 0.02 * 0.02);
}

/* The same seed draws the same, on the fabric and on private links; another one does not. What a GPU draws does not
 * depend on the rest of the job: one replica of two takes what it takes alone. */
TEST(Perturbation, DrawsAreOfTheSeedTheGpuAndTheKernel)
{
  ss_machine machine = make_machine(instant_messages());
  machine.kernel_noise = 0.2;
  machine.gpu_spread = 0.1;
  ss_workload workload = make_workload();
  workload.parallelism.pp = 2;
  workload.training.global_batch = 3;
  const Job job(workload, machine);
  ss_replay_options options = {};
  std::set<double> times;
  for (uint64_t seed : {1u, 2u, 3u}) {
    options.seed = seed;
    times.insert(iteration_s(job, options));
    EXPECT_EQ(iteration_s(job, options), iteration_s(job, options));
    expect_close(iteration_s(job, options), iteration_s(job, private_links(seed)), 1e-6);
  }
  EXPECT_EQ(times.size(), 3u);
  workload.training.global_batch = 6;
  workload.parallelism.dp = 2; /* the first replica is on GPUs 0 and 1 if dp comes after pp */
  std::strcpy(workload.placement.domain, "pp=2,dp=2");
  std::strcpy(workload.placement.order, "tp,cp,pp,dp");
  const Job twice(workload, machine);
  bool same = false;
  for (uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    const double alone_s = iteration_s(job, private_links(seed)), both_s = iteration_s(twice, private_links(seed));
    EXPECT_GE(both_s, alone_s * (1 - 1e-6));
    same = same || std::abs(both_s - alone_s) < 1e-6 * alone_s;
  }
  EXPECT_TRUE(same); /* where the second replica is the faster one */
}

/* Cells that are slow alike are simulated once, as if all of them were: replicas 0 and 2 of the last case, and 1 and 3.
 * A single slow GPU tells its own replica from the others, and noise all of them. */
TEST(Perturbation, FoldsWhatIsSlowAlike)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.pp = 2;
  workload.parallelism.dp = 4;
  workload.training.global_batch = 16;
  for (const char *text : {"", "5:0.5", "0-1:0.5 4-5:0.5"})
    for (double noise : {0.0, 0.1}) {
      ss_machine machine = with_speed(make_machine({}), text);
      machine.kernel_noise = noise;
      const Job job(workload, machine, SS_COST_CALIBRATED);
      ss_replay_options none = {};
      none.fold = SS_FOLD_NONE;
      const ss_replay_result folded = job.replay(), whole = job.replay(none);
      SCOPED_TRACE(testing::Message() << text << " " << noise);
      expect_close(folded.breakdown.iteration_s, whole.breakdown.iteration_s, 1e-9);
      ss_replay_options alone = private_links(0), all_alone = alone;
      all_alone.fold = SS_FOLD_NONE;
      expect_close(iteration_s(job, alone), iteration_s(job, all_alone), 1e-9);
      EXPECT_EQ(whole.simulated_stage_replicas, 8);
      EXPECT_EQ(folded.simulated_stage_replicas < 8, noise == 0.0);
    }
}

void expect_sound(const ss_breakdown &parts)
{
  expect_close(ss_breakdown_sum(&parts), parts.iteration_s, 1e-9);
#define EXPECT_PART(field, label, help) EXPECT_GE(parts.field, 0) << label;
  SS_PART_LIST(EXPECT_PART)
#undef EXPECT_PART
}

/* One GPU and nothing but kernels: c of computing, m of memory, l of launches without noise. With noise they take n
 * more or less: more is a part of its own, (c, m, l + n); less is less of each, (c, m, l) (1 - |n| / (c + m + l)). */
TEST(Perturbation, LuckShortensWhatKernelsDoAlike)
{
  ss_machine machine = make_machine({});
  const ss_breakdown nominal = Job(make_workload(), machine, SS_COST_CALIBRATED).replay().breakdown;
  machine.kernel_noise = 0.3;
  const Job job(make_workload(), machine, SS_COST_CALIBRATED);
  int shorter = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ss_replay_options options = {};
    options.seed = seed;
    const ss_breakdown parts = job.replay(options).breakdown;
    const double ratio = std::min(parts.iteration_s / nominal.iteration_s, 1.0);
    expect_sound(parts);
    expect_close(parts.compute_s, nominal.compute_s * ratio, 1e-9);
    expect_close(parts.memory_s, nominal.memory_s * ratio, 1e-9);
    expect_close(parts.optimizer_s, nominal.optimizer_s * ratio, 1e-9);
    expect_close(parts.other_s, nominal.other_s * ratio + std::max(parts.iteration_s - nominal.iteration_s, 0.0), 1e-9);
    shorter += ratio < 1;
  }
  EXPECT_GT(shorter, 0);
  EXPECT_LT(shorter, 20);
}

TEST(Perturbation, PartsAddUpUnderNoise)
{
  ss_machine machine = make_machine({});
  machine.kernel_noise = 0.1;
  machine.gpu_spread = 0.05;
  for (double cost : {0.0, 0.2})
    for (ss_sharding sharding : {SS_SHARDING_NONE, SS_SHARDING_PARAMETERS}) {
      machine.nvlink_compute_cost = machine.fabric_compute_cost = cost;
      ss_workload workload = make_workload();
      workload.model.vocabulary = 32000;
      workload.parallelism.tp = 2;
      workload.parallelism.pp = 2;
      workload.parallelism.dp = 4;
      workload.parallelism.sharding = sharding;
      workload.training.global_batch = 16;
      workload.schedule.overlap_tp = SS_TP_OVERLAP_RING;
      const Job job(workload, machine, SS_COST_CALIBRATED);
      expect_sound(job.replay_all_flows().breakdown);
      for (ss_replay_options options = {}; options.seed < 10; ++options.seed)
        expect_sound(job.replay(options).breakdown);
      const double simulation_s = iteration_s(job);
      ss_explanation why = {};
      ss_error error = {};
      const ss_replay_options options = {};
      ASSERT_EQ(ss_explain(job.get(), &options, simulation_s, &why, &error), SS_OK);
      EXPECT_GT(why.slowed_s, 0);
      expect_close(why.contention_s + why.slowed_s + why.latency_s + why.stages_s + why.overlap_s + why.schedule_s,
                   simulation_s - ss_estimate_time(job.get()).iteration_s, 1e-9);
    }
}

/* A replay that has no time, or no memory, stops and says so. */
TEST(Budget, StopsAReplay)
{
  ss_workload workload = make_two_by_four(8);
  const Job job(workload, make_machine({}));
  for (bool private_links : {true, false})
    for (double max_bytes : {0.0, 1e6}) {
      ss_replay_options options = {};
      ss_replay_result result = {};
      ss_error error = {};
      options.private_links = private_links;
      options.budget = ss_budget_from_now(max_bytes > 0 ? 0.0 : 1e-9, max_bytes);
      ASSERT_EQ(ss_replay(job.get(), &options, &result, &error), SS_ERROR_BUDGET);
      const std::string message = error.message;
      EXPECT_EQ(message.find(max_bytes > 0 ? "stopped with " : "stopped after "), 0u) << message;
      EXPECT_NE(message.find(max_bytes > 0 ? "a larger --max-memory" : "a larger --max-seconds"), std::string::npos);
    }
}

/* With flows under way, too: the time runs out in the middle. */
TEST(Budget, StopsInTheMiddleOfFlows)
{
  ss_workload workload = make_workload();
  workload.model.layers = 64;
  workload.parallelism.tp = 4;
  workload.parallelism.dp = 4;
  workload.training.global_batch = 4 * 500;
  const Job job(workload, make_machine({}));
  ss_replay_options options = {};
  ss_replay_result result = {};
  ss_error error = {};
  options.flows = SS_FLOWS_SIMULATED;
  options.fold = SS_FOLD_NONE;
  options.budget = ss_budget_from_now(0.2, 0);
  ASSERT_EQ(ss_replay(job.get(), &options, &result, &error), SS_ERROR_BUDGET) << error.message;
}

TEST(Budget, OfPlentyStopsNothing)
{
  ss_replay_options options = {};
  options.budget = ss_budget_from_now(1e6, 1e15);
  const Job job(make_two_by_four(8), make_machine({}));
  EXPECT_EQ(iteration_s(job, options), iteration_s(job));
}
