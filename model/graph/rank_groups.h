/* The groups of ranks that one rank communicates in, with names that all of their ranks agree on. */
#ifndef STEPSIM_MODEL_GRAPH_RANK_GROUPS_H
#define STEPSIM_MODEL_GRAPH_RANK_GROUPS_H

#include "model/plan/job.h"

/* The groups of layers (ss_group), those of data parallelism (ss_data_group), and the stages that share a table. */
enum { SS_RANK_GROUPS_OF_DATA = SS_GROUPS, SS_RANK_GROUP_TIED = SS_GROUPS + SS_DATA_GROUPS, SS_RANK_GROUPS };

typedef struct ss_rank_group {
  int32_t *rank; /* [count] in the order of their numbers; owned */
  int64_t count; /* at most 1: the rank is alone */
  int64_t name;  /* a number from 1 on, of this group alone */
} ss_rank_group;

typedef struct ss_rank_groups {
  ss_coordinates at;
  ss_rank_group group[SS_RANK_GROUPS];
} ss_rank_groups;

/* The groups of a rank of a job that is not estimate_only. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_rank_groups_init(ss_rank_groups *groups, const ss_job *job, int64_t rank, ss_error *error);
void ss_rank_groups_free(ss_rank_groups *groups);

#endif
