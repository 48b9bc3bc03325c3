/* The ranks of a stage as expert layers number them: etp * ep * edp, where attention layers have tp * cp * dp (arXiv
 * 2504.14960, parallel folding). */
#ifndef STEPSIM_MODEL_PLAN_PLACEMENT_EXPERT_RANKS_H
#define STEPSIM_MODEL_PLAN_PLACEMENT_EXPERT_RANKS_H

#include <stdint.h>

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Expert-tensor-parallel ranks share the matrices of an expert, expert-parallel ones the experts, and the others hold
 * the same. */
typedef enum ss_expert_axis { SS_EXPERT_AXIS_TP, SS_EXPERT_AXIS_EP, SS_EXPERT_AXIS_DP, SS_EXPERT_AXES } ss_expert_axis;

#define SS_EXPERT_DIGITS 4

/* A digit of the number of a rank in its stage: an axis, or a factor of one. */
typedef struct ss_expert_digit {
  ss_expert_axis axis;
  int64_t size;
  int64_t stride; /* ranks from one value to the next */
  int64_t worth;  /* of the coordinate along the axis, from one value to the next */
} ss_expert_digit;

typedef struct ss_expert_ranks {
  int64_t size[SS_EXPERT_AXES];
  ss_expert_digit digit[SS_EXPERT_DIGITS]; /* the one that counts fastest first */
} ss_expert_ranks;

/* The numbering that parallelism.expert-groups asks for; sizes must multiply out. */
ss_expert_ranks ss_expert_ranks_of(const ss_workload *workload);

/* Groups along an axis, and the ranks of one of them in the order of the axis: `rank` [size of the axis], counted over
 * a stage. */
int64_t ss_expert_group_count(const ss_expert_ranks *ranks, ss_expert_axis axis);
void ss_expert_group_ranks(const ss_expert_ranks *ranks, ss_expert_axis axis, int64_t group, int32_t *rank);

#endif
