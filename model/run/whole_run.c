#include "model/run/whole_run.h"

#include <math.h>

#include "model/base/number.h"
#include "model/input/workload.h"
#include "model/run/spares.h"
#include "model/run/stalls.h"

#define SECONDS_PER_YEAR (365.25 * 86400.0)

/* Where it takes as many spares as it needs, a job waits for nodes this share of its time at most, and of the time that
 * its interruptions take anyway. That share is below ln 2: interruptions that are twice as frequent take at least that
 * much more of the time, also at the best interval, so that they never pay by an additional spare. */
#define WAITS_AT_MOST       1e-3
#define OF_INTERRUPTED_TIME 0.5

/* What an iteration takes in the mean. */
static double step_s(const ss_whole_run_question *q)
{
  const double gpus = (double)ss_workload_gpus(q->job->workload);
  const double stalls = ss_stalls_of(q->machine, gpus, q->iteration);
  return q->iteration->iteration_s + ss_stalls_longest_s(stalls, q->machine->stall_time_s);
}

static ss_rhythm rhythm_of(const ss_whole_run_question *q, const ss_checkpoint *checkpoint, double least_s,
                           double rate_per_s)
{
  const double given_s = q->workload->run.interval_s, work_s = step_s(q) * q->iterations;
  const double interval_s =
      given_s > 0.0 ? ss_max(least_s, given_s) : ss_interval_best_s(checkpoint->pause_s, rate_per_s, least_s);
  return (ss_rhythm){.interval_s = fmin(interval_s, ss_max(least_s, work_s)),
                     .pause_s = checkpoint->pause_s,
                     .write_s = checkpoint->write_s};
}

/* Where a node is lost or taken out, another one may take its place among processes that stay. */
static double restart_s(const ss_workload *workload, const ss_checkpoint *checkpoint, bool node)
{
  const bool swaps = node && workload->run.recovery == SS_RECOVERY_SWAP;
  return (swaps ? workload->run.swap_s : workload->run.restart_s) + checkpoint->read_s;
}

/* Parts of the fabric at a place. Nobody switches off what is faster while it is slow. */
static ss_slow slow_at(const ss_whole_run_question *q, const ss_slow_place *place)
{
  const ss_machine *machine = q->machine;
  const ss_workload *workload = q->workload;
  const bool cable = place->kind == SS_SLOW_CABLE;
  const double per_year = cable ? machine->slow_cable_rate : machine->slow_switch_rate;
  const double detection_s = cable ? workload->run.slow_cable_detection_s : workload->run.slow_switch_detection_s;
  return (ss_slow){.kind = place->kind,
                   .place = place->place,
                   .link = place->link,
                   .parts = place->parts,
                   .rate_per_s = place->parts * per_year / SECONDS_PER_YEAR,
                   .speed = place->speed,
                   .off_speed = place->off_speed,
                   .mean_s = cable ? machine->slow_cable_time_s : machine->slow_switch_time_s,
                   .detection_s = place->off_speed > place->speed ? detection_s : 0.0};
}

static void fill_slow(const ss_whole_run_question *q, const ss_whole_run_parts *parts, ss_whole_run *run)
{
  const ss_machine *machine = q->machine;
  const double *of = parts->failures.parts, exclusion_s = restart_s(q->workload, &parts->checkpoint, true);
  run->slow[SS_SLOW_GPU] = (ss_slow){.kind = SS_SLOW_GPU,
                                     .parts = of[SS_FAILURE_GPU],
                                     .rate_per_s = of[SS_FAILURE_GPU] * machine->slow_rate / SECONDS_PER_YEAR,
                                     .speed = machine->slow_speed,
                                     .mean_s = machine->slow_time_s,
                                     .detection_s = q->workload->run.slow_detection_s,
                                     .exclusion_s = exclusion_s};
  run->slow[SS_SLOW_NIC] = (ss_slow){.kind = SS_SLOW_NIC,
                                     .parts = of[SS_FAILURE_NIC],
                                     .rate_per_s = of[SS_FAILURE_NIC] * machine->slow_nic_rate / SECONDS_PER_YEAR,
                                     .speed = q->nic_speed,
                                     .mean_s = machine->slow_nic_time_s,
                                     .detection_s = q->workload->run.slow_nic_detection_s,
                                     .exclusion_s = exclusion_s};
  run->slows = SS_SLOW_CABLE;
  for (int i = 0; q->fabric != NULL && i < q->fabric->count; ++i)
    run->slow[run->slows++] = slow_at(q, &q->fabric->place[i]);
}

static ss_breakage breakage_of(const ss_whole_run_question *q, const ss_failures *failures,
                               const ss_checkpoint *checkpoint)
{
  const double detection_s = q->workload->run.detection_s;
  return (ss_breakage){.rate_per_s = ss_failures_rate_per_s(failures),
                       .recovery_s = detection_s + restart_s(q->workload, checkpoint, false),
                       .lasting = ss_failures_lasting(failures),
                       .node_recovery_s = detection_s + restart_s(q->workload, checkpoint, true)};
}

double ss_whole_run_slow_per_s(const ss_whole_run *run)
{
  double sum = 0.0;
  for (int i = 0; i < run->slows; ++i) sum += run->slow[i].rate_per_s;
  return sum;
}

double ss_whole_run_lost_per_s(const ss_whole_run *run)
{
  double sum = run->breakage.rate_per_s * run->breakage.lasting;
  for (int i = 0; i < run->slows; ++i) sum += ss_slow_out_per_s(&run->slow[i]);
  return sum;
}

/* What taking slow parts out takes, as a share of the time beside it. */
static double excluding(const ss_whole_run *run)
{
  double sum = 0.0;
  for (int i = 0; i < run->slows; ++i) sum += ss_slow_out_per_s(&run->slow[i]) * run->slow[i].exclusion_s;
  return sum;
}

/* Nodes in repair in the mean. Nothing breaks while a slow part is taken out. */
static double away(const ss_whole_run *run)
{
  return ss_whole_run_lost_per_s(run) * run->repair_s / (1.0 + excluding(run));
}

int64_t ss_whole_run_most_away(const ss_whole_run *run)
{
  return run->spares + (run->shrinks ? ss_spares_all_but_one(run->replicas, run->replica_nodes) : 0);
}

double ss_whole_run_speed(const ss_whole_run *run, double replicas)
{
  const double left = run->replicas - replicas;
  if (replicas <= 0.0) return 1.0;
  if (left <= 0.0) return 0.0;
  return ss_max(1.0 - replicas * run->replica_loss, (1.0 - run->replica_loss) * left / (run->replicas - 1.0));
}

static ss_shrunken shrunken(const ss_whole_run *run)
{
  if (!run->shrinks) return (ss_shrunken){0.0, 0.0};
  return ss_spares_shrunken(run->spares, ss_whole_run_most_away(run), away(run), run->replica_nodes);
}

/* What nodes that are lost and taken out take of the time of a run that has no other spares: waiting for them, or fewer
 * replicas and restarts with more. */
static double lacking(const ss_whole_run *run)
{
  const ss_shrunken less = shrunken(run);
  const double waiting = ss_spares_waiting(ss_whole_run_most_away(run), away(run));
  const double growing = ss_whole_run_lost_per_s(run) * less.losses * run->growth_s;
  return 1.0 - (1.0 - waiting) * ss_whole_run_speed(run, less.replicas) / (1.0 + growing);
}

/* As many spares as the job needs. Where failures take no node, what they take of the time says nothing. */
static int64_t enough_spares(const ss_whole_run *run)
{
  const ss_breakage never = {.rate_per_s = 0.0};
  const double busy_s = ss_renewal_s(run->work_s, run->rhythm, run->breakage);
  const double lost = 1.0 - ss_renewal_s(run->work_s, run->rhythm, never) / busy_s;
  const bool matters = run->breakage.rate_per_s * run->breakage.lasting > 0.0 && isfinite(busy_s);
  const double share = matters ? fmin(WAITS_AT_MOST, OF_INTERRUPTED_TIME * lost) : WAITS_AT_MOST;
  ss_whole_run with = *run;
  with.spares = ss_spares_for(away(run), share);
  while (with.shrinks && with.spares < SS_SPARES_MOST && lacking(&with) > share) ++with.spares;
  return with.spares;
}

ss_whole_run_parts ss_whole_run_of(const ss_whole_run_question *q)
{
  ss_whole_run_parts parts = {.failures = ss_failures_of(q->workload, q->machine),
                              .checkpoint = ss_checkpoint_of(q->job, q->workload),
                              .interval_s = q->workload->run.interval_s};
  parts.least_interval_s = ss_max(step_s(q), parts.checkpoint.write_s - parts.checkpoint.pause_s);
  const double rate_per_s = ss_failures_rate_per_s(&parts.failures), replicas = (double)q->job->replicas;
  ss_whole_run *run = &parts.run;
  *run = (ss_whole_run){.work_s = step_s(q) * q->iterations,
                        .stalled_s = (step_s(q) - q->iteration->iteration_s) * q->iterations,
                        .rhythm = rhythm_of(q, &parts.checkpoint, parts.least_interval_s, rate_per_s),
                        .breakage = breakage_of(q, &parts.failures, &parts.checkpoint),
                        .repair_s = q->workload->run.repair_s,
                        .shrinks = q->workload->run.recovery == SS_RECOVERY_SHRINK,
                        .growth_s = restart_s(q->workload, &parts.checkpoint, true),
                        .replicas = replicas,
                        .replica_loss = 1.0 - q->replica_speed,
                        .replica_nodes = (double)ss_workload_gpus(q->job->workload) / replicas /
                                         (double)ss_machine_node_gpus(q->machine)};
  fill_slow(q, &parts, run);
  const double spares = q->workload->run.spares;
  run->spares = spares < 0.0 ? enough_spares(run) : (int64_t)spares;
  return parts;
}

/* The mean share of full speed, while it is not interrupted: slow parts, and nodes that it lacks. */
static double mean_speed(const ss_whole_run *run)
{
  return ss_slow_mean_speed(run->slow, run->slows) * ss_whole_run_speed(run, shrunken(run).replicas);
}

/* What taking slow parts out, and nodes back, takes of a run as a share of the rest. */
static double changing(const ss_whole_run *run)
{
  return excluding(run) + ss_whole_run_lost_per_s(run) * shrunken(run).losses * run->growth_s;
}

ss_whole_run_time ss_whole_run_mean(const ss_whole_run *run)
{
  const double speed = mean_speed(run), work_s = run->work_s / speed;
  const double waiting = ss_spares_waiting(ss_whole_run_most_away(run), away(run));
  const double checkpoints = ss_max(1.0, ceil(work_s / run->rhythm.interval_s));
  const double busy_s = ss_renewal_s(work_s, run->rhythm, run->breakage);
  const double changing_s = busy_s * changing(run);
  ss_whole_run_time time = {.work_s = run->work_s - run->stalled_s,
                            .stalled_s = run->stalled_s,
                            .slowed_s = work_s - run->work_s + changing_s,
                            .paused_s = checkpoints * run->rhythm.pause_s + run->rhythm.write_s,
                            .recovery_s = ss_renewal_recovery_s(busy_s, run->breakage),
                            .interruptions = ss_renewal_interruptions(busy_s, run->breakage)};
  time.lost_s = ss_left_of(busy_s, busy_s - work_s - time.paused_s - time.recovery_s);
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
  if (time->total_s == 0.0) return 1.0;
  return isfinite(time->total_s) ? time->work_s / time->total_s : 0.0;
}
