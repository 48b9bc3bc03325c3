/* Muon: what stepping the matrices of layers takes, which one rank has whole. */
#ifndef STEPSIM_MODEL_PLAN_MUON_H
#define STEPSIM_MODEL_PLAN_MUON_H

#include <stdint.h>

#include "model/plan/job.h"

/* What a rank steps of the matrices of a stage; nothing with another optimizer. */
typedef struct ss_muon {
  double parameters[SS_WEIGHTS]; /* of all of its matrices, whoever steps them */
  double stepped;                /* parameters that the rank with most steps */
  double orthogonalise_s;        /* Newton-Schulz steps of these */
  double exchange_s;             /* what tensor-parallel ranks gather or add up for them */
  double working_bytes;          /* of the largest matrix while it is orthogonalised */
} ss_muon;

/* Five steps X <- a X + (b A + c A A) X with A = X X', in 16 bits, of the momentum X of every matrix, m x n with m <=
 * n: 5 (4 m m n + 2 m m m) flop (kellerjordan.github.io/posts/muon; arXiv 2502.16982). Ranks that hold the same weights
 * share the matrices out so that each has as much to do, or one matrix at least (layer_wise_optimizer.py of
 * Megatron-LM). Of a matrix that tensor-parallel ranks have cut each steps its block; or all gather the whole in fp32,
 * in a list and joined, and each does all steps; or m is the side that is not cut, even where that is longer, A is
 * added up over the ranks in each step, and so is the norm before the first (newton_schulz_tp of Emerging-Optimizers,
 * emerging_optimizers/orthogonalized_optimizers/muon_utils.py). */
ss_muon ss_muon_of(const ss_job *job, int64_t stage);

#endif
