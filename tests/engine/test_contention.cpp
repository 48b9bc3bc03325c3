/* Links that are shared: answers that can be worked out by hand. Start-up times are 0 here, so that only bytes count.
 */
#include <cstring>

#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/forwarding.hpp"

extern "C" {
#include "model/fabric/fabric.h"
}

using namespace stepsim;

namespace
{

/* GPUs with a NIC each, on a fabric whose attributes are given. */
PlatformSpec without_latency(int gpus, const char *topology)
{
  PlatformSpec spec;
  spec.gpus = gpus;
  spec.domain = spec.nics = 1;
  spec.nvlink_latency_s = spec.fabric_latency_s = 0;
  spec.topology = topology;
  return spec;
}

/* Replicas of a model on two tensor-parallel GPUs each, half of the GPUs as first and half as second ones: GPU r and
 * GPU R + r for replica r of R. All replicas do the same at the same time. */
ss_workload across_the_middle(int replicas)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.dp = replicas;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  workload.schedule.overlap_dp = SS_NO;
  workload.training.global_batch = replicas;
  std::snprintf(workload.placement.order, sizeof workload.placement.order, "dp,tp,cp,pp");
  return workload;
}

const ss_busy_link *find_link(const ss_busy_links &links, const char *part)
{
  for (int64_t i = 0; i < links.count; ++i)
    if (std::strstr(links.link[i].name, part) != nullptr) return &links.link[i];
  return nullptr;
}

double tensor_s(const Job &job, ss_fold fold)
{
  ss_replay_options options = {};
  options.fold = fold;
  return job.replay(options).breakdown.tp_comm_s;
}

/* How much longer the tensor-parallel collectives take than on links of their own, folded and not. */
void expect_slowdown(const Job &job, double times)
{
  const double alone_s = ss_estimate_time(job.get()).tp_comm_s;
  ASSERT_GT(alone_s, 0);
  for (ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) expect_close(tensor_s(job, fold), times * alone_s, 1e-9);
}

} // namespace

/* Two rings of two GPUs, each once there and back between two leaves with one cable up: half the bandwidth each. */
TEST(Contention, TwoRingsShareAnUplink)
{
  const auto job = [](const char *tree) { return Job(across_the_middle(2), make_machine(without_latency(4, tree))); };
  expect_slowdown(job("topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,2;1,1\""), 1);
  expect_slowdown(job("topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,1;1,1\""), 2);
}

/* Eight rings across two leaves of eight GPUs: a taper of 2 (4 cables up) and of 4 (2 cables) slow them by just that.
 */
TEST(Contention, TaperSlowsWhatCrossesLeavesByItself)
{
  const auto job = [](const char *tree) { return Job(across_the_middle(8), make_machine(without_latency(16, tree))); };
  expect_slowdown(job("topology=\"FAT_TREE\" topo_parameters=\"2;8,2;1,8;1,1\""), 1);
  expect_slowdown(job("topology=\"FAT_TREE\" topo_parameters=\"2;8,2;1,4;1,1\""), 2);
  expect_slowdown(job("topology=\"FAT_TREE\" topo_parameters=\"2;8,2;1,2;1,1\""), 4);
}

/* Two GPUs of a domain behind one NIC, each in a ring to the next domain. */
TEST(Contention, GpusShareANic)
{
  PlatformSpec spec = without_latency(4, "");
  spec.domain = 2;
  spec.nics = 2;
  expect_slowdown(Job(across_the_middle(2), make_machine(spec)), 1);
  spec.nics = 1;
  expect_slowdown(Job(across_the_middle(2), make_machine(spec)), 2);
}

/* Two leaves of four GPUs with two cables up: static routing takes the cable by the destination modulo 2. Rings 0-4 and
 * 2-6 meet on one cable while the other is idle; 0-4 and 1-5 do not. */
TEST(Contention, PlacementAvoidsACollisionOfStaticRoutes)
{
  const ss_machine machine =
      make_machine(without_latency(8, "topology=\"FAT_TREE\" topo_parameters=\"2;4,2;1,2;1,1\""));
  const int32_t colliding[] = {0, 4, 2, 6}, apart[] = {0, 4, 1, 5}; /* rank = tp + 2 dp */
  expect_slowdown(Job(across_the_middle(2), machine, SS_COST_SC24, {}, colliding), 2);
  expect_slowdown(Job(across_the_middle(2), machine, SS_COST_SC24, {}, apart), 1);
  ss_fabric *fabric = nullptr;
  ASSERT_EQ(ss_fabric_create(&fabric, &machine, nullptr), SS_OK);
  int32_t link[SS_ROUTE_LINKS_MAX], other[SS_ROUTE_LINKS_MAX];
  ASSERT_EQ(ss_fabric_route(fabric, true, 0, 4, link), 4);
  ASSERT_EQ(ss_fabric_route(fabric, true, 2, 6, other), 4);
  EXPECT_EQ(link[1], other[1]);
  EXPECT_EQ(link[2], other[2]);
  ss_fabric_destroy(fabric);
}

/* Two leaves of eight GPUs with eight cables up. By destination each of eight rings across them has a cable to itself;
 * where forwarding tables send all over one switch, all eight share its cables; where they send half, four do, and the
 * slowest ring is what counts. */
TEST(Contention, ForwardingTablesOverOneSwitch)
{
  ss_machine machine = make_machine(without_latency(16, "topology=\"FAT_TREE\" topo_parameters=\"2;8,2;1,8;1,1\""));
  expect_slowdown(Job(across_the_middle(8), machine), 1);
  for (int shared : {8, 4, 2, 1}) {
    Forwarding tables(machine);
    tables.add_ups(machine.shape.as.fat_tree, [&](int64_t, int64_t nic) { return nic % 8 < shared ? 0 : nic % 8; });
    ss_machine forwarding = machine;
    forwarding.forwarding = tables.sorted();
    expect_slowdown(Job(across_the_middle(8), forwarding), shared);
  }
}

/* Two parts of two leaves of four GPUs, with as many cables up as down. By destination each of eight rings across the
 * parts has its cables to itself: the four of a leaf have a switch above each, and the two from both leaves a cable of
 * it each. Where these switches send all through their first cable, two rings share one, where leaves do, four, and all
 * eight where both do. */
TEST(Contention, ForwardingTablesOfThreeLevels)
{
  ss_machine machine =
      make_machine(without_latency(16, "topology=\"FAT_TREE\" topo_parameters=\"3;4,2,2;1,4,4;1,1,1\""));
  expect_slowdown(Job(across_the_middle(8), machine), 1);
  for (const bool leaves : {false, true})
    for (const bool above : {false, true}) {
      Forwarding tables(machine);
      for (int64_t nic = 0; nic < 16; ++nic) {
        for (int64_t leaf = 0; leaves && leaf < 4; ++leaf)
          if (nic / 4 != leaf) tables.add("leaf-" + std::to_string(leaf) + ":0", nic);
        for (int64_t node = 0; above && node < 8; ++node)
          if (nic / 8 != node / 4) tables.add("level2-" + std::to_string(node) + ":0", nic);
      }
      ss_machine forwarding = machine;
      forwarding.forwarding = tables.sorted();
      expect_slowdown(Job(across_the_middle(8), forwarding), (leaves ? 4 : 1) * (above ? 2 : 1));
    }
}

/* Two stages of two replicas, one micro-batch. After its backward pass the last stage sends a message of m bytes to the
 * first and reduces V > m bytes of gradients with its other replica, through the same NIC of B bytes/s: each gets half,
 * and the message takes 2 m / B. Then the first stage runs backward and reduces. It all ends m / B later than on links
 * of their own. */
TEST(Contention, DataParallelAndPipelineShareANic)
{
  ss_workload workload = make_workload();
  workload.model.layers = 2;
  workload.parallelism.pp = 2;
  workload.parallelism.dp = 2;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  workload.schedule.overlap_pp = SS_YES;
  workload.training.global_batch = 2;
  const ss_machine machine = make_machine(without_latency(4, ""));
  const Job job(workload, machine);
  const double bytes_per_s = machine.fabric_bytes_per_s * machine.fabric_efficiency;
  ASSERT_GT(job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE], job->message_bytes[SS_CARGO_STATES]);
  ss_replay_options alone = {};
  alone.private_links = true;
  for (ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) {
    ss_replay_options options = {};
    options.fold = fold;
    const ss_replay_result result = job.replay(options);
    expect_close(result.breakdown.iteration_s,
                 job.replay(alone).breakdown.iteration_s + job->message_bytes[SS_CARGO_STATES] / bytes_per_s, 1e-9);
    /* The first stage waits for its message twice as long as it would alone; what it reduces then is alone. */
    expect_close(result.exposed.shared_s, job->message_bytes[SS_CARGO_STATES] / bytes_per_s, 1e-9);
  }
}

/* Every wait for communication is start-up, own bandwidth or contention. */
TEST(Contention, CausesOfExposedCommunicationAddUp)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.pp = 2;
  workload.parallelism.dp = 2;
  workload.training.global_batch = 8;
  PlatformSpec spec;
  spec.gpus = 8;
  spec.domain = spec.nics = 1;
  spec.topology = "topology=\"FAT_TREE\" topo_parameters=\"2;4,2;1,1;1,1\"";
  for (ss_sharding sharding : all_of<ss_sharding>) {
    workload.parallelism.sharding = sharding;
    const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
    const ss_replay_result result = job.replay();
    const ss_breakdown &parts = result.breakdown;
    expect_close(result.exposed.latency_s + result.exposed.bandwidth_s + result.exposed.shared_s,
                 parts.tp_comm_s + parts.dp_comm_s + parts.pp_comm_s, 1e-9);
    EXPECT_GT(result.exposed.shared_s, 0);
    double path_s = 0;
#define SS_ADD(field, label, help) path_s += result.path.field;
    SS_PATH_LIST(SS_ADD)
#undef SS_ADD
    expect_close(path_s, parts.iteration_s, 1e-9);
  }
}

/* The same where an iteration begins with the first pass of a stage: what it waited for before does not count. */
TEST(Contention, CausesAddUpWhereIterationsRunIntoOneAnother)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = 2;
  workload.parallelism.dp = 2;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  workload.training.global_batch = 8;
  workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_2;
  workload.schedule.overlap_dp = SS_NO; /* the first stage waits for weights before its first pass */
  const ss_replay_result result = Job(workload, make_machine(without_latency(4, ""))).replay();
  EXPECT_GT(result.breakdown.dp_comm_s, 0);
  expect_close(result.exposed.latency_s + result.exposed.bandwidth_s + result.exposed.shared_s,
               result.breakdown.dp_comm_s + result.breakdown.pp_comm_s, 1e-9);
}

/* A port of NVLink at half the speed: all collectives inside the domain wait for it and take twice as long, simulated
 * or not. That of a GPU that has no rank does not matter, and without the port there is no way. */
TEST(Contention, SlowNvlinkPortSlowsItsDomain)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.tp_redo = SS_NO; /* all of them are exposed */
  PlatformSpec spec;
  spec.nvlink_latency_s = 0;
  ss_machine machine = make_machine(spec);
  for (ss_flow_mode flows : {SS_FLOWS_SHARED, SS_FLOWS_ALL})
    for (ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) {
      const auto tensor_s = [&](const char *slow) {
        std::snprintf(machine.link_speed, sizeof machine.link_speed, "%s", slow);
        ss_replay_options options = {};
        options.flows = flows;
        options.fold = fold;
        return Job(workload, machine).replay(options).breakdown.tp_comm_s;
      };
      const double nominal_s = tensor_s("");
      EXPECT_GT(nominal_s, 0);
      expect_close(tensor_s("gpu-1:out:0.5"), 2 * nominal_s, 1e-9);
      expect_close(tensor_s("gpu-2:out:0.5"), nominal_s, 1e-9);
    }
  std::snprintf(machine.link_speed, sizeof machine.link_speed, "gpu-1:in:0");
  const Job job(workload, machine);
  const ss_replay_options options = {};
  ss_replay_result result = {};
  ss_error error = {};
  EXPECT_EQ(ss_replay(job.get(), &options, &result, &error), SS_ERROR_INPUT);
  EXPECT_NE(std::string(error.message).find("no path from gpu-0 to gpu-1"), std::string::npos) << error.message;
}

/* Two rings share cables, and the NIC of one is slow, so that the iteration is 1e7 times and more what was expected: a
 * tie, which is a share of that, is then less than the spacing of doubles. The replay ends, and takes ten times as long
 * with a tenth of the speed, but for what is left of compute. */
TEST(Contention, VerySlowLinksEnd)
{
  ss_machine machine = make_machine(without_latency(8, "topology=\"FAT_TREE\" topo_parameters=\"2;4,2;1,2;1,1\""));
  const int32_t colliding[] = {0, 4, 2, 6}; /* rank = tp + 2 dp */
  const auto iteration_s = [&](const char *slow, ss_fold fold) {
    std::snprintf(machine.link_speed, sizeof machine.link_speed, "%s", slow);
    ss_replay_options options = {};
    options.fold = fold;
    return Job(across_the_middle(2), machine, SS_COST_SC24, {}, colliding).replay(options).breakdown.iteration_s;
  };
  for (ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) {
    const double slow_s = iteration_s("nic-0:1e-8", fold);
    EXPECT_GT(slow_s, 1e7 * iteration_s("", fold));
    expect_close(iteration_s("nic-0:1e-9", fold), 10 * slow_s, 1e-6);
  }
}

/* What a link carried is what the flows that cross it are. */
TEST(Contention, LinksCarryWhatCrossesThem)
{
  const Job job(across_the_middle(8),
                make_machine(without_latency(16, "topology=\"FAT_TREE\" topo_parameters=\"2;8,2;1,2;1,1\"")));
  for (ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) {
    ss_replay_options options = {};
    options.fold = fold;
    const ss_replay_result result = job.replay(options);
    /* 2 leaves, 2 cables up and 2 down each; 8 rings of 2 edges cross in each of the two directions; the rings of data
     * parallelism stay below their leaf. */
    const ss_busy_link *up = find_link(result.links, ":up-");
    ASSERT_NE(up, nullptr);
    EXPECT_EQ(up->alike, 4) << up->name;
    const double layer_bytes = job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
    const double data_bytes = 16 * 2 * 7.0 / 8 * 8 * layer_bytes; /* GPUs, both halves of all-reduce, (n-1)/n, layers */
    expect_close(up->bytes * 4, result.fabric_bytes - data_bytes, 1e-9);
    const ss_busy_link *nic = find_link(result.links, "nic-");
    ASSERT_NE(nic, nullptr);
    EXPECT_EQ(nic->alike, 16);
    expect_close(nic->bytes * 16, result.fabric_bytes, 1e-9);
  }
}
