#include "sim/engine/core/offload.h"

#include <math.h>

#include "model/plan/stage_ops.h"
#include "sim/engine/core/fetch_cursor.h"
#include "sim/engine/core/stage.h"

/* Where the end of a write is noted: of a block of a micro-batch. */
static double *written_at(const ss_world *world, const ss_stage_replica *replica, const ss_work *work, int64_t block)
{
  const ss_job *job = world->job;
  const int64_t *first = &job->block_first[replica->stage * job->chunks];
  const int64_t blocks = first[job->chunks] - first[0];
  return &replica->offload.written_s[work->micro_batch * blocks + first[work->chunk] - first[0] + block];
}

/* Reads what the block at the cursor needs, unless its activations have not been written yet. */
static bool read_at(ss_world *world, ss_stage_replica *replica, const ss_cursor *cursor)
{
  const ss_job *job = world->job;
  ss_offload_streams *offload = &replica->offload;
  const ss_work *work = ss_cursor_work(world, replica, cursor);
  const ss_chunk chunk = {replica->stage, work->chunk};
  const int64_t block = ss_job_block_at(job, chunk, work->pass, cursor->place);
  const ss_block_kind kind = ss_job_block_kind(job, chunk, block);
  const double bytes = job->offload.read_bytes[kind][work->pass];
  double *done_s = &offload->read_done_s[cursor->steps % world->window];
  const bool was_written = ss_pass_reads_back(job, kind, work->pass);
  const double written_s = was_written ? *written_at(world, replica, work, block) : 0.0;
  if (written_s < 0.0) return false;
  *done_s = world->common->now_s;
  if (bytes <= 0.0) return true;
  const double start_s = fmax(fmax(offload->read_free_s, world->common->now_s), written_s);
  *done_s = offload->read_free_s = start_s + bytes / job->offload.bytes_per_s;
  const ss_tier_access access = {SS_STREAM_OFFLOAD_READ, start_s, *done_s};
  SS_TELL(&world->observers, tier_access, replica, &access);
  return true;
}

/* Reads what has been asked for, in order, as far as it has been written. */
static void read_on(ss_world *world, ss_stage_replica *replica)
{
  ss_cursor *next = &replica->offload.next;
  bool more = ss_cursor_settle(world, replica, next);
  while (more && next->steps <= replica->offload.asked && read_at(world, replica, next))
    more = ss_cursor_step(world, replica, next);
}

static void read_up_to(ss_world *world, ss_stage_replica *replica, int64_t last)
{
  if (last > replica->offload.asked) replica->offload.asked = last;
  read_on(world, replica);
}

double ss_offload_ready_s(ss_world *world, ss_stage_replica *replica)
{
  if (!world->job->offload.active || !ss_pass_fetches(replica->work.pass)) return world->common->now_s;
  read_up_to(world, replica, replica->steps_begun);
  SS_ASSERT(replica->offload.next.steps > replica->steps_begun); /* its forward pass is over */
  return replica->offload.read_done_s[replica->steps_begun % world->window];
}

void ss_offload_ahead(ss_world *world, ss_stage_replica *replica)
{
  if (!world->job->offload.active || !ss_pass_fetches(replica->work.pass)) return;
  read_up_to(world, replica, replica->steps_begun + ss_reads_ahead(world->job, replica->pair.active));
}

void ss_offload_write(ss_world *world, ss_stage_replica *replica)
{
  const ss_job *job = world->job;
  if (!job->offload.active) return;
  const double bytes = job->offload.write_bytes[ss_replica_block_kind(world, replica)][replica->work.pass];
  double done_s = world->common->now_s;
  if (bytes > 0.0) {
    const double start_s = fmax(replica->offload.write_free_s, world->common->now_s);
    done_s = replica->offload.write_free_s = start_s + bytes / job->offload.bytes_per_s;
    const ss_tier_access access = {SS_STREAM_OFFLOAD_WRITE, start_s, done_s};
    SS_TELL(&world->observers, tier_access, replica, &access);
  }
  if (!ss_pass_writes(replica->work.pass)) return;
  *written_at(world, replica, &replica->work, ss_replica_block(world, replica)) = done_s;
  read_on(world, replica); /* what has waited for this */
}

double ss_offload_written_s(const ss_world *world, const ss_stage_replica *replica)
{
  return world->job->offload.gradients ? fmax(replica->offload.write_free_s, world->common->now_s)
                                       : world->common->now_s;
}
