#include "sim/engine/core/fetch_cursor.h"

#include "model/plan/stage_ops.h"
#include "sim/engine/core/stage.h"

static bool is_over(const ss_world *world, const ss_cursor *cursor)
{
  return cursor->pass == ss_schedule_length(&world->job->shape);
}

static const ss_work *first_work(const ss_world *world, const ss_stage_replica *replica, const ss_cursor *cursor)
{
  return &world->stage[replica->stage].order[cursor->pass];
}

const ss_work *ss_cursor_work(const ss_world *world, const ss_stage_replica *replica, const ss_cursor *cursor)
{
  const ss_work *work = first_work(world, replica, cursor);
  return work->paired ? &work[cursor->pair.at] : work;
}

static int64_t blocks_of(const ss_world *world, const ss_stage_replica *replica, const ss_work *work)
{
  return ss_job_block_count(world->job, (ss_chunk){replica->stage, work->chunk});
}

/* There is something to fetch in the pass, or in the pair: it may have no blocks. */
static bool is_fetching(const ss_world *world, const ss_stage_replica *replica, const ss_cursor *cursor)
{
  const ss_work *work = first_work(world, replica, cursor);
  if (work->paired && blocks_of(world, replica, work + 1) > 0) return true;
  return ss_pass_fetches(work->pass) && blocks_of(world, replica, work) > 0;
}

/* Goes to the next block of a pair; false when there is none. */
static bool next_paired_block(const ss_world *world, ss_cursor *cursor)
{
  if (!ss_pair_order_next_block(world->job, &cursor->pair)) return false;
  cursor->place = cursor->pair.lane[cursor->pair.at].begun - 1;
  return true;
}

static void next_pass(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  cursor->pass += first_work(world, replica, cursor)->paired ? SS_PAIR_LANES : 1;
  cursor->place = 0;
  if (is_over(world, cursor)) return;
  const ss_work *work = first_work(world, replica, cursor);
  if (!work->paired) return;
  cursor->pair = ss_pair_order_start(world->job, (ss_chunk){replica->stage, work->chunk},
                                     (ss_chunk){replica->stage, work[1].chunk});
  (void)next_paired_block(world, cursor);
}

bool ss_cursor_settle(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  while (!is_over(world, cursor) && !is_fetching(world, replica, cursor)) next_pass(world, replica, cursor);
  return !is_over(world, cursor);
}

bool ss_cursor_step(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor)
{
  const ss_work *work = first_work(world, replica, cursor);
  cursor->steps++;
  if (work->paired) {
    if (!next_paired_block(world, cursor)) next_pass(world, replica, cursor);
  } else if (++cursor->place == blocks_of(world, replica, work)) {
    next_pass(world, replica, cursor);
  }
  return ss_cursor_settle(world, replica, cursor);
}
