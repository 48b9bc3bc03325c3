/* A run: all iterations of a job, or of a phase of one, with what breaks in it. Its closed form; sim/campaign plays it.
 */
#ifndef STEPSIM_MODEL_RUN_WHOLE_RUN_H
#define STEPSIM_MODEL_RUN_WHOLE_RUN_H

#include "model/plan/job.h"
#include "model/result/prediction.h"
#include "model/run/checkpoint.h"
#include "model/run/failures.h"
#include "model/run/renewal.h"
#include "model/run/slow.h"

typedef struct ss_whole_run {
  double work_s;    /* that the iterations take when nothing breaks */
  double stalled_s; /* of that, what stalls lengthen them by, in the mean */
  ss_rhythm rhythm;
  ss_breakage breakage;
  int64_t spares;
  double repair_s; /* until a lost node, or one that is taken out, is back, in the mean */
  double growth_s; /* that it takes to have a repaired node back where it shrinks, without a loss of work */
  double replicas, replica_loss,
      replica_nodes;          /* how many; the share of the speed that one of them is, and its nodes */
  ss_slow slow[SS_SLOW_MOST]; /* [slows] by kind: that of GPUs, that of NICs, and those of the fabric */
  int slows;
  bool shrinks; /* goes on without a spare, as long as a replica is left */
} ss_whole_run;

/* What a run is made of, beside its times. */
typedef struct ss_whole_run_parts {
  ss_failures failures;
  ss_checkpoint checkpoint;
  double interval_s;       /* that is asked for, which is raised where it is too short; 0: the best */
  double least_interval_s; /* an iteration with its stalls, and not shorter than the write of a checkpoint */
  ss_whole_run run;
} ss_whole_run_parts;

/* The run of a job that takes `iterations`, as `workload` has it in `run`: it may differ from the workload of the job
 * in this alone, so that measures can be compared. `replica_speed` is the share of its speed that the job has with a
 * replica less, `nic_speed` that with a slow NIC, `fabric` what it is with slow parts of the fabric. */
typedef struct ss_whole_run_question {
  const ss_job *job;
  const ss_workload *workload;
  const ss_machine *machine;     /* as that of the job, but for what breaks */
  const ss_breakdown *iteration; /* without stalls */
  double iterations, replica_speed, nic_speed;
  const ss_slow_fabric *fabric; /* NULL: none; outlives the run */
} ss_whole_run_question;

ss_whole_run_parts ss_whole_run_of(const ss_whole_run_question *question);

/* How often a part becomes slow, and how often a node goes into repair, which is lost or taken out. */
double ss_whole_run_slow_per_s(const ss_whole_run *run);
double ss_whole_run_lost_per_s(const ss_whole_run *run);

/* Nodes that can be in repair while the job runs: its spares and, where it shrinks, those of all replicas but one. It
 * waits while there is one more. */
int64_t ss_whole_run_most_away(const ss_whole_run *run);

/* The share of its speed that a run has without so many replicas: each takes as much of it as the first, or its share
 * of what is left without the first where that is more; 0 where none is left. */
double ss_whole_run_speed(const ss_whole_run *run, double replicas);

/* Where the time of a run goes: X(field, "label", "what it is"). They add up to the total. */
/* clang-format off */
#define SS_WHOLE_RUN_PART_LIST(X) \
  X(work_s, "work", "iterations, once each, at full speed") \
  X(stalled_s, "stalls", "noise and stalls: all wait for the longest") \
  X(slowed_s, "slower work", "the same with slow parts or fewer replicas, and changes of them") \
  X(paused_s, "checkpoints", "held up by checkpoints") \
  X(lost_s, "lost work", "done again since the last checkpoint") \
  X(recovery_s, "recovery", "detection, restart and reading the checkpoint") \
  X(waiting_s, "no spare", "waiting for a node that is repaired")
/* clang-format on */

typedef struct ss_whole_run_time {
#define SS_WHOLE_RUN_PART_FIELD(field, label, help) double field;
  SS_WHOLE_RUN_PART_LIST(SS_WHOLE_RUN_PART_FIELD)
#undef SS_WHOLE_RUN_PART_FIELD
  double total_s, interruptions;
} ss_whole_run_time;

/* The mean of a run, in closed form. Work, checkpoints and interruptions as ss_renewal_s. Noise has a mean of 1, and
 * each iteration waits for the longest of its stalls (ss_stalls_longest_s). Waiting for a node takes the share of
 * ss_spares_waiting of the whole. Fewer replicas lower the speed by what ss_spares_shrunken of them make. Slow
 * parts lower it as ss_slow_mean_speed says. All of these are those of long runs, and independent of each other: that
 * is where a simulation differs. */
ss_whole_run_time ss_whole_run_mean(const ss_whole_run *run);

/* Adds up the parts of phases. */
ss_whole_run_time ss_whole_run_time_sum(ss_whole_run_time a, ss_whole_run_time b);

/* The share of its time that work at full speed is; 0 where a run does not end. */
double ss_whole_run_goodput(const ss_whole_run_time *time);

#endif
