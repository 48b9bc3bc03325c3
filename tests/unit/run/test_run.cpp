/* Runs in closed form against numbers derived by hand. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/fabric/parts.h"
#include "model/kernel/kernel.h"
#include "model/run/bill.h"
#include "model/run/measures.h"
#include "model/run/power.h"
#include "model/run/price.h"
#include "model/run/spares.h"
#include "model/run/stalls.h"
#include "model/run/whole_run.h"
#include "model/search/plan_sizes.h"
}

using namespace stepsim;

static const double kYear = 365.25 * 86400.0;

/* Without failures: 10 s of work in pieces of 3 are 4, each with a pause of 1 s, and the last one is written in 2 s. */
TEST(Renewal, WithoutFailuresIsASum)
{
  EXPECT_DOUBLE_EQ(ss_renewal_s(10, {3, 1, 2}, {0, 5, false, 0, 0}), 10 + 4 * 1 + 2);
  EXPECT_DOUBLE_EQ(ss_renewal_s(9, {3, 1, 0}, {0, 5, false, 0, 0}), 9 + 3);
}

/* One piece of length L with M = 100: (M + R) (exp(L / M) - 1) with quiet recoveries, M exp(R / M) (exp(L / M) - 1)
 * without; four equal pieces without a write take four times as long. */
TEST(Renewal, IsDalys)
{
  const double m = 100, r = 7, length = 10 + 2;
  EXPECT_NEAR(ss_renewal_s(10, {10, 2, 0}, {1 / m, r, true, 0, 0}), (m + r) * std::expm1(length / m), 1e-12);
  EXPECT_NEAR(ss_renewal_s(10, {10, 2, 0}, {1 / m, r, false, 0, 0}), m * std::exp(r / m) * std::expm1(length / m),
              1e-12);
  EXPECT_NEAR(ss_renewal_s(40, {10, 2, 0}, {1 / m, r, true, 0, 0}), 4 * (m + r) * std::expm1(length / m), 1e-11);
}

/* A third of interruptions takes 5, the others 20. With quiet recoveries that is 15 in the mean; else the mean time
 * from an interruption to the end of the recovery is M (1 / s - 1) with s = exp(-5 / M) / 3 + 2 exp(-20 / M) / 3. */
TEST(Renewal, RecoveriesDiffer)
{
  const double m = 100, length = 12, s = std::exp(-0.05) / 3 + 2 * std::exp(-0.2) / 3;
  const ss_breakage quiet = {1 / m, 20, true, 1.0 / 3, 5}, other = {1 / m, 20, false, 1.0 / 3, 5};
  EXPECT_NEAR(ss_renewal_s(10, {10, 2, 0}, quiet), (m + 15) * std::expm1(length / m), 1e-12);
  EXPECT_NEAR(ss_renewal_s(10, {10, 2, 0}, other), m / s * std::expm1(length / m), 1e-12);
  EXPECT_NEAR(ss_breakage_recovery_s(quiet), 15, 1e-12);
  EXPECT_NEAR(ss_renewal_recovery_s(1000, other), 1000 * (1 - s), 1e-9);
}

/* With a write W beside the work: a piece behind the first takes (M + R) exp((P + W) / M) (1 - exp(-P / M)). */
TEST(Renewal, WritesBesideTheWork)
{
  const double m = 100, r = 7, piece = 12, write = 5;
  const double first = (m + r) * std::expm1((piece + write) / m);
  const double other = (m + r) * std::exp((piece + write) / m) * -std::expm1(-piece / m);
  EXPECT_NEAR(ss_renewal_s(10, {10, 2, write}, {1 / m, r, true, 0, 0}), first, 1e-12);
  EXPECT_NEAR(ss_renewal_s(30, {10, 2, write}, {1 / m, r, true, 0, 0}), first + 2 * other, 1e-11);
}

/* The best interval is where neither a longer nor a shorter one is better, and what Young and Daly approximate: with
 * pause = M / 5000, by pause / 3 (Daly's next term) and by far less. */
TEST(Renewal, BestIntervalIsTheLeast)
{
  const double m = 1e5, pause = 20, rate = 1 / m, best = ss_interval_best_s(pause, rate, 0);
  const double work = 1e4 * best;
  const auto time = [&](double interval) { return ss_renewal_s(work, {interval, pause, 3}, {rate, 50, false, 0, 0}); };
  EXPECT_LT(time(best), time(best * 1.01));
  EXPECT_LT(time(best), time(best * 0.99));
  EXPECT_NEAR(ss_interval_young_s(pause, rate), 2000, 1e-9);
  EXPECT_NEAR(best, 2000 - 2.0 / 3.0 * pause, 0.1);
  EXPECT_NEAR(ss_interval_daly_s(pause, rate), best, 0.1);
  EXPECT_EQ(ss_interval_best_s(pause, rate, 1e4), 1e4);
  EXPECT_TRUE(std::isinf(ss_interval_best_s(pause, 0, 0)));
  EXPECT_DOUBLE_EQ(ss_interval_daly_s(2 * m, rate), m);
}

/* Erlang's loss formula: B(1, a) = a / (1 + a), B(2, 1) = (1/2) / (1 + 1 + 1/2) = 0.2, B(3, 1) = (1/6) / (8/3) =
 * 0.0625. */
TEST(Spares, WaitAsErlangSays)
{
  EXPECT_DOUBLE_EQ(ss_spares_waiting(0, 0.5), 0.5 / 1.5);
  EXPECT_DOUBLE_EQ(ss_spares_waiting(1, 1), 0.2);
  EXPECT_DOUBLE_EQ(ss_spares_waiting(2, 1), 0.0625);
  EXPECT_EQ(ss_spares_for(1, 0.2), 1);
  EXPECT_EQ(ss_spares_for(1, 0.19), 2);
  EXPECT_EQ(ss_spares_for(0, 0.001), 0);
}

/* Nobody is away: without spares every loss is felt, with one none is. Without a limit that matters the number away is
 * a Poisson one; of 400 all that 10 spares do not make up for, and a half on top for the rounding up of pairs. With one
 * away in the mean and two at most, 0, 1 and 2 are as 1 : 1 : 1/2, so that 1 - 2/5 + 2 1/5 of nodes are lacking, and
 * losses from 0 and from 1 are felt, but not that from 2, after which the job waits. With very many the most are away.
 */
TEST(Spares, LackingReplicas)
{
  EXPECT_DOUBLE_EQ(ss_spares_shrunken(0, 9, 0, 4).losses, 1);
  EXPECT_DOUBLE_EQ(ss_spares_shrunken(1, 9, 0, 4).losses, 0);
  EXPECT_NEAR(ss_spares_shrunken(0, 99, 0.5, 1).replicas, 0.5, 1e-12);
  EXPECT_NEAR(ss_spares_shrunken(0, 2, 1, 1).replicas, 2 / 5.0 + 2 / 5.0, 1e-12);
  EXPECT_NEAR(ss_spares_shrunken(0, 2, 1, 1).losses, 4 / 5.0, 1e-12);
  EXPECT_EQ(ss_spares_replicas(0, 2), 0);
  EXPECT_EQ(ss_spares_replicas(3, 2), 2);
  EXPECT_EQ(ss_spares_replicas(1, 0.5), 2);
  EXPECT_EQ(ss_spares_all_but_one(1, 8), 0);
  EXPECT_EQ(ss_spares_all_but_one(64, 0.125), 7);
  EXPECT_EQ(ss_spares_all_but_one(4, 8.0 / 3), 8);
  EXPECT_EQ(ss_spares_replicas(8, 8.0 / 3), 3);
  EXPECT_NEAR(ss_spares_shrunken(10, 1000, 1e9, 2).replicas, 495, 1e-5);
  EXPECT_NEAR(ss_spares_shrunken(10, 2000, 400, 2).replicas, (390 + 0.5) / 2, 0.01);
}

/* Ein(n), the integral of (1 - exp(-u)) / u up to n: by its series n - n^2/4 + n^3/18 - n^4/96 for a few, for many
 * ln n + 0.577216; the two ways in which it is worked out meet. */
TEST(Stalls, LongestOfMany)
{
  EXPECT_EQ(ss_stalls_longest_s(0, 3), 0);
  EXPECT_NEAR(ss_stalls_longest_s(0.1, 3), 3 * (0.1 - 0.01 / 4 + 0.001 / 18 - 0.0001 / 96), 1e-7);
  EXPECT_NEAR(ss_stalls_longest_s(1e4, 3), 3 * (std::log(1e4) + 0.5772156649), 1e-9);
  EXPECT_NEAR(ss_stalls_longest_s(5 - 1e-12, 1), ss_stalls_longest_s(5, 1), 1e-11);
  double sum = 0; /* the integral by midpoints */
  for (int i = 0; i < 70000; ++i) sum += -std::expm1(-(i + 0.5) * 1e-4) / ((i + 0.5) * 1e-4) * 1e-4;
  EXPECT_NEAR(ss_stalls_longest_s(7, 1), sum, 1e-8);
}

/* "16 of NICs, 8 above level 1" of cables, and "8 of NICs" of the switches that they lead to. */
static std::string levels(const ss_fabric_parts &parts, int64_t ss_fabric_level::*count)
{
  std::string text;
  for (int i = 0; i < parts.levels; ++i)
    if (parts.level[i].*count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(parts.level[i].*count) + " " + parts.level[i].place;
  return text;
}

static std::string cables(const ss_fabric_parts &parts)
{
  return levels(parts, &ss_fabric_level::cables);
}

/* 64 hosts in a fat tree of 2 levels, 8 of each leaf, 4 cables up from each. */
static PlatformSpec fat_tree()
{
  PlatformSpec spec;
  spec.gpus = 64;
  spec.domain = spec.nics = 8;
  spec.topology = R"(topology="FAT_TREE" topo_parameters="2;8,8;1,4;1,1")";
  return spec;
}

/* 64 hosts in a fat tree of 2 levels, 8 hosts on a leaf, 8 leaves, 4 cables up each to 4 switches above: 64 + 32
 * cables; 8 leaves of 12 ports, and 4 switches of 8, of which two share one of 16 ports. */
TEST(FabricParts, AreCounted)
{
  PlatformSpec spec = fat_tree();
  ss_machine machine = make_machine(spec);
  machine.switch_ports = 16;
  ss_fabric_parts parts = ss_fabric_parts_of(&machine);
  EXPECT_EQ(parts.nics, 64);
  EXPECT_EQ(parts.cables, 64 + 32);
  EXPECT_EQ(parts.switches, 8 + 2);
  EXPECT_EQ(cables(parts), "64 of NICs, 32 above level 1");
  EXPECT_EQ(levels(parts, &ss_fabric_level::switches), "8 of NICs, 2 above level 1");
  EXPECT_EQ(parts.nic_cables, 64);
  machine.switch_ports = 12;
  EXPECT_EQ(ss_fabric_parts_of(&machine).switches, 8 + 4);
  /* Tapered: 2 cables up from each leaf; of 64 ports a switch has six leaves of 10, and both of 8 above. */
  spec.topology = R"(topology="FAT_TREE" topo_parameters="2;8,8;1,2;1,1")";
  parts = ss_fabric_parts_of((machine = make_machine(spec), &machine));
  EXPECT_EQ(parts.cables, 64 + 16);
  EXPECT_EQ(cables(parts), "64 of NICs, 16 above level 1");
  EXPECT_EQ(parts.switches, 2 + 1);
  spec.topology = R"(topology="TORUS" topo_parameters="4,4,4")";
  parts = ss_fabric_parts_of((machine = make_machine(spec), &machine));
  EXPECT_EQ(parts.cables, 3 * 64);
  EXPECT_EQ(cables(parts), "192 between NICs");
  EXPECT_EQ(parts.nic_cables, 0);
  EXPECT_EQ(parts.switches, 0);
  spec.topology = R"(topology="HYPERX" topo_parameters="4,4;2;4")";
  parts = ss_fabric_parts_of((machine = make_machine(spec), &machine));
  EXPECT_EQ(parts.switches, 16);
  EXPECT_EQ(parts.cables, 64 + 2 * (4 * 6 + 4 * 6));
  EXPECT_EQ(cables(parts), "64 of NICs, 48 in rows, 48 in columns");
  spec.topology = R"(topology="DRAGONFLY" topo_parameters="4,3;2,2;2,1;4")";
  parts = ss_fabric_parts_of((machine = make_machine(spec), &machine));
  EXPECT_EQ(parts.switches, 16);
  EXPECT_EQ(parts.cables, 64 + 8 * 1 + 8 * 2 + 6 * 3);
  EXPECT_EQ(cables(parts), "64 of NICs, 8 in chassis, 16 between chassis, 18 between groups");
  spec.topology = "";
  parts = ss_fabric_parts_of((machine = make_machine(spec), &machine));
  EXPECT_EQ(parts.cables, 64);
  EXPECT_EQ(parts.switches, 0);
}

/* The fat tree above: cables of NICs are copper of 100 and 0 W, the 32 others optics of 1000 and 20 W; 10 switches of
 * 20,000 and 800 W, NICs of 1500 and 25 W. A GPU has 1500 for its NIC, 10 x 20,000 / 64 = 3125 for switches, and
 * 100 + 32 x 1000 / 64 = 600 for cables; 25 + 10 x 800 / 64 + 32 x 20 / 64 = 160 W. With one price and power of all
 * cables, 1500 and 1.5 x 20 = 30 W are those of cables. */
TEST(FabricParts, HavePricesAndPower)
{
  ss_machine machine = make_machine(fat_tree());
  machine.switch_ports = 16;
  machine.nic_dollars = 1500;
  machine.switch_dollars = 20000;
  machine.cable_dollars = 1000;
  machine.nic_cable_price = 0.1;
  machine.nic_power_w = 25;
  machine.switch_power_w = 800;
  machine.cable_power_w = 20;
  machine.nic_cable_power = 0;
  const ss_prices prices = ss_prices_of(&machine);
  EXPECT_DOUBLE_EQ(prices.nic_dollars, 1500);
  EXPECT_DOUBLE_EQ(prices.switch_dollars, 3125);
  EXPECT_DOUBLE_EQ(prices.cable_dollars, 600);
  EXPECT_DOUBLE_EQ(ss_power_of(&machine).around_w, 160);
  machine.nic_cable_price = machine.nic_cable_power = 1;
  EXPECT_DOUBLE_EQ(ss_prices_of(&machine).cable_dollars, 1500);
  EXPECT_DOUBLE_EQ(ss_power_of(&machine).around_w, 160 + 20);
}

/* 16 GPUs in 4 domains of 4, which are nodes; 4 NICs each; rates 1, 2, 3 a year of GPUs, NICs and nodes, none of
 * switches, of which a flat fabric has none, 0.5 of software: 16 + 32 + 12 + 8 = 68 a year, 60 of which take a node. */
TEST(Failures, AreAddedUp)
{
  ss_machine machine = make_machine({});
  machine.gpu_failures = 1;
  machine.nic_failures = 2;
  machine.node_failures = 3;
  ss_workload workload = make_workload();
  workload.parallelism.dp = 16;
  workload.run.software_failures = 0.5;
  const ss_failures failures = ss_failures_of(&workload, &machine);
  EXPECT_NEAR(ss_failures_rate_per_s(&failures) * kYear, 68, 1e-9);
  EXPECT_NEAR(ss_failures_lasting(&failures), 60.0 / 68.0, 1e-12);
}

/* A checkpoint has every parameter once, with 2 bytes of weights and 12 of Adam: whatever is sharded, and however many
 * replicas, stages and tensor ranks there are. */
TEST(Checkpoint, HasEverythingOnce)
{
  const ss_machine machine = make_machine({});
  double bytes = 0;
  for (const auto &sizes : std::vector<std::array<int, 3>>{{1, 1, 16}, {4, 1, 4}, {2, 2, 4}, {1, 4, 4}})
    for (const ss_sharding sharding : {SS_SHARDING_NONE, SS_SHARDING_OPTIMIZER, SS_SHARDING_PARAMETERS}) {
      ss_workload workload = make_workload();
      workload.training.global_batch = 16;
      workload.parallelism.tp = sizes[0];
      workload.parallelism.pp = sizes[1];
      workload.parallelism.dp = sizes[2];
      workload.parallelism.sharding = sharding;
      const Job job(workload, machine);
      const double now = ss_checkpoint_bytes(job.get());
      if (bytes == 0) bytes = now;
      EXPECT_NEAR(now, bytes, 1e-9 * bytes) << sizes[0] << sizes[1] << sizes[2] << sharding;
    }
  double parameters = 0;
  ss_workload whole = make_workload();
  whole.training.global_batch = whole.parallelism.dp = 16;
  const Job job(whole, machine);
  for (int i = 0; i < SS_WEIGHTS; ++i) parameters += ss_job_stage_parameters(job.get(), 0, (ss_weights)i);
  EXPECT_NEAR(bytes, 14 * parameters, 1e-9 * bytes);
}

/* 700 W computing, 100 W idle: moving at 0.5 of the way 400 W, waiting at 0.2 220 W. A node of 8 has 800 W: 100 W a
 * GPU. Parts of 1 s each: compute, memory, optimizer and other at 700 W, five of communication and offload at 400 W,
 * bubble and host at 220 W: 4 x 700 + 6 x 400 + 2 x 220 = 5640 J; with 12 s x 100 W and a PUE of 1.5 10,260 J. */
TEST(Power, IsPowerTimesTime)
{
  ss_machine machine = make_machine({});
  machine.gpu_power_w = 700;
  machine.gpu_idle_w = 100;
  machine.node_power_w = 800;
  machine.node_gpus = 8;
  machine.pue = 1.5;
  const ss_power power = ss_power_of(&machine);
  ss_breakdown iteration = {};
#define PART_IS_ONE(field, label, help) iteration.field = 1.0;
  SS_PART_LIST(PART_IS_ONE)
#undef PART_IS_ONE
  iteration.iteration_s = SS_PART_COUNT;
  ASSERT_EQ(SS_PART_COUNT, 12);
  EXPECT_DOUBLE_EQ(ss_power_gpu_j(&power, &iteration), 5640);
  EXPECT_DOUBLE_EQ(ss_power_iteration_j(&power, &iteration), 1.5 * (5640 + 1200));
  EXPECT_DOUBLE_EQ(ss_power_idle_w(&power), 300);
}

/* A GPU of 700 W has 600 W above the 100 W of idle. 0.729 of these, 437.4 W, are 0.9 of the clock by its third power;
 * at 292 W, 0.32 of these are half of the clock, as voltage stays what it is at 0.8: 0.32 / 0.8^2, so that a product
 * takes twice as long. Measured points come first. */
TEST(Power, LimitLowersTheClock)
{
  ss_machine machine = make_machine({});
  machine.gpu_power_w = 700;
  machine.gpu_idle_w = 100;
  ss_kernel kernel = {};
  kernel.engine = SS_ENGINE_MATRIX;
  kernel.flop = 1e15;
  const double full_s = ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel).compute_s;
  machine.gpu_limit_w = 800;
  EXPECT_EQ(ss_machine_clock(&machine), 1.0);
  EXPECT_EQ(ss_power_of(&machine).gpu_w[SS_DRAWS_COMPUTING], 700);
  machine.gpu_limit_w = 100 + 437.4;
  EXPECT_DOUBLE_EQ(ss_machine_clock(&machine), 0.9);
  machine.gpu_limit_w = 292;
  EXPECT_DOUBLE_EQ(ss_machine_clock(&machine), 0.5);
  EXPECT_DOUBLE_EQ(ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel).compute_s, 2 * full_s);
  EXPECT_EQ(ss_power_of(&machine).gpu_w[SS_DRAWS_COMPUTING], 292);
  machine.power_clock.count = 1;
  machine.power_clock.value[0] = 0.6;
  EXPECT_DOUBLE_EQ(ss_machine_clock(&machine), 0.6);
}

/* What GPUs were measured to draw, and how fast work was, each with the idle power that its platform has (V100: 40 W,
 * as drawn at a batch of 8, where it hardly works): GPT-3 175B, forward and backward of a stage on A100 at clocks of
 * 1395 to 855 MHz against 1410, of which every third is here (ml-energy/zeus@38cb3f9,
 * sosp24_data/emulation/stage_profile), BERT on V100 at limits of 225 to 100 W against 250 (@2dd4859,
 * tests/profile_data), and ResNet-50 with batches of 360 (@43297f6, summary_power_v100.csv). The law is within 5 %, but
 * for BERT at 225 and 175 W, where work was slower than at 200 and 150 W. The third power alone is up to 36 % too fast.
 */
TEST(Power, ClockIsAsMeasured)
{
  static const struct {
    double full_w, idle_w, drawn_w, speed, within;
  } measured[] = {
      {477.9, 55, 476.4, 0.9988, 0.05}, {477.9, 55, 455.8, 0.9898, 0.05}, {477.9, 55, 428.4, 0.9672, 0.05},
      {477.9, 55, 387.3, 0.9393, 0.05}, {477.9, 55, 355.1, 0.9102, 0.05}, {477.9, 55, 347.2, 0.9000, 0.05},
      {477.9, 55, 327.9, 0.8797, 0.05}, {477.9, 55, 307.5, 0.8497, 0.05}, {477.9, 55, 299.9, 0.8395, 0.05},
      {477.9, 55, 284.7, 0.8172, 0.05}, {477.9, 55, 276.4, 0.7859, 0.05}, {477.9, 55, 271.6, 0.7637, 0.05},
      {477.9, 55, 261.6, 0.7324, 0.05}, {477.9, 55, 249.8, 0.7008, 0.05}, {477.9, 55, 237.7, 0.6556, 0.05},
      {225.9, 40, 211.2, 0.9163, 0.07}, {225.9, 40, 188.8, 0.9297, 0.05}, {225.9, 40, 168.1, 0.7796, 0.14},
      {225.9, 40, 148.0, 0.8242, 0.05}, {225.9, 40, 123.7, 0.6889, 0.05}, {225.9, 40, 98.8, 0.5011, 0.05},
      {217.5, 40, 202.8, 0.9824, 0.05}, {217.5, 40, 181.5, 0.9498, 0.05}, {217.5, 40, 165.2, 0.9138, 0.05},
      {217.5, 40, 143.8, 0.8420, 0.05}, {217.5, 40, 119.8, 0.6840, 0.05}, {217.5, 40, 98.7, 0.5158, 0.05},
  };
  ss_machine machine = make_machine({});
  for (const auto &row : measured) {
    machine.gpu_power_w = row.full_w;
    machine.gpu_idle_w = row.idle_w;
    machine.gpu_limit_w = row.drawn_w;
    EXPECT_NEAR(ss_machine_clock(&machine) / row.speed, 1, row.within) << row.drawn_w << " W of " << row.full_w;
  }
}

/* Energy of a run is that of its parts: 100 s of work, lost and slowed work at an iteration's mean, pauses and stalls
 * at that of waiting, recoveries and waiting for a node idle; spares are idle all the time. What a machine says nothing
 * of is unknown. */
TEST(Bill, AddsUp)
{
  ss_machine machine = make_machine({});
  machine.gpu_power_w = 500;
  machine.gpu_idle_w = 100;
  machine.pue = 2;
  machine.carbon_kg_per_kwh = 0.5;
  machine.energy_dollars_per_kwh = 0.1;
  machine.gpu_price.count = 1;
  machine.gpu_price.value[0] = 30000;
  machine.switch_dollars = 1e6; /* a flat fabric has none */
  machine.cable_dollars = 100;
  machine.lifetime_years = 1;
  ss_breakdown iteration = {};
  iteration.compute_s = iteration.tp_comm_s = 1; /* 500 and 300 W */
  iteration.iteration_s = 2;
  const ss_whole_run_time time = {80, 1, 10, 4, 10, 3, 2, 110, 1};
  const ss_bill_question question = {&machine, 8, 2, &iteration, &time};
  const ss_bill bill = ss_bill_of(&question);
  EXPECT_DOUBLE_EQ(bill.gpu_j, 8 * (100 * 400.0 + 5 * 180.0 + 5 * 100.0));
  EXPECT_DOUBLE_EQ(bill.energy_j, 2 * (8 * (100 * 400.0 + 5 * 180.0 + 5 * 100.0) + 2 * 110 * 100.0));
  EXPECT_DOUBLE_EQ(bill.carbon_kg, bill.energy_j / 3.6e6 * 0.5);
  EXPECT_DOUBLE_EQ(bill.gpu_s, 1100);
  EXPECT_DOUBLE_EQ(bill.machine_dollars, 1100 * 30100 / kYear);
  EXPECT_DOUBLE_EQ(bill.energy_dollars, bill.energy_j / 3.6e6 * 0.1);
  machine.gpu_hour_dollars = 3.6;
  const ss_bill rented = ss_bill_of(&question);
  EXPECT_DOUBLE_EQ(rented.machine_dollars, 1.1);
  EXPECT_EQ(rented.energy_dollars, 0);
  const ss_machine silent = make_machine({});
  EXPECT_FALSE(ss_bill_known_of(&silent).energy || ss_bill_known_of(&silent).carbon ||
               ss_bill_known_of(&silent).dollars);
  EXPECT_TRUE(ss_bill_known_of(&machine).energy && ss_bill_known_of(&machine).carbon &&
              ss_bill_known_of(&machine).dollars);
}

/* Every measure has a word of its own; one that is taken already changes nothing. */
TEST(Measures, ChangeSomethingOnce)
{
  for (int i = 0; i < SS_MEASURES; ++i) {
    const ss_measure measure = static_cast<ss_measure>(i);
    ss_machine machine = make_machine({});
    ss_workload workload = make_workload();
    workload.parallelism.dp = 2;
    for (int j = 0; j < i; ++j) EXPECT_STRNE(ss_measure_key(measure), ss_measure_key(static_cast<ss_measure>(j)));
    (void)ss_measure_take(measure, &workload, &machine);
    if (measure == SS_MEASURE_HALF_FAILURES || measure == SS_MEASURE_FAST_RECOVERY) continue;
    EXPECT_FALSE(ss_measure_take(measure, &workload, &machine)) << ss_measure_key(measure);
  }
  ss_machine machine = make_machine({});
  ss_workload single = make_workload(); /* a replica: there are no fewer to go on with */
  single.parallelism.dp = 1;
  EXPECT_FALSE(ss_measure_take(SS_MEASURE_SHRINK, &single, &machine));
}

/* Three runs: 100 s for 5 USD, 50 s for 8 and 60 s for 7, of 2, 1 and 3 GPU-seconds and 30, 20 and 10 J; the second
 * costs more than 7.5, and a fourth cannot be. */
TEST(PlanSizes, BestWithinTheBudget)
{
  const double seconds[] = {100, 50, 60, 1}, dollars[] = {5, 8, 7, 1}, gpu[] = {2, 1, 3, 0}, joules[] = {30, 20, 10, 0};
  ss_plan_size size[4] = {};
  for (int i = 0; i < 4; ++i) {
    size[i].mean.total_s = seconds[i];
    size[i].bill.machine_dollars = dollars[i] - 1;
    size[i].bill.energy_dollars = 1;
    size[i].bill.gpu_s = gpu[i];
    size[i].bill.energy_j = joules[i];
  }
  size[3].refusal[0] = 'x';
  const auto best = [&](ss_objective objective, double budget) {
    const ss_plan_sizes sizes = {size, 4, objective, budget};
    return ss_plan_sizes_best(&sizes);
  };
  EXPECT_EQ(best(SS_OBJECTIVE_TIME, 0), 1);
  EXPECT_EQ(best(SS_OBJECTIVE_TIME, 7.5), 2);
  EXPECT_EQ(best(SS_OBJECTIVE_TIME, 7), 2);
  EXPECT_EQ(best(SS_OBJECTIVE_TIME, 6), 0);
  EXPECT_EQ(best(SS_OBJECTIVE_TIME, 4), -1);
  EXPECT_EQ(best(SS_OBJECTIVE_COST, 0), 0);
  EXPECT_EQ(best(SS_OBJECTIVE_ENERGY, 0), 2);
  EXPECT_EQ(best(SS_OBJECTIVE_GPU_HOURS, 7.5), 0);
}
