#include "model/streams.h"

#include <math.h>
#include <stdlib.h>

double ss_compute_cost(const ss_machine *machine, bool across_domains)
{
  return across_domains ? machine->fabric_compute_cost : machine->nvlink_compute_cost;
}

/* A block of the stage, counted over its chunks. */
typedef struct held_block {
  ss_block_kind kind;
  bool ends_chunk;
  double weights_s; /* when its weights, gathered at the start, are there */
} held_block;

/* One block of one pass. */
typedef struct step {
  ss_pass pass;
  ss_block_kind kind;
  int64_t block, copy;        /* of the stage; and counted over the micro-batches too */
  int64_t fetches;            /* up to this step */
  bool reduces, closes;       /* its gradients are reduced; no more gradients come in this pass */
  double gathered_s;          /* when its weights are there (FSDP) */
  double requested_s, read_s; /* when it is asked of the second tier, and there */
} step;

/* A stage on its way through an iteration. */
typedef struct walk {
  const ss_job *job;
  int64_t stage, blocks, steps, fetches;
  held_block *block;                /* [blocks] */
  step *step;                       /* [steps] */
  int64_t *fetch;                   /* [fetches] steps that weights or activations are fetched for */
  double *written_s;                /* [micro-batches * blocks] when the second tier has them; infinite before */
  int64_t gathers, requests, reads; /* how many of the fetches have been started */
  double bucket_bytes[SS_WEIGHTS];
  double compute_s, data_s, read_s, write_s; /* when each stream has done what it was given */
  double data_cost;                          /* share of compute that the data stream takes */
  ss_exposure exposed;
} walk;

static bool overlaps_data(const ss_job *job)
{
  return job->workload->schedule.overlap_dp == SS_YES;
}

static void *allocate(int64_t count, size_t size)
{
  SS_ASSERT(count > 0);
  void *memory = calloc((size_t)count, size);
  SS_ASSERT(memory != NULL);
  return memory;
}

/* Where the blocks of a chunk start among those of the stage; of the chunk after the last one: how many there are. */
static int64_t first_block(const ss_job *job, ss_chunk chunk)
{
  int64_t first = 0;
  for (int64_t c = 0; c < chunk.index; ++c) first += ss_job_block_count(job, (ss_chunk){chunk.stage, c});
  return first;
}

static void list_blocks(walk *w)
{
  for (int64_t c = 0, block = 0; c < w->job->chunks; ++c) {
    const ss_chunk chunk = {w->stage, c};
    const int64_t count = ss_job_block_count(w->job, chunk);
    for (int64_t i = 0; i < count; ++i)
      w->block[block++] = (held_block){.kind = ss_job_block_kind(w->job, chunk, i), .ends_chunk = i == count - 1};
  }
}

/* Appends the blocks of a pass to the steps. */
static void list_pass(walk *w, const ss_work *work, bool reduces)
{
  const ss_chunk chunk = {w->stage, work->chunk};
  const int64_t count = ss_job_block_count(w->job, chunk), first = first_block(w->job, chunk);
  for (int64_t place = 0; place < count; ++place) {
    const int64_t block = first + ss_job_block_at(w->job, chunk, work->pass, place);
    if (work->pass != SS_PASS_WEIGHT) w->fetch[w->fetches++] = w->steps;
    w->step[w->steps++] = (step){.pass = work->pass,
                                 .kind = w->block[block].kind,
                                 .block = block,
                                 .copy = work->micro_batch * w->blocks + block,
                                 .fetches = w->fetches,
                                 .reduces = reduces,
                                 .closes = place == count - 1};
  }
}

static void list_steps(walk *w, int64_t micro_batches)
{
  const ss_data_plan *plan = &w->job->data;
  ss_pipeline_shape shape = w->job->shape;
  shape.micro_batches = micro_batches;
  const int64_t passes = ss_schedule_length(&shape);
  ss_work *work = allocate(passes, sizeof *work);
  ss_schedule_emit(&shape, w->stage, work);
  for (int64_t i = 0; i < passes; ++i) {
    const bool due = plan->reduces_each_pass || work[i].micro_batch == micro_batches - 1;
    list_pass(w, &work[i], plan->active && work[i].pass == plan->reducing_pass && due);
  }
  free(work);
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

static void walk_init(walk *w, const ss_job *job, int64_t stage, int64_t micro_batches)
{
  *w = (walk){.job = job,
              .stage = stage,
              .blocks = first_block(job, (ss_chunk){stage, job->chunks}),
              .data_cost = data_cost(job, stage)};
  const int64_t copies = micro_batches * w->blocks;
  w->block = allocate(w->blocks, sizeof *w->block);
  w->step = allocate(SS_PASSES * copies, sizeof *w->step);
  w->fetch = allocate(SS_PASSES * copies, sizeof *w->fetch);
  w->written_s = allocate(copies, sizeof *w->written_s);
  for (int64_t i = 0; i < copies; ++i) w->written_s[i] = INFINITY;
  list_blocks(w);
  list_steps(w, micro_batches);
}

static void walk_free(walk *w)
{
  free(w->block);
  free(w->step);
  free(w->fetch);
  free(w->written_s);
}

/* Runs a collective when the data stream is free. */
static void run_collective(walk *w, ss_weights weights, ss_collective kind, double bytes)
{
  if (bytes <= 0.0) return;
  const ss_comm_time time = ss_job_data_time(w->job, kind, w->job->data_span[weights][w->stage], bytes);
  w->data_s = fmax(w->data_s, w->compute_s) + ss_comm_time_sum(time);
}

/* Puts a block into the bucket of its class of weights, and sends that when it is full or `closes`. What no other rank
 * holds stays. */
static bool fill_bucket(walk *w, ss_weights weights, ss_collective kind, double bytes, bool closes)
{
  if (ss_job_holders(w->job, weights) == 1) return false;
  w->bucket_bytes[weights] += bytes;
  if (!closes && w->bucket_bytes[weights] < w->job->data.bucket_bytes) return false;
  run_collective(w, weights, kind, w->bucket_bytes[weights]);
  w->bucket_bytes[weights] = 0.0;
  return true;
}

/* Block by block as forward comes to them; the weights of a block are there when the last of their buckets is. */
static void gather_at_start(walk *w)
{
  int64_t waiting[SS_WEIGHTS] = {0};
  for (int64_t i = 0; i < w->blocks; ++i)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      const double bytes = w->job->gather_bytes[w->block[i].kind][weights];
      if (!fill_bucket(w, (ss_weights)weights, SS_ALL_GATHER, bytes, w->block[i].ends_chunk)) continue;
      for (; waiting[weights] <= i; ++waiting[weights]) {
        held_block *block = &w->block[waiting[weights]];
        if (w->job->gather_bytes[block->kind][weights] > 0.0) block->weights_s = w->data_s;
      }
    }
  for (int64_t i = 0; i < w->blocks && !overlaps_data(w->job); ++i) w->block[i].weights_s = w->data_s;
}

/* Starts the gathers of the first `count` fetches. */
static void gather_up_to(walk *w, int64_t count)
{
  if (!w->job->data.gathers_each_pass) return;
  for (; w->gathers < count && w->gathers < w->fetches; ++w->gathers) {
    step *s = &w->step[w->fetch[w->gathers]];
    for (int weights = 0; weights < SS_WEIGHTS; ++weights)
      run_collective(w, (ss_weights)weights, SS_ALL_GATHER, w->job->gather_bytes[s->kind][weights]);
    s->gathered_s = w->data_s;
  }
}

/* When what a step reads is in the second tier. */
static double written_s(const walk *w, const step *s)
{
  const bool writes = w->job->offload.write_bytes[s->kind][SS_PASS_FORWARD] > 0.0;
  return writes && s->pass != SS_PASS_FORWARD ? w->written_s[s->copy] : 0.0;
}

/* Requests the first `count` fetches, and starts what has been requested and written, in order. */
static void read_up_to(walk *w, int64_t count)
{
  const ss_offload_plan *plan = &w->job->offload;
  if (!plan->active) return;
  for (; w->requests < count && w->requests < w->fetches; ++w->requests)
    w->step[w->fetch[w->requests]].requested_s = w->compute_s;
  for (; w->reads < w->requests; ++w->reads) {
    step *s = &w->step[w->fetch[w->reads]];
    const double bytes = plan->read_bytes[s->kind][s->pass], there_s = written_s(w, s);
    if (isinf(there_s)) return;
    if (bytes <= 0.0) continue;
    w->read_s = fmax(fmax(w->read_s, s->requested_s), there_s) + bytes / plan->bytes_per_s;
    s->read_s = w->read_s;
  }
}

static void write_back(walk *w, const step *s)
{
  const double bytes = w->job->offload.write_bytes[s->kind][s->pass];
  if (bytes <= 0.0) return;
  w->write_s = fmax(w->write_s, w->compute_s) + bytes / w->job->offload.bytes_per_s;
  w->written_s[s->copy] = w->write_s;
}

static void reduce(walk *w, const step *s)
{
  for (int weights = 0; weights < SS_WEIGHTS; ++weights)
    (void)fill_bucket(w, (ss_weights)weights, w->job->data.reduction, w->job->reduce_bytes[s->kind][weights],
                      s->closes);
}

/* What is reduced once, but not beside compute, is reduced when all passes are over. */
static bool waits_for_end(const ss_job *job)
{
  return !job->data.reduces_each_pass && !overlaps_data(job);
}

/* What the kernels of a step that starts now lose while the data stream is busy. */
static double slowed_s(const walk *w, const step *s)
{
  const ss_duration duration = w->job->pass[s->kind][s->pass];
  const double loss_s = ss_duration_kernel_s(duration) * w->data_cost / (1.0 - w->data_cost);
  const double slow_s = ss_duration_sum(duration) + loss_s, busy_s = fmax(w->data_s - w->compute_s, 0.0);
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
  const int64_t prefetch = w->job->workload->schedule.prefetch;
  gather_up_to(w, fetches + (overlaps_data(w->job) ? prefetch : 0));
  read_up_to(w, fetches + prefetch);
}

/* Fetches what a step needs, and when it starts, for those ahead of it; without overlap, it is over when its gradients
 * are reduced. */
static void run_step(walk *w, const step *s)
{
  gather_up_to(w, s->fetches);
  read_up_to(w, s->fetches);
  double data_s = wait_until(w, fmax(s->gathered_s, w->block[s->block].weights_s));
  const double offload_s = wait_until(w, s->read_s);
  fetch_ahead(w, s->fetches);
  const double loss_s = slowed_s(w, s);
  w->compute_s += ss_duration_sum(w->job->pass[s->kind][s->pass]) + loss_s;
  write_back(w, s);
  if (s->reduces && !waits_for_end(w->job)) reduce(w, s);
  if (s->reduces && !overlaps_data(w->job)) data_s += wait_until(w, w->data_s);
  w->exposed.data_s += data_s;
  w->exposed.offload_s += offload_s;
  w->exposed.slowed_s += loss_s;
  if (s->pass == SS_PASS_WEIGHT) w->exposed.weight_s += data_s + offload_s + loss_s;
}

/* An iteration of so many micro-batches. What is fetched first, is fetched before compute starts at 0. */
static ss_exposure walk_through(const ss_job *job, int64_t stage, int64_t micro_batches, double lead_s)
{
  walk w;
  walk_init(&w, job, stage, micro_batches);
  w.compute_s = w.data_s = w.read_s = -lead_s;
  if (job->data.gathers_at_start) gather_at_start(&w);
  fetch_ahead(&w, 0);
  read_up_to(&w, 1 + job->workload->schedule.prefetch); /* the first block itself does not wait for a pass either */
  w.compute_s = 0.0;
  for (int64_t i = 0; i < w.steps; ++i) run_step(&w, &w.step[i]);
  for (int64_t i = 0; i < w.steps && waits_for_end(job); ++i)
    if (w.step[i].reduces) reduce(&w, &w.step[i]);
  w.exposed.tail_s = fmax(w.data_s - w.compute_s, 0.0);
  walk_free(&w);
  return w.exposed;
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

static bool moves_in_every_pass(const ss_job *job)
{
  return job->data.gathers_each_pass || job->data.reduces_each_pass || job->offload.active;
}

bool ss_streams_follow_order(const ss_job *job)
{
  return moves_in_every_pass(job) || job->chunks > 1;
}

/* Micro-batches after which one more costs like the one before: with warm-up and drain of the schedule behind them. */
#define SETTLED        64
#define SETTLED_ROUNDS 3

static int64_t settled(const ss_job *job)
{
  const int64_t rounds = (SETTLED + job->stages - 1) / job->stages;
  return job->stages * (rounds > SETTLED_ROUNDS ? rounds : SETTLED_ROUNDS);
}

ss_exposure ss_streams_of_micro_batch(const ss_job *job, int64_t stage)
{
  const ss_exposure nothing = {0};
  if (!moves_in_every_pass(job)) return nothing;
  const int64_t most = settled(job);
  const int64_t round = job->chunks > 1 ? job->stages : 1; /* chunks take turns by P micro-batches */
  return add_difference(nothing, 1.0 / (double)round, walk_through(job, stage, most, 0.0),
                        walk_through(job, stage, most - round, 0.0));
}

ss_exposure ss_streams_of_iteration(const ss_job *job, int64_t stage, double lead_s)
{
  const ss_exposure nothing = {0};
  if (!job->data.active && !job->offload.active) return nothing;
  /* Where something moves only before the first and after the last pass of a chunk, those between do not matter. */
  const int64_t enough = moves_in_every_pass(job) ? settled(job) : job->chunks > 1 ? 2 * job->stages : 1;
  if (job->micro_batches <= enough) return walk_through(job, stage, job->micro_batches, lead_s);
  return add_difference(walk_through(job, stage, enough, lead_s), (double)(job->micro_batches - enough),
                        ss_streams_of_micro_batch(job, stage), nothing);
}
