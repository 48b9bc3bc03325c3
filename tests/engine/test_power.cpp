/* Power over a replay: by hand, against where the time went, and against SimGrid's plugins for the energy of hosts and
 * links, which play the same stages with hosts of their own. */
#include "tests/support/fixtures.hpp"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/plugins/energy.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

extern "C" {
#include "model/run/power_curve.h"
}

using namespace stepsim;

namespace
{

/* 700 W computing, 100 W idle, so 400 W moving data and 220 W waiting, and a NIC of 25 W each; no PUE. */
ss_machine powered(ss_machine machine)
{
  machine.gpu_power_w = 700;
  machine.gpu_idle_w = 100;
  machine.nic_power_w = 25;
  machine.pue = 1;
  return machine;
}

/* A replay and what it draws, released with the object. */
struct Drawn {
  Drawn(const Job &job, double spares = 0)
  {
    ss_replay_options options = {};
    options.fold = SS_FOLD_NONE;
    options.history = &history;
    ss_error error = {};
    const ss_machine &machine = *job.get()->machine;
    EXPECT_EQ(ss_replay(job.get(), &options, &result, &error), SS_OK) << error.message;
    power = ss_power_of(&machine);
    gpus = static_cast<double>(ss_workload_gpus(job.get()->workload));
    const ss_power_curve_question question = {&history, job.get()->stages, &result.breakdown, gpus, spares, &power};
    EXPECT_EQ(ss_power_curve_of(&question, &curve, &error), SS_OK) << error.message;
  }
  Drawn(const Drawn &) = delete;
  Drawn &operator=(const Drawn &) = delete;
  ~Drawn()
  {
    ss_history_free(&history);
    ss_power_curve_free(&curve);
  }
  double joules() const
  {
    return curve.mean_w * curve.end_s;
  }
  ss_history history = {};
  ss_replay_result result = {};
  ss_power power = {};
  double gpus = 0;
  ss_power_curve curve = {};
};

ss_workload stages_of(int64_t stages, int64_t replicas)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = stages;
  workload.parallelism.dp = replicas;
  workload.training.global_batch = 8 * replicas;
  return workload;
}

/* What a stage does until when, in seconds from the begin of the step. */
struct Stretch {
  enum { WAITS, MOVES, COMPUTES, PASSES } what;
  double until_s;
};

/* The stretches of a stage: waits inside what they interrupt, the optimizer over passes. */
std::vector<Stretch> stretches_of(const ss_history &history, int32_t stage)
{
  std::map<double, int> edges = {{0.0, 0}, {history.end_s, 0}};
  struct Piece {
    double start_s, end_s;
    int rank;
    decltype(Stretch::what) what;
  };
  std::vector<Piece> pieces;
  for (int64_t i = 0; i < history.wait_count; ++i) {
    const ss_history_wait &wait = history.wait[i];
    const bool moves = wait.activity == SS_WAIT_DATA || wait.activity == SS_WAIT_OFFLOAD;
    if (wait.stage == stage)
      pieces.push_back({wait.start_s, wait.end_s, moves ? 0 : 1, moves ? Stretch::MOVES : Stretch::WAITS});
  }
  for (int64_t i = 0; i < history.pass_count; ++i) {
    const ss_history_pass &pass = history.pass[i];
    const bool steps = pass.activity == SS_OP_OPTIMIZER;
    if (pass.stage == stage)
      pieces.push_back({pass.start_s, pass.end_s, steps ? 2 : 3, steps ? Stretch::COMPUTES : Stretch::PASSES});
  }
  for (const Piece &piece : pieces) edges[piece.start_s] = edges[piece.end_s] = 0;
  std::vector<Stretch> stretches;
  double from_s = 0;
  for (const auto &[time_s, nothing] : edges) {
    if (time_s <= from_s || time_s > history.end_s) continue;
    Stretch stretch = {Stretch::WAITS, time_s};
    int rank = 4;
    for (const Piece &piece : pieces)
      if (piece.start_s <= from_s && piece.end_s >= time_s && piece.rank < rank) {
        stretch.what = piece.what;
        rank = piece.rank;
      }
    stretches.push_back(stretch);
    from_s = time_s;
  }
  return stretches;
}

/* What an actor of SimGrid does: it computes at full load, moves data in a state of its host in which that always draws
 * the same, and else sleeps. Part of a pass is computing. */
struct Role {
  std::vector<Stretch> stretches;
  double computes;
};

const std::vector<Role> *all_roles; /* in the child that simulates */

void play(int count, char *arguments[])
{
  const Role &role = all_roles->at(std::stoul(arguments[count - 1]));
  sg_host_t host = sg_actor_get_host(sg_actor_self());
  double now_s = 0;
  for (const Stretch &stretch : role.stretches) {
    const double length_s = stretch.until_s - now_s;
    const double share = stretch.what == Stretch::PASSES ? role.computes : stretch.what == Stretch::COMPUTES ? 1 : 0;
    const bool moves = stretch.what == Stretch::MOVES || stretch.what == Stretch::PASSES;
    sg_host_set_pstate(host, 0);
    if (share > 0) sg_actor_execute(share * length_s * 1e12);
    if (moves) sg_host_set_pstate(host, 1);
    if (share < 1) sg_actor_sleep_for((1 - share) * length_s);
    now_s = stretch.until_s;
  }
}

/* A host and a link for each GPU: SimGrid's joules of all of them, in a child, since it allows one simulation. */
double joules_of_simgrid(const Drawn &drawn, int64_t stages)
{
  const int gpus = static_cast<int>(drawn.gpus);
  const std::string path = common_scratch().path("energy.xml");
  std::ofstream platform(path);
  platform << "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform "
              "version=\"4.1\"><zone id=\"z\" routing=\"Full\">";
  for (int i = 0; i < gpus; ++i)
    platform << "<host id=\"gpu-" << i << "\" speed=\"1Tf,1Tf\"><prop id=\"wattage_per_state\" "
             << "value=\"220:700:700,400:400:400\"/></host>";
  for (int i = 0; i < gpus; ++i)
    platform << "<link id=\"nic-" << i
             << "\" bandwidth=\"1GBps\" latency=\"1us\"><prop id=\"wattage_range\" value=\"25:25\"/></link>";
  platform << "</zone></platform>";
  platform.close();
  const ss_breakdown &b = drawn.result.breakdown;
  const double kernels_s = b.compute_s + b.memory_s + b.other_s;
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    char name[] = "test", quiet[] = "--log=root.threshold:error", exact[] = "--cfg=surf/precision:1e-12",
         *arguments[] = {name, quiet, exact, nullptr};
    int count = 3;
    simgrid_init(&count, arguments);
    sg_host_energy_plugin_init();
    sg_link_energy_plugin_init();
    simgrid_load_platform(path.c_str());
    std::vector<Role> roles;
    for (int64_t stage = 0; stage < stages; ++stage)
      roles.push_back({stretches_of(drawn.history, static_cast<int32_t>(stage)),
                       kernels_s / (kernels_s + b.tp_comm_s + b.cp_comm_s + b.ep_comm_s)});
    all_roles = &roles;
    for (int i = 0; i < gpus; ++i) {
      const std::string role = std::to_string(i / (gpus / stages));
      const char *const role_arguments[] = {role.c_str()};
      sg_host_t host = sg_host_by_name(("gpu-" + std::to_string(i)).c_str());
      (void)sg_actor_create_("gpu", host, play, 1, role_arguments);
    }
    simgrid_run();
    double joules = 0;
    for (int i = 0; i < gpus; ++i)
      joules += sg_host_get_consumed_energy(sg_host_by_name(("gpu-" + std::to_string(i)).c_str())) +
                sg_link_get_consumed_energy(sg_link_by_name(("nic-" + std::to_string(i)).c_str()));
    const bool told = write(ends[1], &joules, sizeof joules) == sizeof joules;
    _exit(told ? 0 : 1);
  }
  double joules = NAN;
  int status = 0;
  close(ends[1]);
  EXPECT_EQ(read(ends[0], &joules, sizeof joules), static_cast<ssize_t>(sizeof joules));
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  return joules;
}

} // namespace

/* Two stages of 2 GPUs each, over 10 s: the first passes from 0 to 4 with a wait for data from 1 to 2, and steps from 8
 * to 10; the second passes from 4 to 8. Passes compute for 3/4 of their time: 0.75 x 700 + 0.25 x 400 = 625 W. With the
 * other stage waiting at 220 W: 2 x 845 W, in the wait 2 x 620 W, then 2 x 845 W, then 2 x 920 W; and 25 W of NICs for
 * each, 2 spare GPUs of 125 W. */
TEST(PowerCurve, ByHand)
{
  ss_history_pass passes[] = {
      {0, 0, 0, SS_FORWARD, 0, 4}, {1, 0, 0, SS_FORWARD, 4, 8}, {0, -1, -1, SS_OP_OPTIMIZER, 8, 10}};
  ss_history_wait waits[] = {{0, SS_WAIT_DATA, 0, 1, 2}, {1, SS_WAIT_PIPELINE, 0, 0, 4}};
  ss_history history = {};
  history.end_s = 10;
  history.pass = passes;
  history.pass_count = 3;
  history.wait = waits;
  history.wait_count = 2;
  const ss_machine machine = powered(make_machine({}));
  const ss_power power = ss_power_of(&machine);
  ss_breakdown parts = {};
  parts.compute_s = 3;
  parts.tp_comm_s = 1;
  const ss_power_curve_question question = {&history, 2, &parts, 4, 2, &power};
  ss_power_curve curve;
  ss_error error = {};
  ASSERT_EQ(ss_power_curve_of(&question, &curve, &error), SS_OK);
  const double base = 4 * 25 + 2 * 125;
  const std::vector<std::pair<double, double>> steps = {
      {0, 2 * 845 + base}, {1, 2 * 620 + base}, {2, 2 * 845 + base}, {8, 2 * 920 + base}};
  ASSERT_EQ(curve.count, static_cast<int64_t>(steps.size()));
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_DOUBLE_EQ(curve.time_s[i], steps[i].first);
    EXPECT_NEAR(curve.watts[i], steps[i].second, 1e-9);
  }
  EXPECT_NEAR(curve.most_w, 2 * 920 + base, 1e-9);
  EXPECT_NEAR(curve.least_w, 2 * 620 + base, 1e-9);
  EXPECT_NEAR(curve.swing_w, 450, 1e-9);
  EXPECT_NEAR(curve.mean_w, (2 * (845 * 7 + 620 * 1 + 920 * 2)) / 10.0 + base, 1e-9);
  ss_power_curve_free(&curve);
}

/* On one stage the only time that is not in passes is that of data parallelism and the optimizer: power over time comes
 * to the power of what each part of the iteration does. */
TEST(PowerCurve, IsTheEnergyOfTheParts)
{
  const ss_machine machine = powered(make_machine({}));
  for (const int64_t replicas : {1, 2, 4}) {
    const Job job(stages_of(1, replicas), machine);
    const Drawn drawn(job);
    EXPECT_NEAR(drawn.joules(), drawn.gpus * ss_power_iteration_j(&drawn.power, &drawn.result.breakdown),
                1e-9 * drawn.joules());
  }
}

/* Jobs that are not folded: a host and a link of SimGrid for each GPU, whose plugins add up the same joules. */
TEST(PowerCurve, IsTheEnergyOfSimGridsPlugins)
{
  const ss_machine machine = powered(make_machine({}));
  for (const auto &[stages, replicas] : std::vector<std::pair<int64_t, int64_t>>{{1, 2}, {2, 2}, {4, 1}, {4, 4}}) {
    const Job job(stages_of(stages, replicas), machine);
    const Drawn drawn(job);
    EXPECT_NEAR(joules_of_simgrid(drawn, stages), drawn.joules(), 1e-6 * drawn.joules()) << stages << " " << replicas;
  }
}

/* What is drawn never exceeds what all GPUs that compute do, nor falls below what all that wait do. */
TEST(PowerCurve, IsWithinItsBounds)
{
  const ss_machine machine = powered(make_machine({}));
  for (const int64_t stages : {1, 2, 4}) {
    const Job job(stages_of(stages, 2), machine);
    const Drawn drawn(job, 8);
    const double spare_w = 8 * ss_power_idle_w(&drawn.power);
    EXPECT_LE(drawn.curve.most_w, drawn.gpus * ss_power_at_meter_w(&drawn.power, SS_DRAWS_COMPUTING) + spare_w + 1e-6);
    EXPECT_GE(drawn.curve.least_w, drawn.gpus * ss_power_at_meter_w(&drawn.power, SS_DRAWS_WAITING) + spare_w - 1e-6);
    EXPECT_LE(drawn.curve.least_w, drawn.curve.mean_w);
    EXPECT_LE(drawn.curve.mean_w, drawn.curve.most_w);
  }
}
