#include "sim/engine/core/fetch_cursor.h"

#include "model/plan/stage_ops.h"
#include "sim/engine/core/stage.h"

static bool is_over(const ss_world *world, const ss_cursor *cursor)
{
  return cursor->pass == ss_schedule_length(&world->job->shape);
}

bool ss_cursor_settle(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  const ss_work *order = world->stage[replica->stage].order;
  while (!is_over(world, cursor) && !ss_pass_fetches(order[cursor->pass].pass)) cursor->pass++;
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
