#include "model/streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/written.h"

double ss_compute_cost(const ss_machine *machine, bool across_domains)
{
  return across_domains ? machine->fabric_compute_cost : machine->nvlink_compute_cost;
}

/* What the passes of a kind of block take. */
typedef struct kind_time {
  double run_s[SS_PASSES], loss_s[SS_PASSES];   /* loss: of kernels, when data-parallel collectives run all along */
  double read_s[SS_PASSES], write_s[SS_PASSES]; /* of the second tier */
  double gather_s;                              /* of its weights */
  bool gathers;                                 /* there are any */
} kind_time;

/* A block of the stage, counted over its chunks. */
typedef struct held_block {
  const kind_time *time;
  double reduce_s;  /* of the collectives that start when its gradients are there; 0 for none */
  double weights_s; /* when its weights, gathered at the start, are there */
} held_block;

/* Up to where blocks have been fetched for, ahead of compute. Weight passes need nothing. */
typedef struct cursor {
  ss_order order;
  ss_turns turns;
  int64_t runs, turn, pass, place; /* runs: before this one */
  int64_t blocks, first;           /* of the chunk of this pass */
  int64_t steps;                   /* blocks before this one */
} cursor;

/* A stage as it was between two turns: what it says of the time after is the same whenever it is the same. */
typedef struct mark {
  bool valid;
  double compute_s, data_s, write_s; /* of the last two, how far they are behind compute */
  int64_t gathers, requests, reads;  /* ahead of compute */
  int64_t lags;
  double *lag_s; /* [lags] the same of reads, and of all that is fetched ahead */
  ss_exposure exposed;
} mark;

/* A stage on its way through an iteration. Turns that are like the one before are not walked through but skipped:
 * meanwhile the clock stands still, and what is counted (fetches) is not counted. */
typedef struct walk {
  const ss_job *job;
  int64_t stage, blocks, prefetch, micro_batches;
  kind_time kind[SS_BLOCK_COUNT];
  bool shared[SS_WEIGHTS]; /* held by other ranks, too */
  double bucket_bytes[SS_WEIGHTS];
  void *memory;        /* of all arrays */
  held_block *block;   /* [blocks] */
  ss_written *written; /* [chunks] where activations are offloaded, else NULL; owned */
  ss_order order;
  ss_turns turns;        /* those it is in */
  int64_t runs, turn;    /* before these; of these */
  int64_t fetches, last; /* blocks that weights or activations had to be fetched for so far, and in all */
  int64_t requests;      /* fetches that have been asked of the second tier */
  cursor gather, read;   /* up to where gathers and reads have been started */
  int64_t mask;          /* of the rings: size - 1 */
  double *gathered_s, *requested_s, *read_done_s; /* rings: when fetches are there, were asked for, and there */
  double compute_s, data_s, read_s, write_s;      /* when each stream has done what it was given */
  double data_cost;                               /* share of compute that the data stream takes */
  /* by how much, at least, the data stream was busy when that mattered; the write stream; reads after their writes */
  double data_margin_s, write_margin_s, written_margin_s;
  double round_margin_s; /* of the data stream, since the last round began */
  mark before, now, round_before, round_now;
  ss_exposure exposed;
} walk;

static bool overlaps_data(const ss_job *job)
{
  return job->workload->schedule.overlap_dp == SS_YES;
}

static bool offloads_activations(const ss_job *job)
{
  return job->offload.active && job->workload->training.offload_activations == SS_YES;
}

/* Where the blocks of a chunk start among those of the stage. */
static int64_t first_block(const walk *w, int64_t chunk)
{
  const int64_t *first = &w->job->block_first[w->stage * w->job->chunks];
  return first[chunk] - first[0];
}

static double collective_s(const walk *w, ss_weights weights, ss_collective kind, double bytes)
{
  return ss_comm_time_sum(ss_job_data_time(w->job, kind, w->job->data_span[weights][w->stage], bytes));
}

static kind_time time_of(const walk *w, ss_block_kind kind)
{
  const ss_job *job = w->job;
  kind_time t = {.gather_s = 0.0};
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    const ss_duration duration = job->pass[kind][pass];
    t.run_s[pass] = ss_duration_sum(duration);
    t.loss_s[pass] = ss_duration_kernel_s(duration) * w->data_cost / (1.0 - w->data_cost);
    if (!job->offload.active) continue;
    t.read_s[pass] = job->offload.read_bytes[kind][pass] / job->offload.bytes_per_s;
    t.write_s[pass] = job->offload.write_bytes[kind][pass] / job->offload.bytes_per_s;
  }
  for (int weights = 0; weights < SS_WEIGHTS && job->data.gathers_each_pass; ++weights) {
    const double bytes = job->gather_bytes[kind][weights];
    if (bytes <= 0.0) continue;
    t.gather_s += collective_s(w, (ss_weights)weights, SS_ALL_GATHER, bytes);
    t.gathers = true;
  }
  return t;
}

/* Puts a block into the bucket of its class of weights. When that is full or `closes`, it goes: true, and how long that
 * takes. What no other rank holds stays. */
static bool fill_bucket(walk *w, ss_weights weights, ss_collective kind, double bytes, bool closes, double *time_s)
{
  if (!w->shared[weights]) return false;
  w->bucket_bytes[weights] += bytes;
  if (!closes && w->bucket_bytes[weights] < w->job->data.bucket_bytes) return false;
  *time_s = collective_s(w, weights, kind, w->bucket_bytes[weights]);
  w->bucket_bytes[weights] = 0.0;
  return true;
}

/* From the last block of each chunk to its first, as gradients come. */
static void list_reductions(walk *w)
{
  const ss_job *job = w->job;
  const int8_t *kind = &job->block_kind[job->block_first[w->stage * job->chunks]];
  for (int64_t chunk = 0; chunk < job->chunks; ++chunk)
    for (int64_t first = first_block(w, chunk), i = first_block(w, chunk + 1); i-- > first;)
      for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
        double time_s = 0.0;
        const double bytes = job->reduce_bytes[kind[i]][weights];
        if (fill_bucket(w, (ss_weights)weights, job->data.reduction, bytes, i == first, &time_s))
          w->block[i].reduce_s += time_s;
      }
}

static void list_blocks(walk *w)
{
  const ss_job *job = w->job;
  const int8_t *kind = &job->block_kind[job->block_first[w->stage * job->chunks]];
  bool known[SS_BLOCK_COUNT] = {false};
  for (int64_t i = 0; i < w->blocks; ++i) {
    if (!known[kind[i]]) w->kind[kind[i]] = time_of(w, (ss_block_kind)kind[i]);
    known[kind[i]] = true;
    w->block[i] = (held_block){.time = &w->kind[kind[i]]};
  }
  if (job->data.active) list_reductions(w);
}

static double data_cost(const ss_job *job, int64_t stage)
{
  double cost = 0.0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    const ss_span span = job->data_span[weights][stage];
    if (span.size > 1) cost = fmax(cost, ss_compute_cost(job->machine, span.domains > 1));
  }
  return cost;
}

/* Enters the pass that the cursor is at. */
static void enter_pass(const walk *w, cursor *c)
{
  const int64_t chunk = c->turns.work[c->pass].chunk;
  c->first = first_block(w, chunk);
  c->blocks = first_block(w, chunk + 1) - c->first;
}

/* Goes to the next run. Past the last one the cursor stays: nothing more is fetched there. */
static void enter_run(cursor *c)
{
  c->runs++;
  c->turn = c->pass = 0;
  if (!ss_order_next(&c->order, &c->turns)) c->runs = INT64_MAX;
}

static void next_pass(const walk *w, cursor *c)
{
  do {
    if (++c->pass == c->turns.passes) {
      c->pass = 0;
      if (++c->turn == c->turns.count) enter_run(c);
    }
  } while (c->runs < INT64_MAX && c->turns.work[c->pass].pass == SS_PASS_WEIGHT);
  c->place = 0;
  enter_pass(w, c);
}

static void step_on(const walk *w, cursor *c)
{
  c->steps++;
  if (++c->place == c->blocks) next_pass(w, c);
}

static cursor start_cursor(const walk *w)
{
  cursor c = {.order = w->order};
  enter_run(&c);
  enter_pass(w, &c);
  return c;
}

/* The block that a pass comes to at `place`. */
static int64_t block_at(ss_pass pass, int64_t first, int64_t blocks, int64_t place)
{
  return first + (pass == SS_PASS_FORWARD ? place : blocks - 1 - place);
}

static void init_arrays(walk *w)
{
  int64_t ring = 2;
  while (ring < w->prefetch + 2) ring *= 2;
  w->mask = ring - 1;
  mark *marks[] = {&w->before, &w->now, &w->round_before, &w->round_now};
  const int64_t lags = 3 * ring + 1, mark_count = sizeof marks / sizeof marks[0];
  const int64_t times = 3 * ring + mark_count * lags;
  double *next = malloc((size_t)times * sizeof *next + (size_t)w->blocks * sizeof *w->block);
  SS_ASSERT(next != NULL);
  w->memory = next;
  w->gathered_s = next;
  w->requested_s = w->gathered_s + ring;
  w->read_done_s = w->requested_s + ring;
  next = w->read_done_s + ring;
  for (int64_t i = 0; i < mark_count; ++i, next += lags) marks[i]->lag_s = next;
  w->block = (held_block *)next;
}

static void init_written(walk *w)
{
  if (!offloads_activations(w->job)) return;
  w->written = malloc((size_t)w->job->chunks * sizeof *w->written);
  SS_ASSERT(w->written != NULL);
  for (int64_t i = 0; i < w->job->chunks; ++i)
    ss_written_init(&w->written[i], first_block(w, i + 1) - first_block(w, i));
}

static void walk_init(walk *w, const ss_job *job, int64_t stage, int64_t micro_batches)
{
  ss_pipeline_shape shape = job->shape;
  shape.micro_batches = micro_batches;
  const int64_t *first = &job->block_first[stage * job->chunks];
  *w = (walk){.job = job,
              .stage = stage,
              .blocks = first[job->chunks] - first[0],
              .prefetch = job->workload->schedule.prefetch,
              .micro_batches = micro_batches,
              .order = ss_order_start(&shape, stage),
              .data_cost = data_cost(job, stage),
              .round_margin_s = INFINITY};
  w->last = 2 * micro_batches * w->blocks;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights)
    w->shared[weights] = ss_job_holders(job, (ss_weights)weights) > 1;
  init_arrays(w);
  init_written(w);
  list_blocks(w);
  if (job->data.gathers_each_pass) w->gather = start_cursor(w);
  if (job->offload.active) w->read = start_cursor(w);
}

static void walk_free(walk *w)
{
  for (int64_t i = 0; i < w->job->chunks && w->written != NULL; ++i) ss_written_free(&w->written[i]);
  free(w->written);
  free(w->memory);
}

/* Runs a collective when the data stream is free. */
static void run_collective(walk *w, double time_s)
{
  w->data_margin_s = fmin(w->data_margin_s, w->data_s - w->compute_s);
  w->data_s = fmax(w->data_s, w->compute_s) + time_s;
}

/* Block by block as forward comes to them; the weights of a block are there when the last of their buckets is. */
static void gather_chunk(walk *w, int64_t chunk)
{
  const ss_job *job = w->job;
  const int8_t *kind = &job->block_kind[job->block_first[w->stage * job->chunks]];
  const int64_t end = first_block(w, chunk + 1);
  int64_t waiting[SS_WEIGHTS];
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) waiting[weights] = first_block(w, chunk);
  for (int64_t i = first_block(w, chunk); i < end; ++i)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      const double bytes = job->gather_bytes[kind[i]][weights];
      double time_s = 0.0;
      if (!fill_bucket(w, (ss_weights)weights, SS_ALL_GATHER, bytes, i == end - 1, &time_s)) continue;
      w->data_s += time_s;
      for (; waiting[weights] <= i; ++waiting[weights])
        if (job->gather_bytes[kind[waiting[weights]]][weights] > 0.0) w->block[waiting[weights]].weights_s = w->data_s;
    }
}

static void gather_at_start(walk *w)
{
  for (int64_t chunk = 0; chunk < w->job->chunks; ++chunk) gather_chunk(w, chunk);
  for (int64_t i = 0; i < w->blocks && !overlaps_data(w->job); ++i) w->block[i].weights_s = w->data_s;
}

/* Starts the gathers of the first `count` fetches. */
static void gather_up_to(walk *w, int64_t count)
{
  if (!w->job->data.gathers_each_pass) return;
  for (cursor *c = &w->gather; c->steps < count && c->steps < w->last; step_on(w, c)) {
    const ss_pass pass = c->turns.work[c->pass].pass;
    const kind_time *time = w->block[block_at(pass, c->first, c->blocks, c->place)].time;
    if (time->gathers) run_collective(w, time->gather_s);
    w->gathered_s[c->steps & w->mask] = w->data_s;
  }
}

/* Reads for the block at the cursor; false if what it reads has not been written yet. */
static bool read_at(walk *w, const cursor *c)
{
  const ss_work *work = &c->turns.work[c->pass];
  const int64_t block = block_at(work->pass, c->first, c->blocks, c->place);
  const kind_time *time = w->block[block].time;
  const bool was_written = work->pass != SS_PASS_FORWARD && time->write_s[SS_PASS_FORWARD] > 0.0;
  double there_s = 0.0;
  if (was_written && !ss_written_get(&w->written[work->chunk], block - c->first, &there_s)) return false;
  const double free_s = fmax(w->read_s, w->requested_s[c->steps & w->mask]);
  if (was_written) w->written_margin_s = fmin(w->written_margin_s, free_s - there_s);
  if (time->read_s[work->pass] > 0.0) w->read_s = fmax(free_s, there_s) + time->read_s[work->pass];
  w->read_done_s[c->steps & w->mask] = time->read_s[work->pass] > 0.0 ? w->read_s : 0.0;
  return true;
}

/* Requests the first `count` fetches, and starts what has been requested and written, in order. */
static void read_up_to(walk *w, int64_t count)
{
  if (!w->job->offload.active) return;
  for (; w->requests < count && w->requests < w->last; ++w->requests)
    w->requested_s[w->requests & w->mask] = w->compute_s;
  for (cursor *c = &w->read; c->steps < w->requests && read_at(w, c); step_on(w, c)) {
    const ss_work *work = &c->turns.work[c->pass];
    if (w->written != NULL && work->pass == SS_PASS_BACKWARD && c->place == c->blocks - 1)
      ss_written_take(&w->written[work->chunk]);
  }
}

/* Writes what a pass of a block leaves behind. */
static void write_back(walk *w, const ss_work *work, const kind_time *time)
{
  if (w->written == NULL || work->pass != SS_PASS_FORWARD) return;
  if (time->write_s[SS_PASS_FORWARD] > 0.0) {
    w->write_margin_s = fmin(w->write_margin_s, w->write_s - w->compute_s);
    w->write_s = fmax(w->write_s, w->compute_s) + time->write_s[SS_PASS_FORWARD];
  }
  ss_written_put(&w->written[work->chunk], w->write_s);
}

/* What is reduced once, but not beside compute, is reduced when all passes are over. */
static bool waits_for_end(const ss_job *job)
{
  return !job->data.reduces_each_pass && !overlaps_data(job);
}

/* What the kernels of a pass of a block that starts now lose while the data stream is busy. */
static double slowed_s(walk *w, const kind_time *time, ss_pass pass)
{
  const double loss_s = time->loss_s[pass];
  if (loss_s <= 0.0) return 0.0;
  const double slow_s = time->run_s[pass] + loss_s, busy_s = fmax(w->data_s - w->compute_s, 0.0);
  w->data_margin_s = fmin(w->data_margin_s, busy_s - slow_s);
  return busy_s < slow_s ? loss_s * busy_s / slow_s : loss_s;
}

/* Lets compute wait until `ready_s`; returns how long that is. */
static double wait_until(walk *w, double ready_s)
{
  const double wait_s = fmax(ready_s - w->compute_s, 0.0);
  w->compute_s += wait_s;
  return wait_s;
}

/* Starts what runs ahead of compute that has come through so many fetches. */
static void fetch_ahead(walk *w, int64_t fetches)
{
  gather_up_to(w, fetches + (overlaps_data(w->job) ? w->prefetch : 0));
  read_up_to(w, fetches + w->prefetch);
}

/* Waits for what a block needs, and then starts what is fetched ahead of it. Returns what data parallelism and the
 * second tier make it wait. */
static ss_exposure fetch(walk *w, const held_block *block)
{
  const int64_t fetch = w->fetches++ & w->mask;
  gather_up_to(w, w->fetches);
  read_up_to(w, w->fetches);
  ss_exposure waits = {.data_s = wait_until(w, block->weights_s)};
  if (w->job->data.gathers_each_pass) waits.data_s += wait_until(w, w->gathered_s[fetch]);
  if (w->job->offload.active) waits.offload_s = wait_until(w, w->read_done_s[fetch]);
  fetch_ahead(w, w->fetches);
  return waits;
}

/* A pass of a block; without overlap, it is over when its gradients are reduced. */
static void run_block(walk *w, const ss_work *work, const held_block *block, bool reduces)
{
  const kind_time *time = block->time;
  ss_exposure exposed = {0};
  if (work->pass != SS_PASS_WEIGHT) exposed = fetch(w, block);
  exposed.slowed_s = slowed_s(w, time, work->pass);
  w->compute_s += time->run_s[work->pass] + exposed.slowed_s;
  write_back(w, work, time);
  if (reduces && block->reduce_s > 0.0) run_collective(w, block->reduce_s);
  if (reduces && !overlaps_data(w->job)) exposed.data_s += wait_until(w, w->data_s);
  w->exposed.data_s += exposed.data_s;
  w->exposed.offload_s += exposed.offload_s;
  w->exposed.slowed_s += exposed.slowed_s;
  if (work->pass == SS_PASS_WEIGHT) w->exposed.weight_s += exposed.data_s + exposed.slowed_s;
}

static void run_pass(walk *w, const ss_work *work)
{
  const ss_data_plan *plan = &w->job->data;
  const bool last = work->micro_batch + w->turn == w->micro_batches - 1;
  const bool reduces = plan->active && work->pass == plan->reducing_pass && (plan->reduces_each_pass || last);
  const int64_t first = first_block(w, work->chunk), blocks = first_block(w, work->chunk + 1) - first;
  for (int64_t place = 0; place < blocks; ++place)
    run_block(w, work, &w->block[block_at(work->pass, first, blocks, place)], reduces && !waits_for_end(w->job));
}

/* a + factor (b - c) */
static ss_exposure add_difference(ss_exposure a, double factor, ss_exposure b, ss_exposure c)
{
  return (ss_exposure){.data_s = a.data_s + factor * (b.data_s - c.data_s),
                       .offload_s = a.offload_s + factor * (b.offload_s - c.offload_s),
                       .slowed_s = a.slowed_s + factor * (b.slowed_s - c.slowed_s),
                       .weight_s = a.weight_s + factor * (b.weight_s - c.weight_s),
                       .tail_s = a.tail_s + factor * (b.tail_s - c.tail_s)};
}

/* How far behind compute something is; what is not behind does not matter. */
static double lag_of(const walk *w, double time_s)
{
  return fmax(time_s - w->compute_s, 0.0);
}

/* What is requested but not read for starts when it was requested, or later. */
static void take_mark(const walk *w, mark *m)
{
  const int64_t gathers = w->job->data.gathers_each_pass ? w->gather.steps : w->fetches;
  const int64_t reads = w->job->offload.active ? w->read.steps : w->fetches;
  const int64_t requests = w->job->offload.active ? w->requests : w->fetches;
  *m = (mark){.valid = true,
              .compute_s = w->compute_s,
              .data_s = lag_of(w, w->data_s),
              .write_s = lag_of(w, w->write_s),
              .gathers = gathers - w->fetches,
              .requests = requests - w->fetches,
              .reads = reads - w->fetches,
              .lag_s = m->lag_s,
              .exposed = w->exposed};
  m->lag_s[m->lags++] = requests > reads ? w->read_s - w->compute_s : lag_of(w, w->read_s);
  for (int64_t i = w->fetches; i < gathers; ++i) m->lag_s[m->lags++] = lag_of(w, w->gathered_s[i & w->mask]);
  for (int64_t i = w->fetches; i < reads; ++i) m->lag_s[m->lags++] = lag_of(w, w->read_done_s[i & w->mask]);
  for (int64_t i = reads; i < requests; ++i) m->lag_s[m->lags++] = w->requested_s[i & w->mask] - w->compute_s;
}

/* All but how far the data and the write stream are behind. */
static bool is_same(const mark *a, const mark *b, double tolerance_s)
{
  if (!a->valid || a->lags != b->lags) return false;
  if (a->gathers != b->gathers || a->requests != b->requests || a->reads != b->reads) return false;
  for (int64_t i = 0; i < a->lags; ++i)
    if (fabs(a->lag_s[i] - b->lag_s[i]) > tolerance_s) return false;
  return true;
}

static void swap_marks(mark *a, mark *b)
{
  const mark old = *a;
  *a = *b;
  *b = old;
}

/* Two times are the same, but for rounding: as a share of the clock. */
#define SAME 1e-13

/* How often a stream can come to be `drift_s` further behind before anything is different: it has been busy by
 * `margin_s` whenever that mattered. */
static double drifts(double drift_s, double margin_s, double tolerance_s)
{
  if (fabs(drift_s) <= tolerance_s) return INFINITY;
  if (margin_s <= 0.0) return 0.0;
  return drift_s < 0.0 ? floor(margin_s / -drift_s) : INFINITY;
}

/* The pass of a kind in the turns of a run; NULL without. */
static const ss_work *find_pass(const ss_turns *turns, ss_pass pass)
{
  for (int64_t i = 0; i < turns->passes; ++i)
    if (turns->work[i].pass == pass) return &turns->work[i];
  return NULL;
}

/* Turns that the order of work lets be skipped: of those left, what runs ahead has to be in them as well; and the last
 * micro-batch is another matter where it alone is reduced. */
static int64_t turns_ahead(const walk *w)
{
  const ss_data_plan *plan = &w->job->data;
  int64_t left = w->turns.count - w->turn;
  const ss_work *reducing = find_pass(&w->turns, plan->reducing_pass);
  if (plan->active && !plan->reduces_each_pass && reducing != NULL &&
      reducing->micro_batch + w->turns.count == w->micro_batches)
    left--;
  if (w->turns.work[0].pass == SS_PASS_WEIGHT) return left;
  const cursor *cursors[] = {plan->gathers_each_pass ? &w->gather : NULL, w->job->offload.active ? &w->read : NULL};
  for (size_t i = 0; i < sizeof cursors / sizeof cursors[0]; ++i) {
    if (cursors[i] == NULL) continue;
    if (cursors[i]->runs != w->runs) return 0;
    const int64_t ahead = w->turns.count - 1 - cursors[i]->turn;
    if (ahead < left) left = ahead;
  }
  return left;
}

/* Turns for which offloaded activations are written and read as in the last one. */
static double written_ahead(const walk *w, double turn_s, double drift_s, double tolerance_s)
{
  if (w->written == NULL) return INFINITY;
  const ss_work *forward = find_pass(&w->turns, SS_PASS_FORWARD), *backward = find_pass(&w->turns, SS_PASS_BACKWARD);
  if (forward != NULL && !ss_written_paces(&w->written[forward->chunk], turn_s + drift_s, tolerance_s)) return 0.0;
  if (backward == NULL) return INFINITY;
  const bool put = forward != NULL && forward->chunk == backward->chunk;
  return ss_written_steady(&w->written[backward->chunk], put, turn_s, w->written_margin_s, tolerance_s);
}

/* How many turns will be like the last one, which led from one mark to the next: nothing has changed but that the data
 * and the write stream may be further behind, or less, which did not matter. */
static int64_t like_turns(const walk *w, int64_t most)
{
  const double tolerance_s = SAME * w->compute_s;
  if (!is_same(&w->before, &w->now, tolerance_s)) return 0;
  const double data_s = w->now.data_s - w->before.data_s, write_s = w->now.write_s - w->before.write_s;
  const double data_margin_s = w->job->data.gathers_each_pass ? 0.0 : w->data_margin_s;
  double turns = fmin((double)most, drifts(data_s, data_margin_s, tolerance_s));
  turns = fmin(turns, drifts(write_s, w->write_margin_s, tolerance_s));
  turns = fmin(turns, written_ahead(w, w->now.compute_s - w->before.compute_s, write_s, tolerance_s));
  return (int64_t)turns;
}

/* Skips turns that are like the last one. The clock stands still, so all that was before is longer ago. */
static void skip_turns(walk *w, int64_t turns)
{
  const double many = (double)turns, turn_s = w->now.compute_s - w->before.compute_s, ago_s = many * turn_s;
  const double data_s = w->now.data_s - w->before.data_s, write_s = w->now.write_s - w->before.write_s;
  const ss_work *forward = find_pass(&w->turns, SS_PASS_FORWARD), *backward = find_pass(&w->turns, SS_PASS_BACKWARD);
  w->exposed = add_difference(w->exposed, many, w->now.exposed, w->before.exposed);
  w->data_s += many * data_s;
  w->write_s += many * write_s;
  w->round_margin_s = fmin(w->round_margin_s, w->data_margin_s + many * data_s);
  for (int64_t i = 0; i < w->blocks && w->job->data.gathers_at_start; ++i) w->block[i].weights_s -= ago_s;
  for (int64_t i = 0; i < w->job->chunks && w->written != NULL; ++i)
    ss_written_skip(&w->written[i], forward != NULL && forward->chunk == i ? turns : 0,
                    backward != NULL && backward->chunk == i ? turns : 0, turn_s + write_s, ago_s);
  for (int64_t i = 0; i < w->turns.passes; ++i) {
    const int64_t chunk = w->turns.work[i].chunk;
    if (w->turns.work[i].pass != SS_PASS_WEIGHT) w->last -= turns * (first_block(w, chunk + 1) - first_block(w, chunk));
  }
  w->turn += turns;
  w->gather.turn += turns;
  w->read.turn += turns;
}

/* Whether the first pass of a block is among these turns: it waits for what is gathered at the start. */
static bool waits_for_start(const walk *w)
{
  const ss_work *forward = find_pass(&w->turns, SS_PASS_FORWARD);
  return w->job->data.gathers_at_start && forward != NULL && forward->micro_batch == 0;
}

static void begin_turn(walk *w)
{
  w->data_margin_s = w->write_margin_s = w->written_margin_s = INFINITY;
}

/* Between two turns: skips what can be skipped. */
static void look_ahead(walk *w)
{
  const int64_t most = turns_ahead(w);
  w->round_margin_s = fmin(w->round_margin_s, w->data_margin_s);
  if (most > 0) {
    take_mark(w, &w->now);
    const int64_t turns = like_turns(w, most);
    if (turns > 0) skip_turns(w, turns);
    w->now.valid = turns == 0;
  } else {
    w->now.valid = false;
  }
  swap_marks(&w->before, &w->now);
  begin_turn(w);
}

static void run_turns(walk *w)
{
  w->before.valid = false;
  w->runs++;
  w->turn = 0;
  begin_turn(w);
  if (!waits_for_start(w) && turns_ahead(w) > 1) take_mark(w, &w->before);
  while (w->turn < w->turns.count) {
    for (int64_t i = 0; i < w->turns.passes; ++i) run_pass(w, &w->turns.work[i]);
    w->turn++;
    look_ahead(w);
  }
}

static void skip_passes(ss_order *order, int64_t passes)
{
  order->count[SS_PASS_FORWARD] += passes;
  order->count[SS_PASS_BACKWARD] += passes;
}

static void skip_cursor(const walk *w, cursor *c, int64_t rounds)
{
  skip_passes(&c->order, rounds * w->job->stages * w->job->chunks);
  for (int64_t i = 0; i < c->turns.passes; ++i) c->turns.work[i].micro_batch += rounds * w->job->stages;
}

/* Rounds of a micro-batch of every stage through all chunks, while all cursors have forward passes to go. */
static int64_t rounds_ahead(const walk *w)
{
  const int64_t round = w->job->stages * w->job->chunks;
  int64_t most = w->order.count[SS_PASS_FORWARD];
  if (w->job->data.gathers_each_pass && w->gather.order.count[SS_PASS_FORWARD] > most)
    most = w->gather.order.count[SS_PASS_FORWARD];
  if (w->job->offload.active && w->read.order.count[SS_PASS_FORWARD] > most)
    most = w->read.order.count[SS_PASS_FORWARD];
  return (w->micro_batches * w->job->chunks - most) / round;
}

/* All chunks have been written and read in the last round as in the one before. */
static bool written_repeats(walk *w, double tolerance_s)
{
  bool repeats = true;
  for (int64_t i = 0; i < w->job->chunks && w->written != NULL; ++i)
    repeats = ss_written_repeats(&w->written[i], w->compute_s, tolerance_s) && repeats;
  return repeats;
}

/* How many rounds will be like the last one. */
static int64_t like_rounds(walk *w)
{
  const double tolerance_s = SAME * w->compute_s;
  const bool repeats = written_repeats(w, tolerance_s);
  const mark *before = &w->round_before, *now = &w->round_now;
  if (!repeats || !is_same(before, now, tolerance_s) || fabs(now->write_s - before->write_s) > tolerance_s) return 0;
  const double data_margin_s = w->job->data.gathers_each_pass ? 0.0 : w->round_margin_s;
  return (int64_t)fmin((double)rounds_ahead(w), drifts(now->data_s - before->data_s, data_margin_s, tolerance_s));
}

/* With chunks, what repeats is a round: skips those that are like the last one. */
static void skip_rounds(walk *w)
{
  const int64_t round = w->job->stages * w->job->chunks;
  if (w->job->chunks == 1 || w->order.count[SS_PASS_BACKWARD] % round != 0 || rounds_ahead(w) == 0) return;
  if (w->order.count[SS_PASS_FORWARD] < w->order.most.whole) return;
  take_mark(w, &w->round_now);
  const int64_t rounds = like_rounds(w);
  if (rounds > 0) {
    const mark *before = &w->round_before, *now = &w->round_now;
    w->exposed = add_difference(w->exposed, (double)rounds, now->exposed, before->exposed);
    w->data_s += (double)rounds * (now->data_s - before->data_s);
    w->last -= 2 * rounds * w->job->stages * w->blocks;
    skip_passes(&w->order, rounds * round);
    skip_cursor(w, &w->gather, rounds);
    skip_cursor(w, &w->read, rounds);
  }
  w->round_now.valid = rounds == 0;
  w->round_margin_s = INFINITY;
  swap_marks(&w->round_before, &w->round_now);
}

/* Reduces when all passes are over what may not run beside them. */
static void reduce_rest(walk *w)
{
  for (int64_t i = 0; i < w->blocks; ++i) run_collective(w, w->block[i].reduce_s);
}

/* An iteration of so many micro-batches. What is fetched first, is fetched before compute starts at 0. */
static ss_exposure walk_through(const ss_job *job, int64_t stage, int64_t micro_batches, double lead_s)
{
  walk w;
  walk_init(&w, job, stage, micro_batches);
  w.compute_s = w.data_s = w.read_s = -lead_s;
  if (job->data.gathers_at_start) gather_at_start(&w);
  fetch_ahead(&w, 0);
  read_up_to(&w, 1 + w.prefetch); /* the first block itself does not wait for a pass either */
  w.compute_s = 0.0;
  for (skip_rounds(&w); ss_order_next(&w.order, &w.turns); skip_rounds(&w)) run_turns(&w);
  if (job->data.active && waits_for_end(job)) reduce_rest(&w);
  w.exposed.tail_s = fmax(w.data_s - w.compute_s, 0.0);
  walk_free(&w);
  return w.exposed;
}

static bool moves_in_every_pass(const ss_job *job)
{
  return job->data.gathers_each_pass || job->data.reduces_each_pass || job->offload.active;
}

bool ss_streams_follow_order(const ss_job *job)
{
  return moves_in_every_pass(job) || job->chunks > 1;
}

/* Micro-batches after which one more costs like the one before: with warm-up and drain of the schedule, and what has to
 * be caught up with, behind them. */
#define SETTLED        2048
#define SETTLED_ROUNDS 8

static int64_t settled(const ss_job *job)
{
  const int64_t rounds = (SETTLED + job->stages - 1) / job->stages;
  return job->stages * (rounds > SETTLED_ROUNDS ? rounds : SETTLED_ROUNDS);
}

ss_exposure ss_streams_of_micro_batch(const ss_job *job, int64_t stage)
{
  const ss_exposure nothing = {0};
  if (!moves_in_every_pass(job)) return nothing;
  const int64_t long_enough = settled(job);
  return add_difference(nothing, 1.0 / (double)long_enough, walk_through(job, stage, 2 * long_enough, 0.0),
                        walk_through(job, stage, long_enough, 0.0));
}

ss_exposure ss_streams_of_iteration(const ss_job *job, int64_t stage, double lead_s)
{
  const ss_exposure nothing = {0};
  if (!job->data.active && !job->offload.active) return nothing;
  /* Where something moves only before the first and after the last pass of a chunk, those between do not matter. */
  const int64_t enough = job->chunks > 1 ? 2 * job->stages : 1;
  const bool all = moves_in_every_pass(job) || job->micro_batches < enough;
  return walk_through(job, stage, all ? job->micro_batches : enough, lead_s);
}
