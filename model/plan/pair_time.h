/* A backward and a forward pass of a stage that run together: each computes while the other exchanges tokens with other
 * expert-parallel ranks. */
#ifndef STEPSIM_MODEL_PLAN_PAIR_TIME_H
#define STEPSIM_MODEL_PLAN_PAIR_TIME_H

#include "model/plan/job.h"

typedef struct ss_pair_time {
  double time_s;   /* of both */
  double hidden_s; /* exchanges that take no time of their own */
  double slowed_s; /* kernels, by exchanges beside them */
  double host_s;   /* waiting for launches by the host */
} ss_pair_time;

/* Seconds of backward of a micro-batch through one chunk and forward of another through another. They take turns,
 * backward first: a pass that comes to an exchange starts it, as soon as the one before is over, does what does not
 * need it, and leaves the GPU to the other pass until that comes to an exchange, or to its end; then it waits for its
 * own. So with segments b and f of kernels and exchanges of C seconds each, a layer of experts takes max(f1, Cb1) +
 * max(b2, Cf1) + max(f2, Cb2) + max(b3, Cf2) + ..., where exchanges do not pile up (Megatron-LM,
 * megatron/core/pipeline_parallel/combined_1f1b.py; arXiv 2412.19437 figure 4).
 * One host launches the kernels and exchanges of both, in the order of their turns. It begins at *host_s, counted from
 * the beginning of the pair, -infinity where launches take no time; *host_s becomes when it is through. */
ss_pair_time ss_job_pair_time(const ss_job *job, ss_chunk backward, ss_chunk forward, double *host_s);

#endif
