#include "sim/engine/core/data.h"

#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/fetch_cursor.h"

/* Issues the operations ahead of or behind a block; returns how many must be complete for them, 0 for nothing. */
static int64_t issue_of_block(ss_world *world, ss_stage_replica *replica, int64_t block, ss_op_start start)
{
  int64_t need = 0;
  const ss_stage_op *op = ss_stage_ops_of_block(&world->stage[replica->stage].ops, block, start);
  for (; op != NULL; op = ss_stage_ops_next(op)) need = ss_data_op_issue(world, replica, op) + 1;
  return need;
}

/* The block of a pass at `place`, counted over the stage. */
static int64_t block_at(const ss_world *world, const ss_stage_replica *replica, const ss_work *work, int64_t place)
{
  const ss_job *job = world->job;
  const int64_t *first = &job->block_first[replica->stage * job->chunks];
  return first[work->chunk] - first[0] +
         ss_job_block_at(job, (ss_chunk){replica->stage, work->chunk}, work->pass, place);
}

static int64_t gather_at(ss_world *world, ss_stage_replica *replica, const ss_cursor *cursor)
{
  const ss_job *job = world->job;
  const ss_work *work = ss_cursor_work(world, replica, cursor);
  const int64_t block = block_at(world, replica, work, cursor->place);
  const int8_t *kind = &job->block_kind[job->block_first[replica->stage * job->chunks]];
  if (!ss_pass_gathers(job, (ss_block_kind)kind[block], work->pass)) return 0;
  return issue_of_block(world, replica, block, SS_OP_AHEAD);
}

static void gather_up_to(ss_world *world, ss_stage_replica *replica, int64_t last)
{
  bool more = ss_cursor_settle(world, replica, &replica->gathers);
  while (more && replica->gathers.steps <= last) {
    replica->gather_need[replica->gathers.steps % world->window] = gather_at(world, replica, &replica->gathers);
    more = ss_cursor_step(world, replica, &replica->gathers);
  }
}

void ss_gather_first(ss_world *world, ss_stage_replica *replica)
{
  const ss_stage_ops *ops = &world->stage[replica->stage].ops;
  for (int64_t i = 0; i < ops->first; ++i) (void)ss_data_op_issue(world, replica, &ops->op[i]);
  if (world->job->data.gathers_each_pass) gather_up_to(world, replica, ss_gathers_ahead(world->job, false) - 1);
}

int64_t ss_gather_need(ss_world *world, ss_stage_replica *replica)
{
  const ss_job *job = world->job;
  const ss_work *work = &replica->work;
  if (job->data.gathers_each_pass && ss_pass_fetches(work->pass)) {
    gather_up_to(world, replica, replica->steps_begun);
    return replica->gather_need[replica->steps_begun % world->window];
  }
  if (!ss_pass_needs_first(job, work)) return 0;
  return world->stage[replica->stage].ops.needs[block_at(world, replica, work, replica->position)];
}

void ss_gather_ahead(ss_world *world, ss_stage_replica *replica)
{
  if (!world->job->data.gathers_each_pass || !ss_pass_fetches(replica->work.pass)) return;
  gather_up_to(world, replica, replica->steps_begun + ss_gathers_ahead(world->job, replica->pair.active));
}

static bool reduces(const ss_world *world, const ss_work *work)
{
  return ss_pass_reduces(world->job, work->pass, work->micro_batch == world->job->copy_batches - 1);
}

int64_t ss_reduce_count(const ss_world *world, const ss_stage_replica *replica)
{
  int64_t count = 0;
  if (!reduces(world, &replica->work)) return 0;
  const int64_t block = block_at(world, replica, &replica->work, replica->position);
  const ss_stage_op *op = ss_stage_ops_of_block(&world->stage[replica->stage].ops, block, SS_OP_BEHIND);
  for (; op != NULL; op = ss_stage_ops_next(op)) ++count;
  return count;
}

int64_t ss_reduce_need(ss_world *world, ss_stage_replica *replica)
{
  const ss_work *work = &replica->work;
  if (!reduces(world, work)) return 0;
  const int64_t need = issue_of_block(world, replica, block_at(world, replica, work, replica->position), SS_OP_BEHIND);
  return world->job->overlaps_data ? 0 : need;
}

/* In the order of the list, chunk by chunk from the first: as Megatron-LM's finalize_model_grads comes to them. What is
 * gathered before each pass is never reduced at the end, so that nothing else is behind the first ones. */
void ss_reduce_rest(ss_world *world, ss_stage_replica *replica)
{
  const ss_stage_ops *ops = &world->stage[replica->stage].ops;
  if (!ss_reduces_at_end(world->job)) return;
  for (int64_t i = ops->first; i < ops->count; ++i) (void)ss_data_op_issue(world, replica, &ops->op[i]);
}
