#include "model/plan/stage_hops.h"

#include "model/schedule/schedule.h"

static int64_t ranks_of_a_stage(const ss_placement *placement)
{
  return placement->tp * placement->cp * placement->dp;
}

static int64_t domain_of(const ss_placement *placement, int64_t rank)
{
  return placement->gpu[rank] / placement->domain_size;
}

/* Ranks of a stage whose message to another stage crosses domains; at most `enough` of them. */
static int64_t count_crossing(const ss_placement *placement, int64_t from, int64_t to, int64_t enough)
{
  const int64_t ranks = ranks_of_a_stage(placement);
  int64_t crossing = 0;
  for (int64_t i = 0; i < ranks && crossing < enough; ++i)
    crossing += domain_of(placement, from * ranks + i) != domain_of(placement, to * ranks + i);
  return crossing;
}

bool ss_placement_crosses_somewhere(const ss_placement *placement, int64_t from, int64_t to)
{
  return count_crossing(placement, from, to, 1) > 0;
}

double ss_placement_slow_hops(const ss_placement *placement, const ss_pipeline_shape *shape)
{
  const int64_t ranks = ranks_of_a_stage(placement);
  int64_t hops = 0, slow = 0;
  for (int64_t stage = 0; stage < shape->stages; ++stage) {
    int64_t to = stage;
    for (int64_t c = 0; c < shape->chunks; ++c) {
      ss_chunk receiver;
      if (!ss_schedule_receiver(shape, (ss_chunk){stage, c}, SS_PASS_FORWARD, &receiver)) continue;
      if (receiver.stage == stage || receiver.stage == to) continue; /* stays, or goes where the one before went */
      to = receiver.stage;
      hops += ranks;
      if (ss_placement_crosses(placement, stage, to))
        slow += placement->even ? ranks : count_crossing(placement, stage, to, ranks);
    }
  }
  return hops == 0 ? 0.0 : (double)slow / (double)hops;
}
