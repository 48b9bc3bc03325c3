#include "sim/engine/observe/trace_writers.h"

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

void ss_trace_begin_on_replica(const ss_world *world, const ss_stage_replica *replica, ss_slice slice)
{
  for (int64_t member = 0; member < world->width; ++member) {
    slice.rank = ss_trace_rank(world, replica, member);
    ss_trace_begin(world, &slice);
  }
}

void ss_trace_end_on_replica(const ss_world *world, const ss_stage_replica *replica, ss_stream stream,
                             int64_t micro_batch, double time_s)
{
  for (int64_t member = 0; member < world->width; ++member)
    ss_trace_end(world, (ss_trace_subject){ss_trace_rank(world, replica, member), micro_batch}, stream, time_s);
}

int64_t ss_trace_chunk(const ss_world *world, const ss_work *work)
{
  return world->job->chunks > 1 ? work->chunk : SS_NO_INDEX;
}

ss_slice ss_trace_pass_slice(const ss_world *world, const ss_stage_replica *replica, ss_activity activity)
{
  return (ss_slice){.stream = SS_STREAM_COMPUTE,
                    .activity = activity,
                    .backward = replica->work.pass != SS_PASS_FORWARD,
                    .micro_batch = replica->work.micro_batch,
                    .chunk = ss_trace_chunk(world, &replica->work),
                    .layer = SS_NO_INDEX,
                    .time_s = world->common->now_s};
}

ss_slice ss_trace_block_slice(const ss_world *world, const ss_stage_replica *replica, ss_stream stream,
                              ss_activity activity)
{
  ss_slice slice = ss_trace_pass_slice(world, replica, activity);
  slice.stream = stream;
  slice.layer = ss_job_block_layer(world->job, ss_replica_chunk(replica), ss_replica_block(world, replica));
  return slice;
}

ss_stream ss_trace_group_stream(ss_group group)
{
  static const ss_stream streams[SS_GROUPS] = {
      [SS_GROUP_TENSOR] = SS_STREAM_TENSOR,   [SS_GROUP_TENSOR_2] = SS_STREAM_TENSOR,
      [SS_GROUP_CONTEXT] = SS_STREAM_CONTEXT, [SS_GROUP_CONTEXT_INNER] = SS_STREAM_CONTEXT,
      [SS_GROUP_EXPERT] = SS_STREAM_EXPERT,   [SS_GROUP_EXPERT_TENSOR] = SS_STREAM_TENSOR};
  return streams[group];
}
