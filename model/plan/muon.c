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

/* A matrix as a rank orthogonalises it. */
typedef struct shape {
  double m, n;
} shape;

static shape shape_of(double rows, double columns)
{
  return (shape){ss_min(rows, columns), ss_max(rows, columns)};
}

static shape whole_of(const ss_matrix *matrix)
{
  const double ranks = matrix->cut.ranks;
  return matrix->cut.axis == SS_CUT_ROWS ? shape_of(ranks * matrix->rows, matrix->columns)
                                         : shape_of(matrix->rows, ranks * matrix->columns);
}

static shape share_of(const ss_matrix *matrix)
{
  return matrix->cut.axis == SS_CUT_ROWS ? (shape){matrix->columns, matrix->rows}
                                         : (shape){matrix->rows, matrix->columns};
}

static double exchange_s(const ss_job *job, const ss_matrix *matrix, ss_collective kind, double volume_bytes)
{
  return ss_comm_time_sum(ss_collective_time(&job->network, kind, job->span[matrix->cut.group], volume_bytes));
}

/* What it takes to orthogonalise a matrix: time, exchanges and memory. */
typedef struct effort {
  double s, exchange_s, working_bytes;
} effort;

/* Two of X, two of A. */
static effort effort_of(const ss_job *job, shape x)
{
  return (effort){.s = orthogonalise_s(job, x.m, x.n),
                  .working_bytes = SS_ELEMENT_BYTES * 2.0 * (x.m * x.n + x.m * x.m)};
}

static effort effort_for(const ss_job *job, const ss_matrix *matrix)
{
  const ss_muon_tp_mode mode = job->workload->training.muon_tp_mode;
  if (matrix->cut.axis == SS_CUT_NONE || mode == SS_MUON_BLOCKWISE)
    return effort_of(job, shape_of(matrix->rows, matrix->columns));
  const shape x = mode == SS_MUON_DUPLICATED ? whole_of(matrix) : share_of(matrix);
  const double whole_bytes = SS_FP32_BYTES * x.m * x.n, gram_bytes = SS_ELEMENT_BYTES * x.m * x.m;
  effort taken = effort_of(job, x);
  if (mode == SS_MUON_DUPLICATED) {
    taken.exchange_s = exchange_s(job, matrix, SS_ALL_GATHER, whole_bytes);
    taken.working_bytes += 2.0 * whole_bytes;
  } else {
    taken.exchange_s = exchange_s(job, matrix, SS_ALL_REDUCE, SS_FP32_BYTES) +
                       STEPS * exchange_s(job, matrix, SS_ALL_REDUCE, gram_bytes);
  }
  return taken;
}

/* Sums over the matrices of a class of weights, and their largest. */
typedef struct matrices {
  double parameters, largest_parameters;
  effort sum, largest;
} matrices;

static void add_matrix(const ss_job *job, const ss_matrix *matrix, double blocks, matrices *all, ss_muon *muon)
{
  const effort one = effort_for(job, matrix);
  const double count = blocks * matrix->count, parameters = matrix->rows * matrix->columns;
  all->parameters += count * parameters;
  all->sum.s += count * one.s;
  all->sum.exchange_s += count * one.exchange_s;
  all->largest_parameters = ss_max(all->largest_parameters, parameters);
  all->largest.s = ss_max(all->largest.s, one.s);
  all->largest.exchange_s = ss_max(all->largest.exchange_s, one.exchange_s);
  muon->working_bytes = ss_max(muon->working_bytes, one.working_bytes);
}

static void add_class(const ss_job *job, int64_t stage, ss_weights weights, ss_muon *muon)
{
  const bool sharded = job->workload->parallelism.sharding != SS_SHARDING_NONE;
  const double ranks = sharded ? (double)ss_job_shards(job, weights) : 1.0;
  matrices all = {.parameters = 0.0};
  for (ss_block_set left = job->counts[stage].kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const ss_block *block = &job->block[kind];
    const double blocks = (double)job->counts[stage].of[kind];
    for (int64_t i = 0; i < block->matrices; ++i)
      if (block->matrix[i].weights == weights) add_matrix(job, &block->matrix[i], blocks, &all, muon);
  }
  muon->parameters[weights] = all.parameters;
  muon->stepped += ss_max(all.parameters / ranks, all.largest_parameters);
  muon->orthogonalise_s += ss_max(all.sum.s / ranks, all.largest.s);
  muon->exchange_s += ss_max(all.sum.exchange_s / ranks, all.largest.exchange_s);
}

ss_muon ss_muon_of(const ss_job *job, int64_t stage)
{
  ss_muon muon = {.stepped = 0.0};
  if (job->workload->training.optimizer != SS_OPTIMIZER_MUON) return muon;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) add_class(job, stage, (ss_weights)weights, &muon);
  return muon;
}
