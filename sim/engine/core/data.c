/* Data parallelism as a replica issues it: weights gathered before blocks, gradients reduced after them. */
#include "sim/engine/core/world.h"

bool ss_overlaps_data(const ss_world *world)
{
  return world->job->workload->schedule.overlap_dp == SS_YES;
}

static bool is_shared(const ss_world *world, ss_weights weights)
{
  return ss_job_holders(world->job, weights) > 1;
}

static bool is_over(const ss_world *world, const ss_cursor *cursor)
{
  return cursor->pass == ss_schedule_length(&world->job->shape);
}

bool ss_cursor_settle(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  const ss_work *order = world->stage[replica->stage].order;
  while (!is_over(world, cursor) && order[cursor->pass].pass == SS_PASS_WEIGHT) cursor->pass++;
  return !is_over(world, cursor);
}

bool ss_cursor_step(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  const ss_work *work = &world->stage[replica->stage].order[cursor->pass];
  cursor->steps++;
  if (++cursor->place == ss_job_block_count(world->job, (ss_chunk){replica->stage, work->chunk})) {
    cursor->place = 0;
    cursor->pass++;
  }
  return ss_cursor_settle(world, replica, cursor);
}

/* Issues one collective for a block, or for several that end with it; returns how many must be complete then. */
static int64_t issue(ss_world *world, ss_stage_replica *replica, ss_data_op op)
{
  if (world->asker != NULL) {
    world->asker->take(world->asker, replica->stage, &op);
    return 1;
  }
  return ss_issue_data_op(world, replica, &op) + 1;
}

static int64_t layer_of(const ss_world *world, const ss_stage_replica *replica, int64_t chunk, int64_t block)
{
  return ss_job_block_layer(world->job, (ss_chunk){replica->stage, chunk}, block);
}

/* Gathers the weights of a block. */
static int64_t gather_block(ss_world *world, ss_stage_replica *replica, ss_chunk chunk, int64_t block)
{
  const ss_job *job = world->job;
  int64_t need = 0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    const double bytes = job->gather_bytes[ss_job_block_kind(job, chunk, block)][weights];
    if (bytes <= 0.0 || !is_shared(world, (ss_weights)weights)) continue;
    need = issue(world, replica,
                 (ss_data_op){.kind = SS_ALL_GATHER,
                              .weights = (ss_weights)weights,
                              .volume_bytes = bytes,
                              .layer = layer_of(world, replica, chunk.index, block)});
  }
  return need;
}

static int64_t gather_at(ss_world *world, ss_stage_replica *replica, const ss_cursor *cursor)
{
  const ss_work *work = &world->stage[replica->stage].order[cursor->pass];
  const ss_chunk chunk = {replica->stage, work->chunk};
  return gather_block(world, replica, chunk, ss_job_block_at(world->job, chunk, work->pass, cursor->place));
}

static void gather_up_to(ss_world *world, ss_stage_replica *replica, int64_t last)
{
  bool more = ss_cursor_settle(world, replica, &replica->gathers);
  while (more && replica->gathers.steps <= last) {
    replica->gather_need[replica->gathers.steps % world->window] = gather_at(world, replica, &replica->gathers);
    more = ss_cursor_step(world, replica, &replica->gathers);
  }
}

static int64_t gathers_ahead(const ss_world *world)
{
  return ss_overlaps_data(world) ? world->job->workload->schedule.prefetch : 0;
}

/* Collects the bytes of `op` in the bucket of their weights, and issues one collective where that is full, or `flush`.
 * Returns how many operations must be complete for it; 0 for nothing. */
static int64_t collect(ss_world *world, ss_stage_replica *replica, ss_data_op op, bool flush)
{
  double *bucket_bytes = &replica->bucket_bytes[op.weights];
  if (is_shared(world, op.weights)) *bucket_bytes += op.volume_bytes;
  if (*bucket_bytes <= 0.0 || (!flush && *bucket_bytes < world->job->data.bucket_bytes)) return 0;
  op.volume_bytes = *bucket_bytes;
  *bucket_bytes = 0.0;
  return issue(world, replica, op);
}

static double gather_bytes(const ss_world *world, ss_chunk chunk, int64_t block, int weights)
{
  return world->job->gather_bytes[ss_job_block_kind(world->job, chunk, block)][weights];
}

/* Weights of a chunk once; a block needs the collectives that its own are part of. */
static void gather_chunk(ss_world *world, ss_stage_replica *replica, ss_chunk chunk, int64_t *need)
{
  const int64_t blocks = ss_job_block_count(world->job, chunk);
  int64_t waiting[SS_WEIGHTS] = {0};
  for (int64_t block = 0; block < blocks; ++block)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      const ss_data_op op = {.kind = SS_ALL_GATHER,
                             .weights = (ss_weights)weights,
                             .volume_bytes = gather_bytes(world, chunk, block, weights),
                             .layer = layer_of(world, replica, chunk.index, block)};
      const int64_t issued = collect(world, replica, op, block == blocks - 1);
      for (; issued > 0 && waiting[weights] <= block; ++waiting[weights])
        if (gather_bytes(world, chunk, waiting[weights], weights) > 0.0) need[waiting[weights]] = issued;
    }
}

static void gather_all(ss_world *world, ss_stage_replica *replica)
{
  const int64_t chunks = world->job->chunks, *first = &world->job->block_first[replica->stage * chunks];
  for (int64_t i = 0; i < chunks; ++i)
    gather_chunk(world, replica, (ss_chunk){replica->stage, i},
                 &world->stage[replica->stage].first_need[first[i] - first[0]]);
}

void ss_gather_first(ss_world *world, ss_stage_replica *replica)
{
  if (world->job->data.gathers_at_start) gather_all(world, replica);
  replica->first_gathers = replica->data_issued;
  if (world->job->data.gathers_each_pass) gather_up_to(world, replica, gathers_ahead(world) - 1);
}

/* The gathers at the start that the current block needs: its own, or all where they may not run beside compute. */
static int64_t first_need(const ss_world *world, const ss_stage_replica *replica)
{
  const ss_job *job = world->job;
  const int64_t *first = &job->block_first[replica->stage * job->chunks];
  const int64_t *need = world->stage[replica->stage].first_need;
  if (!ss_overlaps_data(world)) return replica->first_gathers;
  return need[first[replica->work.chunk] - first[0] + ss_replica_block(world, replica)];
}

int64_t ss_gather_need(ss_world *world, ss_stage_replica *replica)
{
  if (replica->work.pass == SS_PASS_WEIGHT) return 0;
  if (world->job->data.gathers_each_pass) {
    gather_up_to(world, replica, replica->steps_begun);
    return replica->gather_need[replica->steps_begun % world->window];
  }
  const bool first = replica->work.pass == SS_PASS_FORWARD && replica->work.micro_batch == 0;
  return world->job->data.gathers_at_start && first ? first_need(world, replica) : 0;
}

void ss_gather_ahead(ss_world *world, ss_stage_replica *replica)
{
  if (!world->job->data.gathers_each_pass || replica->work.pass == SS_PASS_WEIGHT) return;
  gather_up_to(world, replica, replica->steps_begun + gathers_ahead(world));
}

/* A pass that issues or awaits collectives at its blocks. */
bool ss_pass_moves_data(const ss_world *world, const ss_work *work)
{
  const ss_data_plan *plan = &world->job->data;
  const bool last = work->micro_batch == world->job->micro_batches - 1;
  const bool reduces = plan->active && work->pass == plan->reducing_pass &&
                       (plan->reduces_each_pass || (last && ss_overlaps_data(world)));
  const bool first = work->pass == SS_PASS_FORWARD && work->micro_batch == 0;
  const bool gathers = work->pass != SS_PASS_WEIGHT && plan->gathers_each_pass;
  return reduces || gathers || (first && plan->gathers_at_start);
}

/* Collects the gradients of a block; `flush` what is in the buckets with it. */
static int64_t reduce(ss_world *world, ss_stage_replica *replica, ss_chunk chunk, int64_t block, bool flush)
{
  const ss_job *job = world->job;
  int64_t need = 0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    const ss_data_op op = {.kind = job->data.reduction,
                           .weights = (ss_weights)weights,
                           .volume_bytes = job->reduce_bytes[ss_job_block_kind(job, chunk, block)][weights],
                           .layer = layer_of(world, replica, chunk.index, block)};
    const int64_t issued = collect(world, replica, op, flush);
    if (issued > 0) need = issued;
  }
  return need;
}

int64_t ss_reduce_need(ss_world *world, ss_stage_replica *replica)
{
  const ss_job *job = world->job;
  const bool last = replica->work.micro_batch == job->micro_batches - 1;
  if (!job->data.active || replica->work.pass != job->data.reducing_pass) return 0;
  if (!job->data.reduces_each_pass && !(last && ss_overlaps_data(world))) return 0;
  const bool flush = replica->position == ss_job_block_count(job, ss_replica_chunk(replica)) - 1;
  const int64_t need = reduce(world, replica, ss_replica_chunk(replica), ss_replica_block(world, replica), flush);
  return ss_overlaps_data(world) ? 0 : need;
}

/* What nothing could run beside is reduced when all passes are over, last block first. */
void ss_reduce_rest(ss_world *world, ss_stage_replica *replica)
{
  const ss_job *job = world->job;
  if (!job->data.active || job->data.reduces_each_pass || ss_overlaps_data(world)) return;
  for (int64_t i = job->chunks; i-- > 0;) {
    const ss_chunk chunk = {replica->stage, i};
    for (int64_t block = ss_job_block_count(job, chunk); block-- > 0;)
      (void)reduce(world, replica, chunk, block, block == 0);
  }
}

/* A replica that is not there goes through the blocks of its chunks. */
void ss_data_ops_visit(ss_world *world, int64_t stage, ss_data_asker *asker)
{
  const ss_job *job = world->job;
  ss_stage_replica replica = {.stage = stage};
  world->asker = asker;
  if (job->data.gathers_at_start) gather_all(world, &replica);
  for (int64_t i = 0; i < job->chunks; ++i) {
    const ss_chunk chunk = {stage, i};
    for (int64_t block = ss_job_block_count(job, chunk); block-- > 0;) {
      if (job->data.gathers_each_pass) (void)gather_block(world, &replica, chunk, block);
      if (job->data.active) (void)reduce(world, &replica, chunk, block, block == 0);
    }
  }
  world->asker = NULL;
}
