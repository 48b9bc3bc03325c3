#include "model/plan/pair_time.h"

#include <math.h>

#include "model/base/number.h"
#include "model/plan/task_time.h"

/* The cuts of the block that a pass is at. */
static const ss_pass_cuts *cuts_at(const ss_pair_clock *c, const ss_pair_lane *lane)
{
  const int64_t block = ss_job_block_at(c->job, lane->chunk, lane->pass, lane->begun - 1);
  return &c->job->cuts[ss_job_block_kind(c->job, lane->chunk, block)][lane->pass];
}

/* Waits for what the host launches next. */
static void wait_for_host(ss_pair_clock *c, const ss_launches *launches)
{
  const double wait_s = ss_launches_wait(launches, c->kernels_s, &c->host_s);
  c->kernels_s += wait_s;
  c->sum.host_s += wait_s;
}

/* Of a run, what has not run and what its kernels have lost so far. */
typedef struct run_left {
  double left_s, lost_s;
} run_left;

/* Lets a run go on for `busy_s`, as long as something takes a share of the GPU. */
static void run_beside(const ss_turn_time *run, double cost, double busy_s, run_left *left)
{
  if (busy_s <= 0.0 || left->left_s <= 0.0) return;
  const double loss_s = left->left_s / run->time_s * run->kernels_s * cost / (1.0 - cost);
  const double slow_s = left->left_s + loss_s, share = ss_min(busy_s / slow_s, 1.0);
  left->lost_s += share * loss_s;
  left->left_s -= share * left->left_s;
}

/* What the kernels of a run lose to exchanges and to what else is beside them: with both, to the one that takes more.
 */
static double lost_beside(ss_pair_clock *c, const ss_turn_time *run)
{
  const double exchanges_s = ss_max(c->exchanges_s - c->kernels_s, 0.0),
               others_s = ss_max(c->beside.until_s - c->kernels_s, 0.0);
  const bool longer = others_s > exchanges_s;
  const double both_s = ss_min(exchanges_s, others_s);
  run_left left = {.left_s = run->time_s};
  run_beside(run, ss_max(c->cost, c->beside.cost), both_s, &left);
  run_beside(run, longer ? c->beside.cost : c->cost, ss_max(exchanges_s, others_s) - both_s, &left);
  c->beside.margin_s = ss_min(c->beside.margin_s, others_s - run->time_s - left.lost_s);
  return left.lost_s;
}

/* What the kernels of a run lose to exchanges alone. */
static double lost_to_exchanges(const ss_pair_clock *c, const ss_turn_time *run)
{
  const double busy_s = ss_max(c->exchanges_s - c->kernels_s, 0.0);
  const double loss_s = run->kernels_s * c->cost / (1.0 - c->cost), slow_s = run->time_s + loss_s;
  return busy_s < slow_s ? loss_s * busy_s / slow_s : loss_s;
}

/* Kernels that start now, and the collectives between them: as long as there are exchanges, kernels go on at a rate of
 * 1 - cost. They are taken to be spread evenly. */
static void compute(ss_pair_clock *c, const ss_turn_time *run)
{
  wait_for_host(c, &run->launches);
  const double lost_s = c->beside.cost > 0.0 ? lost_beside(c, run) : lost_to_exchanges(c, run);
  c->kernels_s += run->time_s + lost_s;
  c->sum.slowed_s += lost_s;
}

static void compute_due(ss_pair_clock *c)
{
  compute(c, &c->due);
  c->due = ss_turn_time_none();
}

/* A pass starts its exchange. Kernels behind it are launched after it, so that they may just as well wait until it is.
 */
static void exchange(ss_pair_clock *c, const ss_exchange_cut *cut)
{
  c->due = ss_turn_time_then(&c->due, &cut->before);
  compute_due(c);
  wait_for_host(c, &cut->launches);
  c->exchanges_s = c->there_s[c->order.at] = ss_max(c->kernels_s, c->exchanges_s) + cut->exchange_s;
  compute(c, &cut->late);
}

ss_pair_step ss_pair_clock_next(ss_pair_clock *c)
{
  const ss_pair_step step = ss_pair_order_next(c->job, &c->order);
  const ss_pair_lane *lane = &c->order.lane[c->order.at];
  c->kernels_s = ss_max(c->kernels_s, c->there_s[c->order.at]);
  switch (step) {
  case SS_PAIR_EXCHANGE: exchange(c, &cuts_at(c, lane)->cut[cuts_at(c, lane)->count - 1 - lane->exchanges]); break;
  case SS_PAIR_BLOCK_END:
    c->due = ss_turn_time_then(&c->due, &cuts_at(c, lane)->rest);
    if (c->in_steps) compute_due(c);
    break;
  case SS_PAIR_PASS_END:
    if (!c->in_steps) compute_due(c);
    break;
  case SS_PAIR_BLOCK_BEGIN:
  case SS_PAIR_OVER: break;
  }
  return step;
}

/* Both by themselves. */
static double alone_s(const ss_job *job, const ss_pair_lane *lane)
{
  double sum_s = 0.0;
  for (int64_t i = 0; i < lane->blocks; ++i) {
    const ss_block_kind kind = ss_job_block_kind(job, lane->chunk, i);
    sum_s += ss_duration_sum(job->pass[kind][lane->pass]) + job->slowed_s[kind][lane->pass];
  }
  return sum_s;
}

ss_pair_clock ss_pair_clock_start(const ss_job *job, ss_chunk backward, ss_chunk forward, double host_s)
{
  ss_transport transport = ss_span_transport(job->span[SS_GROUP_EXPERT]);
  transport.experts = true;
  return (ss_pair_clock){.job = job,
                         .order = ss_pair_order_start(job, backward, forward),
                         .in_steps = true,
                         .due = ss_turn_time_none(),
                         .host_s = host_s,
                         .cost = ss_machine_compute_cost(job->machine, transport),
                         .beside.margin_s = INFINITY};
}

ss_pair_time ss_pair_clock_sum(const ss_pair_clock *c)
{
  const ss_pair_lane *lane = c->order.lane;
  ss_pair_time sum = c->sum;
  sum.time_s = ss_max(c->kernels_s, c->exchanges_s);
  sum.hidden_s =
      alone_s(c->job, &lane[0]) + alone_s(c->job, &lane[1]) - (sum.time_s - sum.slowed_s - sum.host_s - c->waited_s);
  return sum;
}

ss_pair_time ss_job_pair_time(const ss_job *job, ss_chunk backward, ss_chunk forward, double *host_s)
{
  ss_pair_clock clock = ss_pair_clock_start(job, backward, forward, *host_s);
  clock.in_steps = false;
  while (ss_pair_clock_next(&clock) != SS_PAIR_OVER) continue;
  *host_s = clock.host_s;
  return ss_pair_clock_sum(&clock);
}
