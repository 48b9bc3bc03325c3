/* The devices that a run of nccl-tests lists. */
#ifndef STEPSIM_SIM_IMPORT_MEASURED_NCCL_RANKS_H
#define STEPSIM_SIM_IMPORT_MEASURED_NCCL_RANKS_H

#include "sim/import/files/printed.h"
#include "sim/import/measured/nccl_run.h"

typedef struct ss_nccl_rank {
  int64_t rank, device;
  int line;
  char host[SS_NAME_SIZE], name[SS_NAME_SIZE];
} ss_nccl_rank;

/* Those of one run. Zeroed is empty. */
typedef struct ss_nccl_ranks {
  ss_nccl_rank *at; /* [count] owned */
  int64_t count, room;
} ss_nccl_ranks;

/* Adds "Rank 3 Group 0 Pid 46 on HOST device 3 [0x54] NAME". SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_nccl_ranks_add(ss_nccl_ranks *ranks, const ss_printed *printed, const char *text, ss_error *error);

/* Fills hosts, ranks and device of a run. SS_ERROR_INPUT where there are none, or they are not as many of one kind on
 * each host. */
ss_status ss_nccl_ranks_finish(const ss_nccl_ranks *ranks, const ss_printed *printed, ss_nccl_run *run,
                               ss_error *error);

void ss_nccl_ranks_free(ss_nccl_ranks *ranks);

#endif
