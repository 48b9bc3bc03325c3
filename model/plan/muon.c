#include "model/plan/muon.h"

#include "model/base/number.h"
#include "model/input/workload.h"

#define STEPS 5.0

/* The time of one product of `rows` x `columns`, a sum over `inner` each, that moves so many elements. */
static double product_s(const ss_job *job, double rows, double columns, double inner, double elements)
{
  const ss_kernel kernel = {.engine = SS_ENGINE_MATRIX,
                            .flop = 2.0 * rows * columns * inner,
                            .hbm_bytes = SS_ELEMENT_BYTES * elements,
                            .shape = {.rows = rows, .columns = columns, .inner = inner}};
  return ss_duration_sum(ss_kernel_duration(job->machine, job->options.cost, &kernel));
}

/* X X' is read off X; its polynomial off it; the new X off that and the old one. */
static double orthogonalise_s(const ss_job *job, double m, double n)
{
  const double gram_s = product_s(job, m, m, n, m * n + m * m), polynomial_s = product_s(job, m, m, m, 2.0 * m * m);
  return STEPS * (gram_s + polynomial_s + product_s(job, m, n, m, m * m + 2.0 * m * n));
}

/* Sums over the matrices of a class of weights, and their largest. */
typedef struct matrices {
  double parameters, largest_parameters, s, largest_s;
} matrices;

static void add_matrix(const ss_job *job, const ss_matrix *matrix, double blocks, matrices *sum, ss_muon *muon)
{
  const double m = ss_min(matrix->rows, matrix->columns), n = ss_max(matrix->rows, matrix->columns);
  const double one_s = orthogonalise_s(job, m, n), count = blocks * matrix->count;
  sum->parameters += count * m * n;
  sum->s += count * one_s;
  sum->largest_parameters = ss_max(sum->largest_parameters, m * n);
  sum->largest_s = ss_max(sum->largest_s, one_s);
  /* two of X, two of A */
  muon->working_bytes = ss_max(muon->working_bytes, SS_ELEMENT_BYTES * 2.0 * (m * n + m * m));
}

static void add_class(const ss_job *job, int64_t stage, ss_weights weights, ss_muon *muon)
{
  const bool sharded = job->workload->parallelism.sharding != SS_SHARDING_NONE;
  const double ranks = sharded ? (double)ss_job_shards(job, weights) : 1.0;
  matrices sum = {0.0, 0.0, 0.0, 0.0};
  for (unsigned left = job->counts[stage].kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const ss_block *block = &job->block[kind];
    const double blocks = (double)job->counts[stage].of[kind];
    for (int64_t i = 0; i < block->matrices; ++i)
      if (block->matrix[i].weights == weights) add_matrix(job, &block->matrix[i], blocks, &sum, muon);
  }
  muon->parameters[weights] = sum.parameters;
  muon->stepped += ss_max(sum.parameters / ranks, sum.largest_parameters);
  muon->orthogonalise_s += ss_max(sum.s / ranks, sum.largest_s);
}

ss_muon ss_muon_of(const ss_job *job, int64_t stage)
{
  ss_muon muon = {.stepped = 0.0};
  if (job->workload->training.optimizer != SS_OPTIMIZER_MUON) return muon;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) add_class(job, stage, (ss_weights)weights, &muon);
  return muon;
}
