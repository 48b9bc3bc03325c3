#include "model/plan/placement/expert_ranks.h"

#include "model/input/workload.h"

/* Puts a digit behind those that are there, also along its axis. */
static void append(ss_expert_ranks *ranks, int place, ss_expert_axis axis, int64_t size)
{
  ss_expert_digit digit = {.axis = axis, .size = size, .stride = 1, .worth = 1};
  for (int i = 0; i < place; ++i) {
    digit.stride *= ranks->digit[i].size;
    if (ranks->digit[i].axis == axis) digit.worth *= ranks->digit[i].size;
  }
  ranks->digit[place] = digit;
}

/* Megatron-LM's order is etp, ep, edp (RankGenerator of megatron/core/parallel_state.py, for experts without cp). */
ss_expert_ranks ss_expert_ranks_of(const ss_workload *workload)
{
  const int64_t etp = ss_workload_etp(workload), ep = workload->parallelism.ep, edp = ss_workload_edp(workload);
  const ss_expert_groups groups = workload->parallelism.expert_groups;
  const int64_t beside = groups == SS_EXPERTS_REPLICAS ? workload->parallelism.cp * workload->parallelism.tp2
                         : groups == SS_EXPERTS_ACROSS ? edp
                                                       : 1;
  ss_expert_ranks ranks = {.size = {[SS_EXPERT_AXIS_TP] = etp, [SS_EXPERT_AXIS_EP] = ep, [SS_EXPERT_AXIS_DP] = edp}};
  append(&ranks, 0, SS_EXPERT_AXIS_TP, etp);
  append(&ranks, 1, SS_EXPERT_AXIS_DP, beside);
  append(&ranks, 2, SS_EXPERT_AXIS_EP, ep);
  append(&ranks, 3, SS_EXPERT_AXIS_DP, edp / beside);
  return ranks;
}

int64_t ss_expert_group_count(const ss_expert_ranks *ranks, ss_expert_axis axis)
{
  int64_t count = 1;
  for (int other = 0; other < SS_EXPERT_AXES; ++other)
    if (other != (int)axis) count *= ranks->size[other];
  return count;
}

/* The rank that one coordinate alone, the others being 0, leads to. */
static int64_t along(const ss_expert_ranks *ranks, ss_expert_axis axis, int64_t coordinate)
{
  int64_t rank = 0;
  for (int i = 0; i < SS_EXPERT_DIGITS; ++i) {
    const ss_expert_digit *digit = &ranks->digit[i];
    if (digit->axis == axis) rank += coordinate / digit->worth % digit->size * digit->stride;
  }
  return rank;
}

/* Groups are counted over the other axes, the first of them fastest. */
void ss_expert_group_ranks(const ss_expert_ranks *ranks, ss_expert_axis axis, int64_t group, int32_t *rank)
{
  int64_t first = 0;
  for (int other = 0; other < SS_EXPERT_AXES; ++other) {
    if (other == (int)axis) continue;
    first += along(ranks, (ss_expert_axis)other, group % ranks->size[other]);
    group /= ranks->size[other];
  }
  for (int64_t place = 0; place < ranks->size[axis]; ++place)
    rank[place] = (int32_t)(first + along(ranks, axis, place));
}
