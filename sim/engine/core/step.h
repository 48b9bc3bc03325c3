/* What a pass through a block is made of: work between two points where a stage replica can wait. */
#ifndef STEPSIM_SIM_ENGINE_CORE_STEP_H
#define STEPSIM_SIM_ENGINE_CORE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"
#include "model/result/contention.h"

/* What a leg is to a kernel that has collectives beside it, in bits; 0: nothing. */
enum {
  SS_LEG_BESIDE = 1,      /* is part of such a collective; with all of the following */
  SS_LEG_KERNEL = 2,      /* the kernel begins with it */
  SS_LEG_CALL_BEGINS = 4, /* a collective begins with it */
  SS_LEG_CALL_ENDS = 8,   /* and ends */
  SS_LEG_JOINS = 16       /* what comes next waits for the kernel, too */
};

/* Kernels, as perturbations know them: tasks [task, task + count) of a block of a pass, or one piece of the kernel of a
 * task, where count is 0. */
typedef struct ss_leg_kernels {
  int32_t position; /* of the block, among those that a run goes through */
  int16_t task, count, piece;
  bool some; /* false: there are none */
} ss_leg_kernels;

/* A stretch of a quiet run, and what goes through each port of its ranks meanwhile. */
typedef struct ss_leg {
  double time_s, bytes;
  double kernel_s;        /* where a kernel begins: what it takes alone */
  double rate;            /* where a collective begins: what that leaves to the kernel, 1 being all */
  int beside;             /* bits SS_LEG_ */
  ss_leg_kernels kernels; /* that it has, or that begin with it */
} ss_leg;

typedef struct ss_legs {
  ss_leg *leg; /* [count], owned */
  int64_t count, capacity;
} ss_legs;

/* The same legs as they are drawn by name, each of them filled in when a replica first comes to it. */
typedef struct ss_named_legs {
  int8_t *ahead;     /* [legs] how many are drawn together from this one on, below 0 where some have something beside
                        them; 0: not known yet; owned */
  uint64_t *name;    /* [legs] of their kernels; owned */
  double *nominal_s; /* [legs] that these take; 0: there is none; owned */
  double *time_s;    /* [legs] that they take; owned */
} ss_named_legs;

/* Tasks [first, first + count) in one go (a run), or one live task, whose collectives take the time they take. */
typedef struct ss_step {
  bool live;
  bool exchanges; /* with other experts, where passes run in pairs */
  bool late;      /* needs nothing of the exchange before it */
  int64_t first, count;
  ss_duration parts;
  double slowed_s;         /* of a run: what collectives beside its kernels cost these */
  ss_duration kernel;      /* of a live task: a piece of its kernel */
  ss_exposed exposed;      /* of its collectives */
  ss_launches launches;    /* where the host launches kernels */
  double nvlink_bytes;     /* that they take through the port of each rank */
  int64_t first_leg, legs; /* of a quiet run, among those of the world: the stretches that it would be event by event */
  double began_s, ended_s; /* when the last replica that went through them did */
  double leg_bytes;        /* of these together */
  int64_t flows;           /* of a rank in it */
  double flow_bytes;       /* that these send */
} ss_step;

typedef struct ss_step_list {
  int64_t count;
  ss_step *step; /* [count], borrowed from the world */
} ss_step_list;

/* A quiet pass from its first exchange between experts on, for which several replicas have to meet: from then on they
 * go through it side by side. */
typedef struct ss_quiet_rest {
  int64_t position, step; /* of the exchange, among the blocks of the pass and the steps of that */
  ss_step run;            /* without legs: there is none */
  ss_exposed exchange;    /* how waits for others are divided: as the exchange itself */
} ss_quiet_rest;

/* Quiet passes differ in exchanges between experts: live tasks, or parts of runs. Where groups lie over domains in
 * several ways, on private links, those behind the first one have such runs of their own. */
typedef enum ss_quiet { SS_QUIET_MEETS, SS_QUIET_ALONE, SS_QUIETS = 16 } ss_quiet;

/* How passes are cut. */
typedef struct ss_step_set {
  ss_step_list list[SS_BLOCK_COUNT][SS_PASSES];
  bool whole_passes; /* a pass that waits for nothing is one run, unless a timeline shows its blocks */
} ss_step_set;

#endif
