#include "model/plan/placement_groups.h"

ss_span ss_placement_even_span(const ss_placement *placement, ss_axes axes)
{
  SS_ASSERT(placement->even);
  const ss_coordinates *inside = &placement->inside;
  const int64_t size = (axes.tp ? placement->tp : 1) * (axes.cp ? placement->cp : 1) * (axes.dp ? placement->dp : 1);
  const int64_t per_domain = (axes.tp ? inside->tp : 1) * (axes.cp ? inside->cp : 1) * (axes.dp ? inside->dp : 1);
  return (ss_span){.size = size, .domains = size / per_domain, .per_domain = per_domain};
}

/* A group of replicas: neighbours, or as far apart as there are neighbours in a group. */
static ss_span even_replicas(const ss_placement *placement, int64_t size, bool neighbour)
{
  const int64_t beside = ss_placement_neighbours(placement), inside = placement->inside.dp;
  const int64_t near = beside < inside ? beside : inside, far = inside > beside ? inside / beside : 1;
  const int64_t per_domain = neighbour ? near : far;
  SS_ASSERT(placement->even);
  return (ss_span){.size = size, .domains = size / per_domain, .per_domain = per_domain};
}

ss_span ss_placement_even_expert_span(const ss_placement *placement)
{
  return even_replicas(placement, placement->ep, !placement->experts_across);
}

ss_span ss_placement_even_expert_data_span(const ss_placement *placement)
{
  ss_span span = even_replicas(placement, placement->dp / placement->ep, placement->experts_across);
  if (placement->cp_splits_weights) return span;
  span.size *= placement->cp;
  span.domains *= placement->cp / placement->inside.cp;
  span.per_domain *= placement->inside.cp;
  return span;
}

void ss_placement_tensor_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu)
{
  for (at.tp = 0; at.tp < placement->tp; ++at.tp) gpu[at.tp] = (int32_t)ss_placement_gpu(placement, at);
}

void ss_placement_context_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu)
{
  for (at.cp = 0; at.cp < placement->cp; ++at.cp) gpu[at.cp] = (int32_t)ss_placement_gpu(placement, at);
}

int64_t ss_placement_expert_replica(const ss_placement *placement, int64_t group, int64_t place)
{
  return placement->experts_across ? group + place * (placement->dp / placement->ep) : group * placement->ep + place;
}

int64_t ss_placement_expert_group(const ss_placement *placement, int64_t replica)
{
  return placement->experts_across ? replica % (placement->dp / placement->ep) : replica / placement->ep;
}

int64_t ss_placement_expert_place(const ss_placement *placement, int64_t replica)
{
  return placement->experts_across ? replica / (placement->dp / placement->ep) : replica % placement->ep;
}

int64_t ss_placement_shards(const ss_placement *placement)
{
  return placement->tp * (placement->cp_splits_weights ? placement->cp : 1);
}

/* The ranks of one replica of a stage that hold a shard; returns how many. */
static int64_t holders_in_replica(const ss_placement *placement, int64_t stage, int64_t shard, int64_t replica,
                                  int32_t *gpu)
{
  ss_coordinates at = {.tp = shard % placement->tp, .cp = shard / placement->tp, .dp = replica, .pp = stage};
  if (!placement->cp_splits_weights) {
    ss_placement_context_group(placement, at, gpu);
    return placement->cp;
  }
  *gpu = (int32_t)ss_placement_gpu(placement, at);
  return 1;
}

int64_t ss_placement_data_group(const ss_placement *placement, int64_t stage, int64_t shard, int32_t *gpu)
{
  int64_t count = 0;
  for (int64_t replica = 0; replica < placement->dp; ++replica)
    count += holders_in_replica(placement, stage, shard, replica, gpu + count);
  return count;
}

int64_t ss_placement_expert_data_group(const ss_placement *placement, int64_t stage, int64_t shard, int64_t place,
                                       int32_t *gpu)
{
  int64_t count = 0;
  for (int64_t group = 0; group < placement->dp / placement->ep; ++group) {
    const int64_t replica = ss_placement_expert_replica(placement, group, place);
    count += holders_in_replica(placement, stage, shard, replica, gpu + count);
  }
  return count;
}
