/* A backward and a forward pass of a stage that run together: each computes while the other exchanges tokens with other
 * expert-parallel ranks. */
#ifndef STEPSIM_MODEL_PLAN_PAIR_TIME_H
#define STEPSIM_MODEL_PLAN_PAIR_TIME_H

#include "model/plan/job.h"
#include "model/plan/pair_order.h"

typedef struct ss_pair_time {
  double time_s;   /* of both */
  double hidden_s; /* exchanges that take no time of their own */
  double slowed_s; /* kernels, by exchanges and by what else runs beside them */
  double host_s;   /* waiting for launches by the host */
} ss_pair_time;

/* Collectives beside the kernels of a pair that are none of its exchanges: until when they last, and the share of a GPU
 * that they take. */
typedef struct ss_pair_beside {
  double until_s, cost;
  double margin_s; /* by how much, at least, they lasted longer than the kernels beside them; less than 0: shorter */
} ss_pair_beside;

/* A pair on its way. Times are counted from its beginning. Who plays it step by step may let compute wait where a block
 * begins or ends: by moving kernels_s on, and adding to waited_s. */
typedef struct ss_pair_clock {
  const ss_job *job; /* borrowed */
  ss_pair_order order;
  bool in_steps;                 /* the kernels of each block run by themselves; else all that follow one another do */
  ss_turn_time due;              /* kernels that have not run yet */
  double there_s[SS_PAIR_LANES]; /* when the exchange of a pass is over */
  double kernels_s, exchanges_s; /* when each stream has done what it was given */
  double host_s;                 /* when the host has launched all so far; -infinity where launches take no time */
  double cost;                   /* share of a GPU that an exchange takes */
  double waited_s;               /* what is waited for at blocks */
  ss_pair_beside beside;
  ss_pair_time sum;
} ss_pair_clock;

/* Seconds of backward of a micro-batch through one chunk and forward of another through another. They take turns,
 * backward first: a pass that comes to an exchange starts it, as soon as the one before is over, does what does not
 * need it, and leaves the GPU to the other pass until that comes to an exchange, or to its end; then it waits for its
 * own. So with segments b and f of kernels and exchanges of C seconds each, a layer of experts takes max(f1, Cb1) +
 * max(b2, Cf1) + max(f2, Cb2) + max(b3, Cf2) + ..., where exchanges do not pile up (Megatron-LM,
 * megatron/core/pipeline_parallel/combined_1f1b.py; arXiv 2412.19437 figure 4).
 * One host launches the kernels and exchanges of both, in the order of their turns. It begins at *host_s, counted from
 * the beginning of the pair, -infinity where launches take no time; *host_s becomes when it is through. */
ss_pair_time ss_job_pair_time(const ss_job *job, ss_chunk backward, ss_chunk forward, double *host_s);

/* The same step by step, where blocks wait for more than that and move more: the pair before its first step; on to the
 * next one, with all before it done; and what it took when SS_PAIR_OVER has come. */
ss_pair_clock ss_pair_clock_start(const ss_job *job, ss_chunk backward, ss_chunk forward, double host_s);
ss_pair_step ss_pair_clock_next(ss_pair_clock *clock);
ss_pair_time ss_pair_clock_sum(const ss_pair_clock *clock);

#endif
