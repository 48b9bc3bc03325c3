#include "model/plan/stage_hops.h"

static int64_t ranks_of_a_stage(const ss_placement *placement)
{
  return placement->tp * placement->cp * placement->dp;
}

/* The message of a rank to the next stage crosses domains; the first stage comes after the last. */
static bool crosses(const ss_placement *placement, int64_t rank)
{
  const int64_t stage_ranks = ranks_of_a_stage(placement);
  const int64_t next = (rank + stage_ranks) % (stage_ranks * placement->pp);
  return placement->gpu[rank] / placement->domain_size != placement->gpu[next] / placement->domain_size;
}

static bool even_hop_crosses(const ss_placement *placement, int64_t stage)
{
  return placement->inside.pp < placement->pp && (stage + 1) % placement->inside.pp == 0;
}

bool ss_placement_hop_crosses(const ss_placement *placement, int64_t stage)
{
  if (placement->even) return even_hop_crosses(placement, stage);
  const int64_t ranks = ranks_of_a_stage(placement);
  for (int64_t rank = stage * ranks; rank < (stage + 1) * ranks; ++rank)
    if (crosses(placement, rank)) return true;
  return false;
}

double ss_placement_slow_hops(const ss_placement *placement, int64_t chunks)
{
  const int64_t stages = chunks > 1 ? placement->pp : placement->pp - 1;
  const int64_t hops = ranks_of_a_stage(placement) * stages;
  int64_t slow = 0;
  if (placement->even && placement->inside.pp < placement->pp)
    slow = ranks_of_a_stage(placement) * (stages / placement->inside.pp);
  for (int64_t rank = 0; !placement->even && rank < hops; ++rank) slow += crosses(placement, rank);
  return hops == 0 ? 0.0 : (double)slow / (double)hops;
}
