/* Collectives as flows on the network simulator against the ring formulas of arXiv 2410.00273: with n ranks, g of them
 * in a domain, N = n / g domains, c = (n - 1) / n and volume V, g = 1: as (n-1) + c V / bs;  N = 1: af (n-1) + c V /
 * bf;  else as (N-1) + af (n-N) + max(c V / (nics bs), c V / bf), twice the volume for all-reduce. */
#include <algorithm>
#include <cmath>

#include "tests/support/fixtures.hpp"
#include "tests/support/methods.hpp"

using namespace stepsim;

namespace
{

struct GroupCase {
  int ranks, domain, nics;
  const char *split; /* of the data-parallel group */
  int per_domain;
};

constexpr double kFast = 0.7 * 300e9, kSlow = 0.7 * 25e9, kFastLatency = 2.5e-6, kSlowLatency = 5e-6;

double ring_s(const GroupCase &c, double passes, double volume_bytes)
{
  const double n = c.ranks, g = c.per_domain, domains = n / g, bytes = passes * (n - 1) / n * volume_bytes;
  if (g == 1) return kSlowLatency * (n - 1) + bytes / kSlow;
  if (domains == 1) return kFastLatency * (n - 1) + bytes / kFast;
  const double nics = std::max(1.0, std::floor(g * c.nics / c.domain));
  return kSlowLatency * (domains - 1) + kFastLatency * (n - domains) + std::max(bytes / (nics * kSlow), bytes / kFast);
}

PlatformSpec platform_of(const GroupCase &c)
{
  PlatformSpec spec;
  spec.domain = c.domain;
  spec.nics = c.nics;
  spec.gpus = c.ranks / c.per_domain * c.domain;
  return spec;
}

const GroupCase kCases[] = {
    {4, 4, 4, "dp=4", 4},                                                         /* inside a domain */
    {8, 8, 4, "dp=8", 8},       {2, 16, 8, "dp=2", 2}, {4, 4, 4, "dp=1,pp=4", 1}, /* one per domain */
    {8, 8, 8, "dp=1,pp=8", 1},  {8, 4, 4, "dp=4", 4},                             /* mixed: NICs are the bottleneck */
    {16, 4, 4, "dp=2,pp=2", 2}, {16, 8, 4, "dp=8", 8},                            /* half a NIC per GPU */
    {32, 16, 16, "dp=16", 16}, /* mixed: 16 NICs together are faster than a GPU's NVLink port */
    {6, 2, 4, "dp=2", 2},      /* two NICs per GPU */
};

/* A replay whose exposed data-parallel time is that of the collectives alone: one layer, nothing beside compute. */
ss_workload data_parallel(const GroupCase &c, ss_sharding sharding)
{
  ss_workload workload = make_workload();
  workload.parallelism.dp = c.ranks;
  workload.training.global_batch = c.ranks;
  workload.parallelism.sharding = sharding;
  workload.schedule.overlap_dp = SS_NO;
  /* stages spread the group over domains where the case asks for it */
  const bool spread = std::string(c.split).find("pp") != std::string::npos;
  workload.parallelism.pp = spread ? c.domain / c.per_domain : 1;
  workload.model.layers = workload.parallelism.pp;
  std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "%s", c.split);
  return workload;
}

std::vector<ss_algorithm> auto_and_all()
{
  std::vector<ss_algorithm> algorithms = all_algorithms();
  algorithms.insert(algorithms.begin(), SS_ALGORITHM_AUTO);
  return algorithms;
}

} // namespace

TEST(Collectives, AllReduceTakesItsRingTime)
{
  for (const GroupCase &c : kCases) {
    const ss_workload workload = data_parallel(c, SS_SHARDING_NONE);
    const Job job(workload, make_machine(platform_of(c)));
    SCOPED_TRACE(testing::Message() << c.ranks << " ranks, split " << c.split);
    const double gradient_bytes = 2 * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE];
    expect_close(job.replay().breakdown.dp_comm_s, ring_s(c, 2, gradient_bytes), 1e-9);
    expect_close(ss_estimate_time(job.get()).dp_comm_s, ring_s(c, 2, gradient_bytes), 1e-9);
  }
}

TEST(Collectives, GatherAndReduceScatterTakeTheirRingTime)
{
  for (const GroupCase &c : kCases) {
    const Job job(data_parallel(c, SS_SHARDING_OPTIMIZER), make_machine(platform_of(c)));
    SCOPED_TRACE(testing::Message() << c.ranks << " ranks, split " << c.split);
    const double bytes = 2 * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE];
    const ss_breakdown parts = job.replay().breakdown;
    /* all stages gather at once and the first reduces last */
    expect_close(parts.dp_comm_s, 2 * ring_s(c, 1, bytes), 1e-9);
  }
}

/* Gradients of the only layer, 4 bytes each, and its weights, 2: by the calibrated costs, which choose. In a domain,
 * one per domain, and both, with a NIC and with half a NIC per GPU. */
TEST(Collectives, EveryAlgorithmTakesItsTime)
{
  for (const GroupCase &c : {kCases[1], kCases[4], kCases[5], kCases[7]})
    for (const ss_algorithm algorithm : auto_and_all())
      for (const ss_sharding sharding : {SS_SHARDING_NONE, SS_SHARDING_OPTIMIZER}) {
        ss_workload workload = data_parallel(c, sharding);
        workload.schedule.all_reduce = algorithm;
        if (sharding != SS_SHARDING_NONE) {
          workload.schedule.all_reduce = SS_ALGORITHM_AUTO;
          workload.schedule.all_gather = workload.schedule.reduce_scatter = algorithm;
        }
        ss_machine machine = make_machine(platform_of(c));
        if (algorithm % 2 == 1) machine = with_protocols(machine);
        add_needed_switches(machine, {SS_ALL_GATHER, algorithm});
        if (ss_workload_check(&workload, nullptr) != SS_OK) continue; /* no gathers over trees */
        const Job job(workload, machine, SS_COST_CALIBRATED);
        SCOPED_TRACE(testing::Message() << c.ranks << " ranks, split " << c.split << ", algorithm " << algorithm);
        const auto time_s = [&](ss_collective kind, double bytes_per_parameter) {
          const ss_span span = job->data_span[SS_WEIGHTS_DENSE][0];
          const double bytes = bytes_per_parameter * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE];
          return ss_comm_time_sum(ss_collective_time(&job->network, kind, span, bytes));
        };
        const double expected_s = sharding == SS_SHARDING_NONE
                                      ? time_s(SS_ALL_REDUCE, 4)
                                      : time_s(SS_ALL_GATHER, 2) + time_s(SS_REDUCE_SCATTER, 4);
        expect_close(job.replay().breakdown.dp_comm_s, expected_s, 1e-9);
        if (workload.parallelism.pp == 1) expect_close(ss_estimate_time(job.get()).dp_comm_s, expected_s, 1e-9);
      }
}

/* Inside a layer, by messages: all-reduces of a tensor-parallel group of two domains, all-to-alls of experts. */
TEST(Collectives, LayersUseEveryAlgorithm)
{
  for (const ss_algorithm algorithm : auto_and_all()) {
    ss_workload workload = make_workload();
    workload.parallelism.tp = 8;
    workload.parallelism.sequence_parallel = SS_NO;
    workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
    workload.schedule.all_reduce = algorithm;
    ss_machine machine = make_machine({});
    add_needed_switches(machine, {SS_ALL_REDUCE, algorithm});
    if (ss_workload_check(&workload, nullptr) != SS_OK) continue;
    const Job job(workload, machine, SS_COST_CALIBRATED);
    const double bytes = 2.0 * 512 * 1024; /* two of them a layer and direction */
    const double expected_s =
        8 * 4 * ss_comm_time_sum(ss_collective_time(&job->network, SS_ALL_REDUCE, {8, 2, 4, {}, {}}, bytes));
    expect_close(job.replay_all_flows().breakdown.tp_comm_s, expected_s, 1e-9);
    expect_close(ss_estimate_time(job.get()).tp_comm_s, expected_s, 1e-9);
  }
  for (const ss_algorithm algorithm : algorithms_of(SS_KIND_BIT(SS_ALL_TO_ALL))) {
    ss_workload workload = make_workload();
    workload.model.experts = workload.parallelism.dp = workload.parallelism.ep = 8;
    workload.training.global_batch = 8;
    workload.schedule.overlap_dp = SS_NO; /* or gathers would share the links */
    workload.schedule.all_to_all = algorithm;
    const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
    const double estimate_s = ss_estimate_time(job.get()).ep_comm_s;
    EXPECT_GT(estimate_s, 0);
    expect_close(job.replay_all_flows().breakdown.ep_comm_s, estimate_s, 1e-9);
  }
}

/* Tensor-parallel collectives as flows, inside a domain and across: four a layer and direction of 2 b l e bytes. */
TEST(Collectives, TensorParallelFlowsTakeTheirRingTime)
{
  for (int tp : {2, 4, 8}) {
    const int per_domain = std::min(tp, 4);
    const GroupCase c = {tp, 4, 4, "", per_domain};
    ss_workload workload = make_workload();
    workload.parallelism.tp = tp;
    const Job job(workload, make_machine({}));
    const double expected_s = 8 * 8 * ring_s(c, 1, 2.0 * 512 * 1024);
    expect_close(job.replay_all_flows().breakdown.tp_comm_s, expected_s, 1e-9);
    expect_close(job.replay().breakdown.tp_comm_s, expected_s, 1e-9);
    expect_close(ss_estimate_time(job.get()).tp_comm_s, expected_s, 1e-9);
  }
}

/* All-reduce instead, without sequence parallelism: two a layer and direction, twice the bytes, one latency. */
TEST(Collectives, WithoutSequenceParallelismAllReduces)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.parallelism.sequence_parallel = SS_NO;
  const Job job(workload, make_machine({}));
  const GroupCase c = {4, 4, 4, "", 4};
  expect_close(job.replay_all_flows().breakdown.tp_comm_s, 8 * 4 * ring_s(c, 2, 2.0 * 512 * 1024), 1e-9);
}

/* An all-reduce over n ranks moves 2 (n - 1) V in all; over N domains, 2 N c V of it crosses between them. */
TEST(Collectives, BytesOnTheNetworkAreTheVolumes)
{
  for (const GroupCase &c : kCases) {
    const ss_workload workload = data_parallel(c, SS_SHARDING_NONE);
    if (workload.parallelism.pp > 1) continue; /* messages would add to it */
    const Job job(workload, make_machine(platform_of(c)));
    const double volume = 2 * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE];
    const double n = c.ranks, domains = n / c.per_domain, rank_bytes = 2 * (n - 1) / n * volume;
    const ss_replay_result result = job.replay();
    expect_close(result.nvlink_bytes, n * rank_bytes, 1e-12);
    EXPECT_NEAR(result.fabric_bytes, domains > 1 ? domains * rank_bytes : 0, 1e-12 * n * rank_bytes);
  }
}

/* Two tensor-parallel groups of a cell that lie over domains in different ways: one has a GPU in each of four domains
 * and crosses in a single phase, one has two in each of two and is inside before and after it. All phases take place:
 * NVLink carries half of what it does for two groups like the second one. Ranks at the same place of the groups, which
 * exchange as well, are in different domains. */
TEST(Collectives, OfUnlikeGroupsGoThroughAllPhases)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.parallelism.cp = 2;
  workload.parallelism.sequence_parallel = SS_NO;
  workload.schedule.all_reduce = SS_ALGORITHM_HIERARCHICAL;
  const ss_machine machine = make_machine({});
  const int32_t unlike[] = {0, 4, 8, 12, 5, 1, 2, 6}, alike[] = {0, 3, 4, 7, 5, 6, 1, 2};
  const auto moved = [&](const int32_t *ranks) {
    return Job(workload, machine, SS_COST_CALIBRATED, {}, ranks).replay_all_flows().nvlink_bytes;
  };
  EXPECT_GT(moved(alike), 0);
  expect_close(moved(unlike), moved(alike) / 2, 1e-9);
}

/* Tensor parallelism along the first dimension of a torus of single GPUs and replicas along the others: each group has
 * its cables to itself, in both directions, so that the replay is the closed form; a ring uses one direction only. With
 * tp over half of a dimension no group fills any. */
TEST(Collectives, OfSubToriHaveTheirDimensionsToThemselves)
{
  PlatformSpec spec;
  spec.gpus = 32;
  spec.domain = spec.nics = 1;
  for (const char *sizes : {"4,4,2", "8,4", "4,8"}) {
    spec.topology = "topology=\"TORUS\" topo_parameters=\"" + std::string(sizes) + "\"";
    ss_workload workload = make_workload();
    workload.parallelism.tp = sizes[0] - '0';
    workload.parallelism.dp = 32 / workload.parallelism.tp;
    workload.training.global_batch = 2 * workload.parallelism.dp;
    workload.schedule.overlap_dp = SS_NO;
    const ss_machine machine = make_machine(spec);
    const Job job(workload, machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(sizes);
    EXPECT_EQ(job->span[SS_GROUP_TENSOR].torus.axes, 1u);
    EXPECT_EQ(job->data_span[SS_DATA_DENSE][0].torus.axes, sizes[3] == '\0' ? 0b10u : 0b110u);
    const ss_breakdown closed = ss_estimate_time(job.get());
    const double closed_s = ss_breakdown_sum(&closed);
    ss_replay_options whole = {};
    whole.fold = SS_FOLD_NONE;
    whole.flows = SS_FLOWS_ALL;
    for (const ss_breakdown &replayed : {job.replay().breakdown, job.replay(whole).breakdown})
      expect_close(ss_breakdown_sum(&replayed), closed_s, 1e-9);
    workload.schedule.all_gather = workload.schedule.reduce_scatter = workload.schedule.all_reduce = SS_ALGORITHM_RING;
    EXPECT_GT(ss_estimate_time(Job(workload, machine, SS_COST_CALIBRATED).get()).tp_comm_s, 1.2 * closed.tp_comm_s);
    workload.parallelism.tp /= 2;
    workload.parallelism.dp *= 2;
    EXPECT_EQ(Job(workload, machine, SS_COST_CALIBRATED)->span[SS_GROUP_TENSOR].torus.axes, 0u);
  }
}

/* Replicas all over a torus: no two flows of an all-reduce meet on a cable in one direction, so that it takes on the
 * links what the closed form says. On 4 x 4 x 4 with a GPU each, 63/192 of the gradients on every cable. */
TEST(Collectives, GoAroundAllDimensionsOfATorus)
{
  struct Torus {
    int gpus, domain;
    const char *sizes;
  };
  for (const Torus &torus : {Torus{64, 1, "4,4,4"}, Torus{15, 1, "5,3"}, Torus{32, 4, "4,4,2"}, Torus{8, 1, "4,2"}}) {
    PlatformSpec spec;
    spec.gpus = torus.gpus;
    spec.domain = spec.nics = torus.domain;
    spec.topology = "topology=\"TORUS\" topo_parameters=\"" + std::string(torus.sizes) + "\"";
    ss_workload workload = make_workload();
    workload.parallelism.dp = torus.gpus;
    workload.training.global_batch = torus.gpus;
    workload.parallelism.sharding = SS_SHARDING_NONE;
    workload.schedule.overlap_dp = SS_NO;
    const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
    SCOPED_TRACE(torus.sizes);
    const double alone_s = ss_estimate_time(job.get()).dp_comm_s;
    ss_replay_options whole = {};
    whole.fold = SS_FOLD_NONE;
    whole.flows = SS_FLOWS_ALL;
    expect_close(job.replay().breakdown.dp_comm_s, alone_s, 1e-9);
    expect_close(job.replay(whole).breakdown.dp_comm_s, alone_s, 1e-9);
    workload.schedule.all_reduce = SS_ALGORITHM_RING;
    EXPECT_GT(ss_estimate_time(Job(workload, make_machine(spec), SS_COST_CALIBRATED).get()).dp_comm_s, 1.5 * alone_s);
  }
}

/* Tensor parallelism over half of a dimension: replicas lie four apart, and four groups of them share each cable. The
 * closed form says so, and the replay puts it there. Experts over half of a ring exchange through its middle. */
TEST(Collectives, GroupsThatLieApartShareTheCablesOfATorus)
{
  PlatformSpec spec;
  spec.gpus = 64;
  spec.domain = spec.nics = 1;
  spec.topology = "topology=\"TORUS\" topo_parameters=\"8,8\"";
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.parallelism.dp = workload.training.global_batch = 16;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  workload.schedule.overlap_dp = SS_NO;
  const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
  EXPECT_EQ(job->data_span[SS_DATA_DENSE][0].torus.apart, 4);
  expect_close(job.replay().breakdown.dp_comm_s, ss_estimate_time(job.get()).dp_comm_s, 1e-9);
  workload.parallelism.tp = 1;
  workload.parallelism.dp = workload.training.global_batch = 64;
  workload.model.experts = workload.parallelism.ep = 4;
  workload.model.top_k = 2;
  workload.model.expert_ffn = workload.model.ffn;
  const Job experts(workload, make_machine(spec), SS_COST_CALIBRATED);
  EXPECT_EQ(experts->span[SS_GROUP_EXPERT].torus.exchanged, 1.0);
  expect_close(experts.replay().breakdown.ep_comm_s, ss_estimate_time(experts.get()).ep_comm_s, 1e-9);
}

/* Experts along a dimension of a torus exchange tokens over its cables, which they have to themselves: the replay is
 * the closed form. On a ring of 16 each cable has four times what it has on 4 x 4. */
TEST(Collectives, ExchangesFillTheCablesOfATorus)
{
  PlatformSpec spec;
  spec.gpus = 64;
  spec.domain = spec.nics = 1;
  ss_workload workload = make_workload();
  workload.model.experts = 16;
  workload.model.top_k = 2;
  workload.model.expert_ffn = workload.model.ffn;
  workload.parallelism.dp = workload.training.global_batch = 64;
  workload.parallelism.ep = 16;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  workload.schedule.overlap_dp = SS_NO;
  double closed_s[2];
  for (int ring = 0; ring < 2; ++ring) {
    spec.topology =
        ring ? "topology=\"TORUS\" topo_parameters=\"16,4\"" : "topology=\"TORUS\" topo_parameters=\"4,4,4\"";
    const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
    SCOPED_TRACE(spec.topology);
    closed_s[ring] = ss_estimate_time(job.get()).ep_comm_s;
    ss_replay_options whole = {};
    whole.fold = SS_FOLD_NONE;
    whole.flows = SS_FLOWS_ALL;
    expect_close(job.replay().breakdown.ep_comm_s, closed_s[ring], 1e-9);
    expect_close(job.replay(whole).breakdown.ep_comm_s, closed_s[ring], 1e-9);
  }
  EXPECT_GT(closed_s[1], 2 * closed_s[0]);
}

/* Two groups of four replicas, with 3 and 1 GPUs in two domains and with 2 and 2; a NIC for two GPUs. By halves and
 * doubles, two GPUs of a domain send half of the volume out through one NIC each way, there and back: 2 V over the NIC,
 * where one alone sends V. Between these two steps of 5 us, two over NVLink move a quarter each. A ring takes as long
 * with one as with the other. An all-reduce is what these have, so its algorithm says which of them is slower. */
TEST(Collectives, OfTheSlowestGroupByTheirOwnAlgorithm)
{
  const int32_t ranks[] = {0, 8, 1, 9, 2, 12, 4, 13};
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.dp = workload.training.global_batch = 4;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  workload.schedule.overlap_dp = SS_NO;
  workload.schedule.all_reduce = SS_ALGORITHM_HALVING;
  workload.schedule.all_gather = workload.schedule.reduce_scatter = SS_ALGORITHM_RING;
  const Job job(workload, machine_of(16, 4, 2), SS_COST_CALIBRATED, {}, ranks);
  const double volume_bytes = 1e6;
  const ss_comm_time time = ss_job_data_time(job.get(), SS_ALL_REDUCE, job->data_span[SS_DATA_DENSE][0], volume_bytes);
  expect_close(ss_comm_time_sum(time),
               2 * kSlowLatency + 2 * volume_bytes / kSlow + 2 * kFastLatency + 2 * volume_bytes / 4 / kFast, 1e-12);
  ss_replay_options options = {};
  options.private_links = true;
  expect_close(ss_estimate_time(job.get()).dp_comm_s, job.replay(options).breakdown.dp_comm_s, 1e-11);
}
