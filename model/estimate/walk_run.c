#include "model/estimate/walk_run.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/number.h"
#include "model/estimate/shared_links.h"
#include "model/estimate/steady_state.h"
#include "model/estimate/streams.h"
#include "model/plan/optimizer.h"

/* What a block waits for: weights and gradients, the second tier, the host. */
typedef struct waits {
  double data_s, offload_s, host_s;
} waits;

static void expose(ss_walk *w, const waits *t)
{
  w->exposed.data_s += t->data_s;
  w->exposed.offload_s += t->offload_s;
  w->exposed.host_s += t->host_s;
}

static void run_collective(ss_walk *w, double time_s)
{
  ss_streams s = ss_streams_of(w);
  ss_streams_run(&s, time_s);
  ss_streams_keep(&s, w);
}

/* One collective after the other; a block has its weights when those that it needs are complete. */
static void gather_at_start(ss_walk *w)
{
  const ss_stage_ops *ops = &w->ops;
  double data_s = w->data_s;
  for (int64_t i = 0; i < ops->first;) {
    const double time_s = ss_walk_op_time(w, &ops->op[i])->time_s;
    for (const int64_t end = i + ops->op[i].alike; i < end; ++i) w->first_s[i + 1] = data_s += time_s;
  }
  w->data_s = data_s;
  for (int64_t i = 0; i < w->blocks; ++i) w->whole_s = ss_max(w->whole_s, w->first_s[w->block[i].needs]);
}

/* Starts the gathers of the first `count` fetches. A block that gathers nothing waits for nothing. */
static void gather_up_to(ss_walk *w, int64_t count)
{
  ss_fetcher *f = w->gather;
  if (f == NULL) return;
  ss_streams s = ss_streams_of(w);
  for (; f->steps < count && f->steps < w->last; ss_fetcher_step(w, f)) {
    const double gather_s = w->block[ss_way_block(f->way, f->place)].gather_s[f->way->pass];
    if (gather_s > 0.0) ss_streams_run(&s, gather_s);
    w->gathered_s[f->steps & w->mask] = gather_s > 0.0 ? s.data_s : -INFINITY;
  }
  ss_streams_keep(&s, w);
}

/* Reads for the block that the fetcher is at; false if what it reads has not been written yet. */
static bool read_at(ss_walk *w, const ss_fetcher *f)
{
  const ss_work *work = ss_fetcher_work(f);
  const int64_t block = ss_way_block(f->way, f->place);
  const ss_kind_time *time = w->block[block].time;
  const bool was_written = time->reads_back[work->pass];
  double there_s = -INFINITY;
  if (was_written && !ss_write_log_get(&w->written[work->chunk], block - ss_walk_first_block(w, work->chunk), &there_s))
    return false;
  const double free_s = ss_max(w->read_s, w->requested_s[f->steps & w->mask]);
  if (was_written) w->written_margin_s = ss_min(w->written_margin_s, free_s - there_s);
  if (time->read_s[work->pass] > 0.0) w->read_s = ss_max(free_s, there_s) + time->read_s[work->pass];
  w->read_done_s[f->steps & w->mask] = time->read_s[work->pass] > 0.0 ? w->read_s : 0.0;
  return true;
}

/* Requests the first `count` fetches, and starts what has been requested and written, in order. */
static void read_up_to(ss_walk *w, int64_t count)
{
  if (!w->job->offload.active) return;
  for (; w->requests < count && w->requests < w->last; ++w->requests)
    w->requested_s[w->requests & w->mask] = w->compute_s;
  for (ss_fetcher *f = w->read; f->steps < w->requests && read_at(w, f); ss_fetcher_step(w, f)) {
    const ss_work *work = ss_fetcher_work(f);
    if (w->written != NULL && work->pass == SS_PASS_BACKWARD && f->place == f->way->blocks - 1)
      ss_write_log_take(&w->written[work->chunk]);
  }
}

/* Writes what a pass of a block leaves behind: activations that are read again, or gradients. */
static void write_back(ss_walk *w, const ss_work *work, const ss_kind_time *time)
{
  if (time->write_s[work->pass] > 0.0) {
    w->write_margin_s = ss_min(w->write_margin_s, w->write_s - w->compute_s);
    w->write_s = ss_max(w->write_s, w->compute_s) + time->write_s[work->pass];
  }
  if (w->written != NULL && ss_pass_writes(work->pass)) ss_write_log_put(&w->written[work->chunk], w->write_s);
}

/* What a pass of a block that starts now loses to what is moved beside it. */
static ss_loss lose(ss_walk *w, const ss_kind_time *time, ss_pass pass)
{
  ss_streams s = ss_streams_of(w);
  const ss_loss lost = ss_streams_loss(&s, time, pass, w->shares_links);
  if (lost.delay_s > 0.0) ss_share_links_now(w, ss_beside_pass(time, pass, w->compute_s));
  ss_streams_keep(&s, w);
  return lost;
}

static double wait_until(ss_walk *w, double ready_s)
{
  ss_streams s = ss_streams_of(w);
  const double wait_s = ss_streams_wait(&s, ready_s);
  ss_streams_keep(&s, w);
  return wait_s;
}

/* Starts what runs ahead of compute that has come through so many fetches. */
static void fetch_ahead(ss_walk *w, int64_t fetches)
{
  gather_up_to(w, fetches + ss_gathers_ahead(w->job, w->paired));
  read_up_to(w, fetches + ss_reads_ahead(w->job, w->paired));
}

/* Waits for what a block needs, and then starts what is fetched ahead of it. Returns what data parallelism and the
 * second tier make it wait. */
static waits fetch(ss_walk *w, const ss_held_block *block)
{
  const int64_t slot = w->fetches++ & w->mask;
  gather_up_to(w, w->fetches);
  read_up_to(w, w->fetches);
  waits t = {.data_s = wait_until(w, w->first_s[block->needs])};
  if (w->job->data.gathers_each_pass) t.data_s += wait_until(w, w->gathered_s[slot]);
  if (w->job->offload.active) t.offload_s = wait_until(w, w->read_done_s[slot]);
  fetch_ahead(w, w->fetches);
  return t;
}

/* Waits until the host is so far that the kernels of a block follow one another; returns how long that is. */
static double wait_for_host(ss_walk *w, const ss_launches *launches)
{
  const double wait_s = ss_launches_wait(launches, w->compute_s, &w->host_s);
  w->compute_s += wait_s;
  return wait_s;
}

static double wait_for_calls(ss_walk *w, int64_t count)
{
  const ss_launches launches = ss_host_plan_calls(&w->job->host, count);
  return wait_for_host(w, &launches);
}

void ss_walk_launch_message(ss_walk *w)
{
  w->exposed.host_s += wait_for_calls(w, 1);
}

/* What a pass of a block waits for before it starts. */
static waits begin_block(ss_walk *w, const ss_work *work, const ss_held_block *block)
{
  return ss_pass_fetches(work->pass) ? fetch(w, block) : (waits){0};
}

/* What a pass of a block leaves behind; without overlap, it is over when its gradients are reduced. */
static waits end_block(ss_walk *w, const ss_work *work, const ss_held_block *block, bool reduces)
{
  waits t = {0};
  write_back(w, work, block->time);
  if (!reduces) return t;
  if (w->job->host.active && block->reductions > 0) t.host_s = wait_for_calls(w, block->reductions);
  if (block->ops_s[SS_OP_BEHIND] > 0.0) run_collective(w, block->ops_s[SS_OP_BEHIND]);
  if (!w->job->overlaps_data) t.data_s = wait_until(w, w->data_s);
  return t;
}

static void run_block(ss_walk *w, const ss_work *work, const ss_held_block *block, bool reduces)
{
  const ss_kind_time *time = block->time;
  waits t = begin_block(w, work, block);
  if (w->job->host.active) t.host_s = wait_for_host(w, &time->launches[work->pass]);
  const ss_loss lost = lose(w, time, work->pass);
  w->compute_s += time->run_s[work->pass] + lost.slowed_s + lost.shared_s;
  const waits behind = end_block(w, work, block, reduces);
  t.data_s += behind.data_s + lost.shared_s;
  t.host_s += behind.host_s;
  expose(w, &t);
  w->exposed.slowed_s += lost.slowed_s;
  if (work->pass == SS_PASS_WEIGHT) w->exposed.weight_s += t.data_s + t.host_s + lost.slowed_s;
}

/* A pass of the turn that the walk is in. */
static ss_work work_now(const ss_walk *w, const ss_work *first)
{
  ss_work work = *first;
  work.micro_batch += w->turn;
  return work;
}

void ss_walk_whole_pass(ss_walk *w, const ss_work *work, const ss_way *way, bool reducing)
{
  if (w->job->host.active) w->host_s = ss_host_plan_begin_s(&w->job->host, w->host_s, w->compute_s);
  for (int64_t i = 0; i < way->blocks; ++i) run_block(w, work, &w->block[ss_way_block(way, i)], reducing);
}

/* Chunks of a stage that have the same numbers take as long with each other each time, if no host launches them. */
static const ss_pair_time *known_pair(ss_walk *w, int64_t backward, int64_t forward)
{
  const int64_t chunks = w->job->chunks;
  if (w->pair == NULL) w->pair = calloc((size_t)(chunks * chunks), sizeof *w->pair);
  SS_ASSERT(w->pair != NULL);
  ss_pair_time *known = &w->pair[backward * chunks + forward];
  double host_s = -INFINITY;
  if (known->time_s <= 0.0)
    *known = ss_job_pair_time(w->job, (ss_chunk){w->stage, backward}, (ss_chunk){w->stage, forward}, &host_s);
  return known;
}

/* Of a pair that the host comes to when it is through with all before it. */
static ss_pair_time launched_pair(ss_walk *w, int64_t backward, int64_t forward)
{
  double host_s = ss_host_plan_begin_s(&w->job->host, w->host_s, w->compute_s) - w->compute_s;
  const ss_pair_time time =
      ss_job_pair_time(w->job, (ss_chunk){w->stage, backward}, (ss_chunk){w->stage, forward}, &host_s);
  w->host_s = w->compute_s + host_s;
  return time;
}

/* Of a pair beside which nothing starts: what was under way before it slows its kernels. */
static ss_pair_time quiet_pair(ss_walk *w, int64_t backward, int64_t forward)
{
  ss_pair_time t = w->job->host.active ? launched_pair(w, backward, forward) : *known_pair(w, backward, forward);
  const double busy_s = ss_max(w->data_s - w->compute_s, 0.0), slowed_s = w->data_cost * ss_min(busy_s, t.time_s);
  w->data_margin_s = ss_min(w->data_margin_s, busy_s - t.time_s - slowed_s);
  t.time_s += slowed_s;
  t.slowed_s += slowed_s;
  return t;
}

/* Plays what a block of a pair, whose clock began at `start_s`, begins or ends with. */
static void move_block(ss_walk *w, const ss_work *work, ss_pair_step step, double start_s, ss_pair_clock *clock)
{
  const ss_pair_lane *lane = &clock->order.lane[clock->order.at];
  const ss_held_block *block = &w->block[ss_way_block(ss_walk_way(w, work), lane->begun - 1)];
  w->compute_s = start_s + clock->kernels_s;
  w->host_s = start_s + clock->host_s;
  const waits t = step == SS_PAIR_BLOCK_BEGIN
                      ? begin_block(w, work, block)
                      : end_block(w, work, block, ss_walk_reduces(w, work, ss_walk_way(w, work)));
  expose(w, &t);
  clock->waited_s += t.data_s + t.offload_s + t.host_s;
  clock->kernels_s = w->compute_s - start_s;
  clock->host_s = w->host_s - start_s;
  clock->beside.until_s = w->data_s - start_s;
}

/* Of a pair whose blocks gather, read, write or reduce. */
static ss_pair_time moving_pair(ss_walk *w, const ss_work *backward, const ss_work *forward)
{
  const double start_s = w->compute_s;
  const bool launches = w->job->host.active;
  const double host_s = launches ? ss_host_plan_begin_s(&w->job->host, w->host_s, start_s) - start_s : -INFINITY;
  ss_pair_clock clock =
      ss_pair_clock_start(w->job, (ss_chunk){w->stage, backward->chunk}, (ss_chunk){w->stage, forward->chunk}, host_s);
  w->paired = true;
  clock.beside = (ss_pair_beside){w->data_s - start_s, w->data_cost, INFINITY};
  for (ss_pair_step step; (step = ss_pair_clock_next(&clock)) != SS_PAIR_OVER;)
    if (step == SS_PAIR_BLOCK_BEGIN || step == SS_PAIR_BLOCK_END)
      move_block(w, clock.order.at == 0 ? backward : forward, step, start_s, &clock);
  w->paired = false;
  w->compute_s = start_s;
  if (launches) w->host_s = start_s + clock.host_s;
  if (w->data_cost > 0.0) w->data_margin_s = ss_min(w->data_margin_s, clock.beside.margin_s);
  return ss_pair_clock_sum(&clock);
}

/* What is moved in passes before a pair may still be under way beside it. */
static bool moves(const ss_walk *w, const ss_work *work)
{
  const ss_work now = work_now(w, work);
  return ss_job_moves_each_pass(w->job) || ss_pass_moves_data(w->job, &now);
}

double ss_walk_pair(ss_walk *w, const ss_work *backward, const ss_work *forward)
{
  const bool moving = moves(w, backward) || moves(w, forward);
  const ss_pair_time t = moving ? moving_pair(w, backward, forward) : quiet_pair(w, backward->chunk, forward->chunk);
  w->compute_s += t.time_s;
  w->exposed.slowed_s += t.slowed_s;
  w->exposed.host_s += t.host_s;
  return t.hidden_s;
}

static void run_turns(ss_walk *w)
{
  ss_steady_start(w);
  while (w->turn < w->turns.count && w->to_settle > 0) {
    for (int64_t i = 0; i < w->turns.passes; ++i) ss_walk_pass(w, &w->turns.work[i]);
    w->turn++;
    ss_steady_turns(w);
  }
}

/* What may not run beside the passes is reduced when they are over. */
static void reduce_rest(ss_walk *w)
{
  for (int64_t i = 0; i < w->blocks; ++i) run_collective(w, w->block[i].ops_s[SS_OP_BEHIND]);
}

void ss_walk_start(ss_walk *w, double lead_s)
{
  w->compute_s = w->data_s = w->read_s = w->first_s[0] = -lead_s;
  if (w->job->data.gathers_at_start) gather_at_start(w);
  fetch_ahead(w, 0);
  read_up_to(w, 1 + ss_reads_ahead(w->job, w->paired)); /* the first block itself does not wait for a pass either */
  w->compute_s = 0.0;
}

/* When passes, and what is reduced, are over. */
static double reduced_s(const ss_walk *w)
{
  return ss_max(w->compute_s, w->data_s);
}

/* The host steps when all gradients are there. */
static double step_ready_s(const ss_walk *w)
{
  return w->job->offload.gradients ? ss_max(reduced_s(w), w->write_s) : reduced_s(w);
}

static void launch_step(ss_walk *w)
{
  const double gpu_s = ss_optimizer_time_kernels_s(ss_job_optimizer(w->job, w->stage));
  const ss_launches launches = ss_job_step_launches(w->job, w->stage, gpu_s);
  w->exposed.step_s = ss_launches_wait(&launches, step_ready_s(w), &w->host_s);
  w->exposed.host_s += w->exposed.step_s;
}

void ss_walk_finish(ss_walk *w)
{
  if (ss_reduces_at_end(w->job)) reduce_rest(w);
  w->exposed.tail_s = ss_max(w->data_s - w->compute_s, 0.0);
  w->exposed.offload_s += step_ready_s(w) - reduced_s(w);
  if (w->job->host.active) launch_step(w);
}

void ss_walk_run(ss_walk *w, double lead_s)
{
  ss_walk_start(w, lead_s);
  for (ss_steady_rounds(w); w->to_settle > 0 && ss_order_next(&w->order, &w->turns); ss_steady_rounds(w)) run_turns(w);
  ss_walk_finish(w);
}
