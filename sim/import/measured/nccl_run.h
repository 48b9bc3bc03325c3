/* A run of nccl-tests. */
#ifndef STEPSIM_SIM_IMPORT_MEASURED_NCCL_RUN_H
#define STEPSIM_SIM_IMPORT_MEASURED_NCCL_RUN_H

#include "model/input/machine.h"

/* The tests: X(enumerator, "name" before _perf, bytes that a rank sends or receives over those of the column "size", as
 * doc/PERFORMANCE.md has it for busbw, times n / (n - 1) where `shares` is 1; shares, whether it reduces, as its column
 * redop shows: 1 it does, 0 it does not, -1 either). */
#define SS_NCCL_TEST_LIST(X)                                                                                           \
  X(SS_NCCL_ALL_REDUCE, "all_reduce", 2, 1, 1)                                                                         \
  X(SS_NCCL_ALL_GATHER, "all_gather", 1, 1, 0)                                                                         \
  X(SS_NCCL_REDUCE_SCATTER, "reduce_scatter", 1, 1, 1)                                                                 \
  X(SS_NCCL_ALLTOALL, "alltoall", 1, 1, 0)                                                                             \
  X(SS_NCCL_SENDRECV, "sendrecv", 1, 0, -1)                                                                            \
  X(SS_NCCL_BROADCAST, "broadcast", 1, 0, 0)                                                                           \
  X(SS_NCCL_REDUCE, "reduce", 1, 0, 1)                                                                                 \
  X(SS_NCCL_GATHER, "gather", 1, 1, 0)                                                                                 \
  X(SS_NCCL_SCATTER, "scatter", 1, 1, 0)                                                                               \
  X(SS_NCCL_HYPERCUBE, "hypercube", 1, 1, 0)

typedef enum ss_nccl_test {
#define SS_NCCL_TEST_ID(id, name, factor, shares, reduces) id,
  SS_NCCL_TEST_LIST(SS_NCCL_TEST_ID)
#undef SS_NCCL_TEST_ID
      SS_NCCL_TESTS
} ss_nccl_test;

/* A line of the table. */
typedef struct ss_nccl_row {
  int64_t bytes;
  double out_s, in_s; /* out of place, in place; NaN where it was not measured */
  double busbw;       /* out of place, bytes/s */
  bool wrong;         /* the test found wrong values */
  int line;
} ss_nccl_row;

/* One run of a test. */
typedef struct ss_nccl_run {
  ss_nccl_test test;
  bool guessed;         /* the log does not name it: it follows from columns and bandwidths */
  int64_t ranks, hosts; /* as many ranks on each host */
  int64_t unlisted;     /* ranks whose devices the log leaves out */
  char device[SS_NAME_SIZE];
  int line;         /* of the head of its table */
  ss_nccl_row *row; /* [rows] owned */
  int64_t rows, room;
} ss_nccl_run;

#endif
