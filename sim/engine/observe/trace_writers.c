#include "sim/engine/observe/trace_writers.h"

#include <stdlib.h>

ss_status ss_trace_writers_init(ss_trace_writers *writers, const ss_world *world)
{
  const int64_t replicas = world->replica_count;
  *writers = (ss_trace_writers){.world = world,
                                .first = calloc((size_t)replicas + 2, sizeof *writers->first),
                                .shown = malloc((size_t)replicas * sizeof *writers->shown)};
  if (writers->first == NULL || writers->shown == NULL) return SS_ERROR_MEMORY;
  int64_t *const end = writers->first + 1; /* of those of a replica, as they are filled in */
  for (int64_t i = 0; i < replicas; ++i)
    if (ss_replica_is_wanted(world, &world->replica[i])) ++end[ss_replica_index(world, world->replica[i].twin) + 1];
  for (int64_t i = 0; i < replicas; ++i) end[i + 1] += end[i];
  for (int64_t i = 0; i < replicas; ++i)
    if (ss_replica_is_wanted(world, &world->replica[i]))
      writers->shown[end[ss_replica_index(world, world->replica[i].twin)]++] = (int32_t)i;
  return SS_OK;
}

void ss_trace_writers_free(ss_trace_writers *writers)
{
  free(writers->first);
  free(writers->shown);
}

const ss_stage_replica *ss_trace_next(const ss_trace_writers *writers, const ss_stage_replica *replica, int64_t *next)
{
  const int32_t index = ss_replica_index(writers->world, replica);
  const int64_t place = writers->first[index] + (*next)++;
  return place < writers->first[index + 1] ? &writers->world->replica[writers->shown[place]] : NULL;
}

bool ss_trace_wants(const ss_timeline *timeline, ss_trace_subject who)
{
  return ss_selection_has(&timeline->ranks, who.rank) &&
         (who.micro_batch == SS_NO_INDEX || ss_selection_has(&timeline->micro_batches, who.micro_batch));
}

void ss_trace_begin(const ss_world *world, const ss_slice *slice)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    if (ss_trace_wants(timeline, (ss_trace_subject){slice->rank, slice->micro_batch}))
      timeline->begin(timeline->self, slice);
  }
}

void ss_trace_end(const ss_world *world, ss_trace_subject who, ss_stream stream, double time_s)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    if (ss_trace_wants(timeline, who)) timeline->end(timeline->self, who.rank, stream, time_s);
  }
}

void ss_trace_traffic(const ss_world *world, const ss_traffic *what)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    if (ss_selection_has(&timeline->ranks, what->rank)) timeline->traffic(timeline->self, what);
  }
}

int64_t ss_trace_rank(const ss_world *world, const ss_stage_replica *replica, int64_t member)
{
  return ss_placement_rank(&world->job->placement, ss_replica_member(world, replica, member));
}

void ss_trace_begin_on_replica(const ss_trace_writers *writers, const ss_stage_replica *replica, ss_slice slice)
{
  int64_t next = 0;
  for (const ss_stage_replica *shown; (shown = ss_trace_next(writers, replica, &next)) != NULL;)
    for (int64_t member = 0; member < writers->world->width; ++member) {
      slice.rank = ss_trace_rank(writers->world, shown, member);
      ss_trace_begin(writers->world, &slice);
    }
}

void ss_trace_end_on_replica(const ss_trace_writers *writers, const ss_stage_replica *replica, ss_stream stream,
                             int64_t micro_batch, double time_s)
{
  int64_t next = 0;
  for (const ss_stage_replica *shown; (shown = ss_trace_next(writers, replica, &next)) != NULL;)
    for (int64_t member = 0; member < writers->world->width; ++member)
      ss_trace_end(writers->world, (ss_trace_subject){ss_trace_rank(writers->world, shown, member), micro_batch},
                   stream, time_s);
}

int64_t ss_trace_chunk(const ss_world *world, const ss_work *work)
{
  return world->job->chunks > 1 ? work->chunk : SS_NO_INDEX;
}

static ss_slice slice_of(const ss_world *world, const ss_work *work, ss_activity activity)
{
  return (ss_slice){.stream = SS_STREAM_COMPUTE,
                    .activity = activity,
                    .backward = work->pass != SS_PASS_FORWARD,
                    .micro_batch = work->micro_batch,
                    .chunk = ss_trace_chunk(world, work),
                    .layer = SS_NO_INDEX,
                    .time_s = world->common->now_s};
}

ss_slice ss_trace_pass_slice(const ss_world *world, const ss_stage_replica *replica, ss_activity activity)
{
  return slice_of(world, &replica->work, activity);
}

ss_slice ss_trace_block_slice(const ss_world *world, const ss_stage_replica *replica, ss_stream stream,
                              ss_activity activity)
{
  ss_slice slice = slice_of(world, &replica->work, activity);
  slice.stream = stream;
  slice.layer = ss_job_block_layer(world->job, ss_replica_chunk(replica), ss_replica_block(world, replica));
  return slice;
}

ss_stream ss_trace_group_stream(ss_group group)
{
  static const ss_stream streams[SS_GROUPS] = {
      [SS_GROUP_TENSOR] = SS_STREAM_TENSOR,   [SS_GROUP_TENSOR_2] = SS_STREAM_TENSOR,
      [SS_GROUP_CONTEXT] = SS_STREAM_CONTEXT, [SS_GROUP_CONTEXT_INNER] = SS_STREAM_CONTEXT,
      [SS_GROUP_EXPERT] = SS_STREAM_EXPERT,   [SS_GROUP_EXPERT_TENSOR] = SS_STREAM_TENSOR,
      [SS_GROUP_REPLICA] = SS_STREAM_TENSOR,  [SS_GROUP_STAGE] = SS_STREAM_TENSOR,
      [SS_GROUP_VISION] = SS_STREAM_TENSOR,   [SS_GROUP_VISION_COPIES] = SS_STREAM_TENSOR};
  return streams[group];
}

ss_slice ss_trace_kernel_slice(const ss_world *world, const ss_stage_replica *replica, const ss_task *task)
{
  const double pieces = (double)(task->overlap.kernel_pieces > 0 ? task->overlap.kernel_pieces : 1);
  ss_slice slice = ss_trace_block_slice(world, replica, SS_STREAM_COMPUTE, task->activity);
  slice.flop = task->kernel.flop / pieces;
  slice.bytes = task->kernel.hbm_bytes / pieces;
  return slice;
}

static void add_collective(ss_slice *slice, ss_trace_collective collective)
{
  slice->stream = ss_trace_group_stream(collective.group);
  slice->activity = ss_collective_activity(collective.kind);
  slice->bytes = collective.bytes;
  slice->group = ss_group_name(collective.group);
  slice->group_ranks = collective.ranks;
}

ss_slice ss_trace_call_slice(const ss_world *world, const ss_stage_replica *replica, ss_trace_collective collective)
{
  ss_slice slice = ss_trace_block_slice(world, replica, SS_STREAM_COMPUTE, SS_LAYER);
  add_collective(&slice, collective);
  return slice;
}

ss_slice ss_trace_other_call_slice(const ss_world *world, const ss_stage_replica *replica,
                                   ss_trace_collective collective)
{
  const ss_pass_place *other = &replica->pair.other;
  const ss_chunk chunk = {replica->stage, other->work.chunk};
  ss_slice slice = slice_of(world, &other->work, SS_LAYER);
  slice.layer =
      ss_job_block_layer(world->job, chunk, ss_job_block_at(world->job, chunk, other->work.pass, other->position));
  add_collective(&slice, collective);
  return slice;
}
