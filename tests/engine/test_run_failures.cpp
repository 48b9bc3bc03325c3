/* The closed form of a run against SimGrid: each trial is a host with a profile of failures, off for a recovery at
 * times that are exponentially distributed, and an actor that is started again with it and goes on from its last
 * checkpoint. */
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

extern "C" {
#include "model/run/whole_run.h"
}

using namespace stepsim;

namespace
{

/* Three days of work that are interrupted every 20,000 s, with a checkpoint of a minute each half hour. */
ss_whole_run three_days()
{
  ss_whole_run run = {};
  run.work_s = 3 * 86400.0;
  run.rhythm = {1800, 60, 0};
  run.breakage = {1 / 20000.0, 900, true, 0, 0};
  run.spares = 1000;
  run.replicas = 128;
  run.replica_loss = 1.0 / 128;
  run.replica_nodes = 1;
  for (ss_slow &slow : run.slow) slow.speed = 1;
  return run;
}

struct Trial {
  double kept_s, end_s;
};

/* In the child that simulates. */
const ss_whole_run *the_run;
std::vector<Trial> *all_trials;

/* An actor: pieces of work at 1 flop/s, each with its checkpoint. What it had begun is lost with its host. */
void work(int count, char *arguments[])
{
  Trial &trial = all_trials->at(std::stoul(arguments[count - 1]));
  while (trial.kept_s < the_run->work_s) {
    const double piece_s = std::min(the_run->rhythm.interval_s, the_run->work_s - trial.kept_s);
    sg_actor_execute(piece_s);
    sg_actor_sleep_for(the_run->rhythm.pause_s);
    trial.kept_s += piece_s;
    trial.end_s = simgrid_get_clock();
  }
}

/* An actor whose host never fails: a simulation ends when all that are left are off. */
void stay(int, char *[])
{
  const auto is_open = [](const Trial &trial) { return trial.kept_s < the_run->work_s; };
  while (std::any_of(all_trials->begin(), all_trials->end(), is_open)) sg_actor_sleep_for(the_run->rhythm.interval_s);
}

/* Hosts whose profiles last far longer than the run. */
std::string write_platform(const ss_whole_run &run, int trials)
{
  std::mt19937_64 random(11 + seed);
  std::exponential_distribution<double> up(run.breakage.rate_per_s);
  const std::string path = common_scratch().path("failures.xml");
  std::ofstream platform(path);
  platform << "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform "
              "version=\"4.1\"><zone id=\"z\" routing=\"Full\">";
  for (int i = 0; i < trials; ++i) {
    const std::string profile = "profile-" + std::to_string(i); /* beside the platform */
    std::ofstream events(common_scratch().path(profile));
    events.precision(17);
    for (double now_s = 0; now_s < 10 * run.work_s;) {
      now_s += up(random);
      events << now_s << " 0\n" << now_s + run.breakage.recovery_s << " 1\n";
      now_s += run.breakage.recovery_s;
    }
    platform << "<host id=\"node-" << i << "\" speed=\"1f\" state_file=\"" << profile << "\"/>";
  }
  platform << "<host id=\"stays\" speed=\"1f\"/></zone></platform>";
  return path;
}

/* The mean time of the trials, from a child, since SimGrid allows one simulation in a process. */
double mean_of_simgrid(const ss_whole_run &run, int trials)
{
  const std::string path = write_platform(run, trials);
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    char name[] = "test", quiet[] = "--log=root.threshold:error", *arguments[] = {name, quiet, nullptr};
    int count = 2;
    simgrid_init(&count, arguments);
    simgrid_load_platform(path.c_str());
    std::vector<Trial> trial(static_cast<size_t>(trials));
    all_trials = &trial;
    the_run = &run;
    for (int i = 0; i < trials; ++i) {
      const std::string number = std::to_string(i);
      const char *const own[] = {number.c_str()};
      sg_actor_t actor = sg_actor_create_("job", sg_host_by_name(("node-" + number).c_str()), work, 1, own);
      sg_actor_set_auto_restart(actor, 1);
    }
    (void)sg_actor_create_("stay", sg_host_by_name("stays"), stay, 0, nullptr);
    simgrid_run();
    double mean_s = 0;
    for (const Trial &one : trial) mean_s += one.end_s / trials;
    const bool told = write(ends[1], &mean_s, sizeof mean_s) == sizeof mean_s;
    _exit(told ? 0 : 1);
  }
  double mean_s = NAN;
  int status = 0;
  close(ends[1]);
  EXPECT_EQ(read(ends[0], &mean_s, sizeof mean_s), static_cast<ssize_t>(sizeof mean_s));
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  return mean_s;
}

} // namespace

/* A run takes 3.3 days with 13 failures, each of which costs half an interval and a recovery, 1830 s: by chance 6600 s,
 * or 2.3 %, so that 400 runs have a mean within 0.4 %, three and a half times their standard error. */
TEST(RunFailures, AreThoseOfHostsThatFail)
{
  const ss_whole_run run = three_days();
  const double mean_s = ss_whole_run_mean(&run).total_s;
  EXPECT_NEAR(mean_of_simgrid(run, 400), mean_s, 4e-3 * mean_s);
}
