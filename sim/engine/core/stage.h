/* What the replicas of a stage have in common: their order of work and their data-parallel collectives. These run over
 * all stages that hold the same weights, which the first of them is the home of. */
#ifndef STEPSIM_SIM_ENGINE_CORE_STAGE_H
#define STEPSIM_SIM_ENGINE_CORE_STAGE_H

#include "model/plan/stage_ops.h"
#include "model/schedule/schedule.h"
#include "sim/engine/core/transfer.h"

/* A data-parallel operation of a stage, as its ranks issue it: the same sequence on every rank. */
typedef struct ss_data_op {
  const ss_stage_op *op; /* of ss_stage.ops */
  int64_t arrivals;      /* simulated replicas that have issued it */
  ss_asked asked;        /* by the last of them */
} ss_data_op;

/* `op` is a ring buffer of the operations that have been issued and that some data-parallel group has not completed. */
struct ss_stage {
  ss_work *order;   /* [ss_schedule_length], owned */
  ss_stage_ops ops; /* all data-parallel operations of the stage */
  ss_stage *home;   /* has the rest of this for all that hold its weights: itself, or that with another copy of them */
  ss_data_op *op;   /* [capacity], owned */
  int64_t capacity, first, end;
  ss_stage_replica **member; /* [members] replicas that are simulated; owned */
  int64_t members;
  ss_dp_group **dp_group; /* [dp_groups] that are simulated; owned */
  int64_t dp_groups;
  int64_t reducing;                   /* groups that work on a collective */
  double reducing_since_s, reduced_s; /* since when one of them does, and for how long until then */
  ss_step *pass;                      /* [chunk][pass] all kernels and computed collectives of a pass; owned */
  ss_step *quiet_pass[SS_QUIETS];     /* [chunk][pass] the same of quiet ones; NULL: are not whole; owned */
  ss_quiet_rest *quiet_rest;          /* [chunk][pass] of those whose replicas meet; owned */
};

#endif
