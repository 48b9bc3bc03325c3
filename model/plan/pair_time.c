#include "model/plan/pair_time.h"

#include "model/base/number.h"
#include "model/plan/task_time.h"

/* A pass on its way through its blocks. */
typedef struct lane {
  const ss_job *job;
  ss_chunk chunk;
  ss_pass pass;
  int64_t place, cut; /* block it is in, exchange it comes to there */
  double there_s;     /* when its exchange is over */
  bool over;
} lane;

/* The clock of a pair. */
typedef struct pair_clock {
  double kernels_s, exchanges_s; /* when each stream has done what it was given */
  double host_s;                 /* when the host has launched all so far; -infinity where launches take no time */
  double cost;                   /* share of a GPU that an exchange takes */
  ss_pair_time sum;
} pair_clock;

static const ss_pass_cuts *cuts_at(const lane *l)
{
  const int64_t block = ss_job_block_at(l->job, l->chunk, l->pass, l->place);
  return &l->job->cuts[ss_job_block_kind(l->job, l->chunk, block)][l->pass];
}

/* What comes before the next exchange, or the end; that exchange, or NULL. */
static ss_turn_time go_on(lane *l, const ss_exchange_cut **next)
{
  const int64_t blocks = ss_job_block_count(l->job, l->chunk);
  ss_turn_time sum = ss_turn_time_none();
  for (; l->place < blocks; ++l->place, l->cut = 0) {
    const ss_pass_cuts *cuts = cuts_at(l);
    if (l->cut < cuts->count) {
      *next = &cuts->cut[l->cut++];
      return ss_turn_time_then(&sum, &(*next)->before);
    }
    sum = ss_turn_time_then(&sum, &cuts->rest);
  }
  *next = NULL;
  return sum;
}

/* Waits for what the host launches next. */
static void wait_for_host(pair_clock *c, const ss_launches *launches)
{
  const double wait_s = ss_launches_wait(launches, c->kernels_s, &c->host_s);
  c->kernels_s += wait_s;
  c->sum.host_s += wait_s;
}

/* Kernels that start now, and the collectives between them: as long as there are exchanges, kernels go on at a rate of
 * 1 - cost. They are taken to be spread evenly. */
static void compute(pair_clock *c, const ss_turn_time *run)
{
  wait_for_host(c, &run->launches);
  const double busy_s = ss_max(c->exchanges_s - c->kernels_s, 0.0);
  const double loss_s = run->kernels_s * c->cost / (1.0 - c->cost), slow_s = run->time_s + loss_s;
  const double lost_s = busy_s < slow_s ? loss_s * busy_s / slow_s : loss_s;
  c->kernels_s += run->time_s + lost_s;
  c->sum.slowed_s += lost_s;
}

/* A turn of a pass: what it waits for, its kernels, and its next exchange. Kernels behind an exchange are launched
 * after it, so that they may just as well wait until it is. */
static void take_turn(pair_clock *c, lane *l)
{
  const ss_exchange_cut *next;
  const ss_turn_time run = go_on(l, &next);
  c->kernels_s = ss_max(c->kernels_s, l->there_s);
  compute(c, &run);
  l->over = next == NULL;
  if (l->over) return;
  wait_for_host(c, &next->launches);
  c->exchanges_s = l->there_s = ss_max(c->kernels_s, c->exchanges_s) + next->exchange_s;
  compute(c, &next->late);
}

/* Both by themselves. */
static double alone_s(const lane *l)
{
  double sum_s = 0.0;
  for (int64_t i = 0; i < ss_job_block_count(l->job, l->chunk); ++i) {
    const ss_block_kind kind = ss_job_block_kind(l->job, l->chunk, i);
    sum_s += ss_duration_sum(l->job->pass[kind][l->pass]) + l->job->slowed_s[kind][l->pass];
  }
  return sum_s;
}

ss_pair_time ss_job_pair_time(const ss_job *job, ss_chunk backward, ss_chunk forward, double *host_s)
{
  lane lanes[] = {{.job = job, .chunk = backward, .pass = SS_PASS_BACKWARD},
                  {.job = job, .chunk = forward, .pass = SS_PASS_FORWARD}};
  ss_transport transport = ss_span_transport(job->span[SS_GROUP_EXPERT]);
  transport.experts = true;
  pair_clock c = {.host_s = *host_s, .cost = ss_machine_compute_cost(job->machine, transport)};
  for (int turn = 0; !lanes[0].over || !lanes[1].over; turn = 1 - turn)
    if (!lanes[turn].over) take_turn(&c, &lanes[turn]);
  c.sum.time_s = ss_max(c.kernels_s, c.exchanges_s);
  c.sum.hidden_s = alone_s(&lanes[0]) + alone_s(&lanes[1]) - (c.sum.time_s - c.sum.slowed_s - c.sum.host_s);
  *host_s = c.host_s;
  return c.sum;
}
