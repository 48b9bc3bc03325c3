#include "model/run/whole_run.h"

#include <math.h>

#include "model/base/number.h"
#include "model/input/workload.h"
#include "model/run/spares.h"

#define SECONDS_PER_YEAR (365.25 * 86400.0)

/* The share of its time that a job may wait for a node where it takes as many spares as it needs. */
#define WAITS_AT_MOST 1e-3

static ss_rhythm rhythm_of(const ss_whole_run_question *q, const ss_checkpoint *checkpoint, double rate_per_s)
{
  const double least_s = ss_max(q->iteration_s, checkpoint->write_s - checkpoint->pause_s);
  const double given_s = q->workload->run.interval_s, work_s = q->iteration_s * q->iterations;
  const double interval_s =
      given_s > 0.0 ? ss_max(least_s, given_s) : ss_interval_best_s(checkpoint->pause_s, rate_per_s, least_s);
  return (ss_rhythm){.interval_s = fmin(interval_s, ss_max(least_s, work_s)),
                     .pause_s = checkpoint->pause_s,
                     .write_s = checkpoint->write_s};
}

static double restart_s(const ss_workload *workload, const ss_checkpoint *checkpoint)
{
  const bool swaps = workload->run.recovery == SS_RECOVERY_SWAP;
  return (swaps ? workload->run.swap_s : workload->run.restart_s) + checkpoint->read_s;
}

static ss_slow slow_of(const ss_whole_run_question *q, const ss_checkpoint *checkpoint)
{
  const double gpus = (double)ss_workload_gpus(q->job->workload);
  return (ss_slow){.rate_per_s = gpus * q->machine->slow_rate / SECONDS_PER_YEAR,
                   .speed = q->machine->slow_speed,
                   .mean_s = q->machine->slow_time_s,
                   .detection_s = q->workload->run.slow_detection_s,
                   .exclusion_s = restart_s(q->workload, checkpoint)};
}

/* Nodes in repair in the mean. */
static double away(const ss_whole_run *run)
{
  return run->breakage.rate_per_s * run->lasting * run->repair_s;
}

ss_whole_run_parts ss_whole_run_of(const ss_whole_run_question *q)
{
  ss_whole_run_parts parts = {.failures = ss_failures_of(q->workload, q->machine),
                              .checkpoint = ss_checkpoint_of(q->job, q->workload)};
  const double rate_per_s = ss_failures_rate_per_s(&parts.failures);
  const double replica_nodes =
      (double)ss_workload_gpus(q->job->workload) / (double)q->job->replicas / (double)ss_machine_node_gpus(q->machine);
  ss_whole_run *run = &parts.run;
  *run = (ss_whole_run){
      .work_s = q->iteration_s * q->iterations,
      .rhythm = rhythm_of(q, &parts.checkpoint, rate_per_s),
      .breakage = {.rate_per_s = rate_per_s,
                   .recovery_s = q->workload->run.detection_s + restart_s(q->workload, &parts.checkpoint)},
      .lasting = ss_failures_lasting(&parts.failures),
      .repair_s = q->workload->run.repair_s,
      .shrinks = q->workload->run.recovery == SS_RECOVERY_SHRINK,
      .growth_s = restart_s(q->workload, &parts.checkpoint),
      .replica_loss = 1.0 - q->replica_speed,
      .replica_nodes = replica_nodes,
      .slow = slow_of(q, &parts.checkpoint)};
  const double spares = q->workload->run.spares;
  run->spares = spares < 0.0 ? ss_spares_for(away(run), WAITS_AT_MOST) : (int64_t)spares;
  return parts;
}

double ss_whole_run_speed(const ss_whole_run *run, double replicas)
{
  return ss_max(run->replica_loss, 1.0 - replicas * run->replica_loss);
}

static ss_shrunken shrunken(const ss_whole_run *run)
{
  if (!run->shrinks) return (ss_shrunken){0.0, 0.0};
  return ss_spares_shrunken(run->spares, away(run), run->replica_nodes);
}

/* The mean share of full speed, while it is not interrupted: slow GPUs, and nodes that it lacks. */
static double mean_speed(const ss_whole_run *run)
{
  const ss_slow *slow = &run->slow;
  const bool found = slow->detection_s > 0.0 && slow->mean_s > 0.0;
  const double stays_s = slow->mean_s * (found ? -expm1(-slow->detection_s / slow->mean_s) : 1.0);
  const double well = exp(-slow->rate_per_s * stays_s);
  return (well + (1.0 - well) * slow->speed) * ss_whole_run_speed(run, shrunken(run).replicas);
}

/* What taking slow GPUs out, and nodes back, takes of a run as a share of the rest. */
static double changing(const ss_whole_run *run)
{
  const ss_slow *slow = &run->slow;
  const bool found = slow->detection_s > 0.0 && slow->mean_s > 0.0;
  const double out_per_s = found ? slow->rate_per_s * exp(-slow->detection_s / slow->mean_s) : 0.0;
  const double back_per_s = run->breakage.rate_per_s * run->lasting * shrunken(run).losses;
  return out_per_s * slow->exclusion_s + back_per_s * run->growth_s;
}

ss_whole_run_time ss_whole_run_mean(const ss_whole_run *run)
{
  const double speed = mean_speed(run), work_s = run->work_s / speed;
  const double waiting = run->shrinks ? 0.0 : ss_spares_waiting(run->spares, away(run));
  const double checkpoints = ss_max(1.0, ceil(work_s / run->rhythm.interval_s));
  const double busy_s = ss_renewal_s(work_s, run->rhythm, run->breakage);
  const double changing_s = busy_s * changing(run);
  ss_whole_run_time time = {.work_s = run->work_s,
                            .slowed_s = work_s - run->work_s + changing_s,
                            .paused_s = checkpoints * run->rhythm.pause_s + run->rhythm.write_s,
                            .recovery_s = ss_renewal_recovery_s(busy_s, run->breakage),
                            .interruptions = ss_renewal_interruptions(busy_s, run->breakage)};
  time.lost_s = busy_s - work_s - time.paused_s - time.recovery_s;
  time.total_s = (busy_s + changing_s) / (1.0 - waiting);
  time.waiting_s = time.total_s * waiting;
  return time;
}

ss_whole_run_time ss_whole_run_time_sum(ss_whole_run_time a, ss_whole_run_time b)
{
#define RUN_PART_ADD(field, label, help) a.field += b.field;
  SS_WHOLE_RUN_PART_LIST(RUN_PART_ADD)
#undef RUN_PART_ADD
  a.total_s += b.total_s;
  a.interruptions += b.interruptions;
  return a;
}

double ss_whole_run_goodput(const ss_whole_run_time *time)
{
  return time->total_s > 0.0 ? time->work_s / time->total_s : 1.0;
}
