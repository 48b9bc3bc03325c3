#include "model/plan/pair_order.h"

#include "model/plan/job.h"

static ss_pair_lane lane_of(const ss_job *job, ss_chunk chunk, ss_pass pass)
{
  return (ss_pair_lane){.chunk = chunk, .pass = pass, .blocks = ss_job_block_count(job, chunk)};
}

ss_pair_order ss_pair_order_start(const ss_job *job, ss_chunk backward, ss_chunk forward)
{
  return (ss_pair_order){.lane = {lane_of(job, backward, SS_PASS_BACKWARD), lane_of(job, forward, SS_PASS_FORWARD)}};
}

static void enter_block(const ss_job *job, ss_pair_lane *lane)
{
  const int64_t block = ss_job_block_at(job, lane->chunk, lane->pass, lane->begun++);
  lane->exchanges = job->cuts[ss_job_block_kind(job, lane->chunk, block)][lane->pass].count;
  lane->inside = true;
}

/* What a pass that is not through comes to next, in its turn. */
static ss_pair_step go_on(const ss_job *job, ss_pair_lane *lane)
{
  if (lane->inside && lane->exchanges > 0) {
    lane->exchanges--;
    return SS_PAIR_EXCHANGE;
  }
  if (lane->inside) {
    lane->inside = false;
    return SS_PAIR_BLOCK_END;
  }
  if (lane->begun < lane->blocks) {
    enter_block(job, lane);
    return SS_PAIR_BLOCK_BEGIN;
  }
  lane->over = true;
  return SS_PAIR_PASS_END;
}

ss_pair_step ss_pair_order_next(const ss_job *job, ss_pair_order *order)
{
  if (order->leaves && !order->lane[1 - order->at].over) order->at = 1 - order->at;
  ss_pair_lane *lane = &order->lane[order->at];
  if (lane->over) return SS_PAIR_OVER;
  const ss_pair_step step = go_on(job, lane);
  order->leaves = step == SS_PAIR_EXCHANGE || step == SS_PAIR_PASS_END;
  return step;
}

bool ss_pair_order_next_block(const ss_job *job, ss_pair_order *order)
{
  ss_pair_step step = ss_pair_order_next(job, order);
  while (step != SS_PAIR_BLOCK_BEGIN && step != SS_PAIR_OVER) step = ss_pair_order_next(job, order);
  return step == SS_PAIR_BLOCK_BEGIN;
}
