/* Jobs whose passes are quiet in several ways, and worlds that show it (sim/engine/setup/quiet.h). */
#ifndef STEPSIM_TESTS_SUPPORT_QUIET_JOBS_HPP
#define STEPSIM_TESTS_SUPPORT_QUIET_JOBS_HPP

#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/engine/core/stage.h"
#include "sim/engine/core/stage_replica.h"
#include "sim/engine/play.h"
#include "sim/engine/setup/world_setup.h"
}

namespace stepsim
{

inline ss_replay_result replay(const Job &job, ss_flow_mode flows, ss_fold fold = SS_FOLD_NONE)
{
  ss_replay_options options = {};
  options.fold = fold;
  options.flows = flows;
  return job.replay(options);
}

/* Two stages, each a domain: four replicas of two ranks, whose data-parallel rings go through NVLink as their
 * collectives of layers do, and whose messages go through NICs. */
inline ss_workload workload_of_domains(int micro_batches)
{
  ss_workload w = make_workload();
  w.parallelism.tp = 2;
  w.parallelism.pp = 2;
  w.parallelism.dp = 4;
  w.parallelism.sharding = SS_SHARDING_OPTIMIZER;
  w.parallelism.sequence_parallel = SS_YES;
  w.training.global_batch = 4 * micro_batches;
  return w;
}

inline Job on_domains(const ss_workload &w, int gpus, int domain, double nvlink_compute_cost,
                      double nvlink_bytes_per_s = 300e9, const char *link_speed = "")
{
  PlatformSpec spec;
  spec.nvlink_bytes_per_s = nvlink_bytes_per_s;
  spec.gpus = gpus;
  spec.domain = spec.nics = domain;
  ss_machine machine = make_machine(spec);
  machine.nvlink_compute_cost = nvlink_compute_cost;
  machine.fp8_flop_per_s = 2 * machine.matrix_flop_per_s;
  std::snprintf(machine.link_speed, sizeof machine.link_speed, "%s", link_speed);
  return Job(w, machine, SS_COST_CALIBRATED);
}

/* Some tensor-parallel collectives may run beside kernels in backward passes. */
inline Job two_domains(int micro_batches, double nvlink_compute_cost, ss_tp_overlap overlap = SS_TP_OVERLAP_NONE,
                       double nvlink_bytes_per_s = 300e9)
{
  ss_workload w = workload_of_domains(micro_batches);
  w.schedule.overlap_tp = overlap;
  return on_domains(w, 16, 8, nvlink_compute_cost, nvlink_bytes_per_s);
}

/* Experts on so many ranks; a link may be slow. */
inline Job with_experts(int micro_batches, int ep, const char *link_speed = "")
{
  ss_workload w = workload_of_domains(micro_batches);
  w.model.experts = 8;
  w.model.top_k = 2;
  w.model.expert_ffn = 4096;
  w.parallelism.ep = ep;
  w.parallelism.etp = 1;
  return on_domains(w, 16, 8, 0.2, 300e9, link_speed);
}

/* Six replicas a stage, and experts on two of them each: of three groups the middle one lies across two domains. */
inline Job with_experts_across(int micro_batches)
{
  ss_workload w = workload_of_domains(micro_batches);
  w.model.experts = 8;
  w.model.top_k = 2;
  w.model.expert_ffn = 4096;
  w.parallelism.dp = 6;
  w.parallelism.ep = 4;
  w.parallelism.etp = 1;
  w.training.global_batch = 6 * micro_batches;
  return on_domains(w, 24, 6, 0.2);
}

/* A world that has not begun. */
class World
{
public:
  World(const Job &job, ss_replay_options replay_options) : options(replay_options)
  {
    headroom.known_crowded = &known.crowded;
    headroom.known_tight = &known.tight;
    headroom.known_plainly = &known.plainly;
    presumption.known = &known.marks;
    if (!options.private_links) {
      EXPECT_EQ(ss_links_init(&links, job->machine, nullptr), SS_OK);
    }
    EXPECT_EQ(ss_world_init(&world, &common, job.get(), &options, {&links, &headroom, &presumption}, nullptr), SS_OK);
  }
  World(const Job &&, ss_replay_options) = delete; /* which the world borrows */
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World()
  {
    ss_world_free(&world);
    ss_headroom_free(&headroom);
    ss_presumption_free(&presumption);
    ss_links_free(&links);
    ss_event_queue_free(&common.queue);
  }
  const ss_world *operator->() const
  {
    return &world;
  }

private:
  ss_replay_options options;
  ss_common common = {};
  ss_links links = {};
  ss_headroom headroom = {};
  ss_presumption presumption = {};
  ss_known known = {};
  ss_world world = {};
};

inline ss_replay_options unfolded(ss_flow_mode flows)
{
  ss_replay_options options = {};
  options.fold = SS_FOLD_NONE;
  options.flows = flows;
  return options;
}

} // namespace stepsim

#endif
