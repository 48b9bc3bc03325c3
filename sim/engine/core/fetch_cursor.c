#include "sim/engine/core/fetch_cursor.h"

#include "model/plan/stage_ops.h"
#include "sim/engine/core/stage.h"

static bool is_over(const ss_world *world, const ss_cursor *cursor)
{
  return cursor->pass == ss_schedule_length(&world->job->shape);
}

static int64_t blocks_at(const ss_world *world, const ss_stage_replica *replica, const ss_cursor *cursor)
{
  const ss_work *work = &world->stage[replica->stage].order[cursor->pass];
  return ss_job_block_count(world->job, (ss_chunk){replica->stage, work->chunk});
}

/* There is something to fetch in the pass: it may have no blocks. */
static bool is_fetching(const ss_world *world, const ss_stage_replica *replica, const ss_cursor *cursor)
{
  const ss_work *work = &world->stage[replica->stage].order[cursor->pass];
  return ss_pass_fetches(work->pass) && blocks_at(world, replica, cursor) > 0;
}

bool ss_cursor_settle(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  while (!is_over(world, cursor) && !is_fetching(world, replica, cursor)) cursor->pass++;
  return !is_over(world, cursor);
}

bool ss_cursor_step(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  cursor->steps++;
  if (++cursor->place == blocks_at(world, replica, cursor)) {
    cursor->place = 0;
    cursor->pass++;
  }
  return ss_cursor_settle(world, replica, cursor);
}
