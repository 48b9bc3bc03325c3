/* A cell works through the passes of its schedule, block by block; each phase either goes on or waits. */
#include "sim/engine/record.h"
#include "sim/engine/world.h"

static ss_pass pass_of(const ss_cell *cell)
{
  return cell->work.backward ? SS_PASS_BACKWARD : SS_PASS_FORWARD;
}

int64_t ss_cell_block(const ss_world *world, const ss_cell *cell)
{
  return ss_job_block_at(world->job, cell->stage, cell->work.backward, cell->position);
}

static ss_block_kind kind_of(const ss_world *world, const ss_cell *cell)
{
  return ss_job_block_kind(world->job, cell->stage, ss_cell_block(world, cell));
}

const ss_task *ss_cell_task(const ss_world *world, const ss_cell *cell)
{
  const ss_step *step = &world->steps[kind_of(world, cell)][pass_of(cell)].step[cell->step];
  return &ss_job_tasks(world->job, kind_of(world, cell), pass_of(cell))->task[step->first];
}

ss_comm_time ss_cell_task_time(const ss_world *world, const ss_cell *cell)
{
  const ss_task *task = ss_cell_task(world, cell);
  const double scale = ss_job_scale(world->job, kind_of(world, cell), pass_of(cell));
  const ss_comm_time time =
      ss_collective_time(&world->job->network, task->kind, cell->tensor_route.span, task->volume_bytes);
  return (ss_comm_time){scale * time.latency_s, scale * time.transfer_s};
}

static bool wait_for(ss_world *world, ss_cell *cell, ss_wait what)
{
  if (cell->wait != what) {
    cell->wait = what;
    cell->wait_start_s = world->now_s;
    ss_record_wait_begin(world, cell);
  }
  return false;
}

static void run_for(ss_world *world, ss_cell *cell, double duration_s)
{
  (void)wait_for(world, cell, SS_WAITS_TIMER);
  ss_agenda_add(&world->agenda, world->now_s + duration_s, SS_EVENT_CELL, cell);
}

static int incoming_side(const ss_work *work)
{
  return work->backward ? SS_SIDE_GRADIENTS : SS_SIDE_ACTIVATIONS;
}

static bool message_is_there(const ss_world *world, const ss_cell *cell)
{
  const bool from_neighbour = cell->work.backward ? cell->stage < world->job->stages - 1 : cell->stage > 0;
  return !from_neighbour || cell->inbox[incoming_side(&cell->work)].arrived > cell->work.micro_batch;
}

static bool begin_pass(ss_world *world, ss_cell *cell)
{
  const ss_job *job = world->job;
  if (cell->pass == 2 * job->micro_batches) {
    cell->phase = SS_PHASE_OPTIMIZER;
    return true;
  }
  cell->work =
      ss_schedule_work(job->workload->schedule.pipeline, cell->stage, job->stages, job->micro_batches, cell->pass);
  if (!message_is_there(world, cell)) return wait_for(world, cell, SS_WAITS_MESSAGE);
  ss_record_pass_begin(world, cell);
  cell->position = 0;
  cell->phase = SS_PHASE_BLOCK_BEGIN;
  return true;
}

/* Issues the gathers of all steps (blocks of passes, counted over the iteration) up to `last`. */
static void gather_up_to(ss_world *world, ss_cell *cell, int64_t last)
{
  const ss_job *job = world->job;
  const int64_t blocks = ss_job_block_count(job, cell->stage), total = 2 * job->micro_batches * blocks;
  for (; cell->gathers_issued <= last && cell->gathers_issued < total; ++cell->gathers_issued) {
    const ss_work work = ss_schedule_work(job->workload->schedule.pipeline, cell->stage, job->stages,
                                          job->micro_batches, cell->gathers_issued / blocks);
    const int64_t block = ss_job_block_at(job, cell->stage, work.backward, cell->gathers_issued % blocks);
    const double bytes = job->gather_bytes[ss_job_block_kind(job, cell->stage, block)];
    cell->gather_op[cell->gathers_issued % world->gather_window] =
        ss_issue_data_op(world, cell, SS_ALL_GATHER, bytes, block);
  }
}

static void gather_all_once(ss_world *world, ss_cell *cell)
{
  for (int64_t block = 0; block < ss_job_block_count(world->job, cell->stage); ++block)
    (void)ss_issue_data_op(world, cell, SS_ALL_GATHER,
                           world->job->gather_bytes[ss_job_block_kind(world->job, cell->stage, block)], block);
}

static bool overlaps_data(const ss_world *world)
{
  return world->job->workload->schedule.overlap_dp == SS_YES;
}

static int64_t gathers_ahead(const ss_world *world)
{
  return overlaps_data(world) ? world->job->workload->schedule.prefetch : 0;
}

/* The number of data operations that must be complete before the current block can start. */
static int64_t data_needed(ss_world *world, ss_cell *cell)
{
  const int64_t blocks = ss_job_block_count(world->job, cell->stage);
  if (world->plan.gathers_each_pass) {
    const int64_t step = cell->pass * blocks + cell->position;
    gather_up_to(world, cell, step);
    return cell->gather_op[step % world->gather_window] + 1;
  }
  if (world->plan.gathers_at_start && cell->pass == 0) return overlaps_data(world) ? cell->position + 1 : blocks;
  return 0;
}

static bool begin_block(ss_world *world, ss_cell *cell)
{
  cell->data_needed = data_needed(world, cell);
  if (ss_data_completed(world, cell->stage) < cell->data_needed) return wait_for(world, cell, SS_WAITS_DATA);
  if (world->plan.gathers_each_pass)
    gather_up_to(world, cell,
                 cell->pass * ss_job_block_count(world->job, cell->stage) + cell->position + gathers_ahead(world));
  ss_record_block_begin(world, cell);
  cell->step = 0;
  cell->phase = SS_PHASE_STEP;
  return true;
}

static void account_run(ss_breakdown *parts, const ss_duration *duration)
{
  parts->compute_s += duration->compute_s;
  parts->memory_s += duration->memory_s;
  parts->other_s += duration->launch_s;
  parts->tp_comm_s += duration->comm_s;
}

static bool run_step(ss_world *world, ss_cell *cell)
{
  const ss_step_list *steps = &world->steps[kind_of(world, cell)][pass_of(cell)];
  if (cell->step == steps->count) {
    cell->phase = SS_PHASE_BLOCK_END;
    return true;
  }
  const ss_step *step = &steps->step[cell->step];
  if (step->collective) {
    ss_start_tensor_collective(world, cell);
    (void)wait_for(world, cell, SS_WAITS_TENSOR);
  } else {
    ss_record_run(world, cell, step);
    account_run(&cell->parts, &step->parts);
    run_for(world, cell, step->run_s);
  }
  return false;
}

static void reduce_block(ss_world *world, ss_cell *cell, int64_t block)
{
  const double bytes = world->job->reduce_bytes[ss_job_block_kind(world->job, cell->stage, block)];
  cell->data_needed = ss_issue_data_op(world, cell, world->plan.reduction, bytes, block) + 1;
}

static bool end_block(ss_world *world, ss_cell *cell)
{
  ss_record_end(world, cell);
  const bool last = cell->work.micro_batch == world->job->micro_batches - 1;
  cell->phase = SS_PHASE_REDUCED;
  cell->data_needed = 0;
  if (!world->plan.active || !cell->work.backward) return true;
  if (world->plan.reduces_each_pass || (last && overlaps_data(world)))
    reduce_block(world, cell, ss_cell_block(world, cell));
  if (overlaps_data(world)) cell->data_needed = 0;
  return true;
}

/* The gradients of a block are reduced before the next block runs, where nothing runs beside compute. */
static bool end_reduction(ss_world *world, ss_cell *cell)
{
  if (ss_data_completed(world, cell->stage) < cell->data_needed) return wait_for(world, cell, SS_WAITS_DATA);
  cell->position++;
  const bool done = cell->position == ss_job_block_count(world->job, cell->stage);
  cell->phase = done ? SS_PHASE_PASS_END : SS_PHASE_BLOCK_BEGIN;
  return true;
}

static bool end_pass(ss_world *world, ss_cell *cell)
{
  ss_record_end(world, cell);
  world->passes_done++;
  const bool has_receiver = cell->work.backward ? cell->stage > 0 : cell->stage < world->job->stages - 1;
  cell->phase = SS_PHASE_SENT;
  if (has_receiver) ss_send_message(world, cell, incoming_side(&cell->work));
  return true;
}

static bool end_send(ss_world *world, ss_cell *cell)
{
  const ss_outbox *outbox = &cell->outbox[incoming_side(&cell->work)];
  const bool overlap = world->job->workload->schedule.overlap_pp == SS_YES;
  if (!overlap && outbox->sent < outbox->queued) return wait_for(world, cell, SS_WAITS_SEND);
  cell->pass++;
  cell->phase = SS_PHASE_PASS_BEGIN;
  return true;
}

static bool run_optimizer(ss_world *world, ss_cell *cell)
{
  const bool at_the_end = world->plan.active && !world->plan.reduces_each_pass && !overlaps_data(world);
  if (at_the_end && !cell->reduced)
    for (int64_t block = ss_job_block_count(world->job, cell->stage); block-- > 0;) reduce_block(world, cell, block);
  cell->reduced = true;
  cell->data_needed = cell->data_issued;
  if (ss_data_completed(world, cell->stage) < cell->data_needed) return wait_for(world, cell, SS_WAITS_DATA);
  const double optimizer_s = ss_job_optimizer_s(world->job, cell->stage);
  ss_record_optimizer(world, cell, optimizer_s);
  cell->parts.optimizer_s += optimizer_s;
  cell->phase = SS_PHASE_END;
  run_for(world, cell, optimizer_s);
  return false;
}

static bool end_iteration(ss_world *world, ss_cell *cell)
{
  cell->finish_s = world->now_s;
  world->cells_left--;
  return false;
}

static void go_on(ss_world *world, ss_cell *cell)
{
  static bool (*const phases[SS_PHASES])(ss_world *, ss_cell *) = {
      [SS_PHASE_PASS_BEGIN] = begin_pass, [SS_PHASE_BLOCK_BEGIN] = begin_block, [SS_PHASE_STEP] = run_step,
      [SS_PHASE_BLOCK_END] = end_block,   [SS_PHASE_REDUCED] = end_reduction,   [SS_PHASE_PASS_END] = end_pass,
      [SS_PHASE_SENT] = end_send,         [SS_PHASE_OPTIMIZER] = run_optimizer, [SS_PHASE_END] = end_iteration};
  while (phases[cell->phase](world, cell)) continue;
}

void ss_cell_start(ss_world *world, ss_cell *cell)
{
  if (world->plan.gathers_at_start) gather_all_once(world, cell);
  if (world->plan.gathers_each_pass) gather_up_to(world, cell, gathers_ahead(world) - 1);
  go_on(world, cell);
}

/* Charges the wait that is over. While a message was not yet sent, the wait is the pipeline's bubble. */
static void account_wait(ss_world *world, ss_cell *cell)
{
  const double waited_s = world->now_s - cell->wait_start_s;
  double bubble_s = 0.0;
  switch (cell->wait) {
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER: break;
  case SS_WAITS_DATA: cell->parts.dp_comm_s += waited_s; break;
  case SS_WAITS_SEND: cell->parts.pp_comm_s += waited_s; break;
  case SS_WAITS_TENSOR: cell->parts.tp_comm_s += waited_s; break;
  case SS_WAITS_MESSAGE:
    bubble_s = cell->inbox[incoming_side(&cell->work)].last_start_s - cell->wait_start_s;
    if (bubble_s < 0.0) bubble_s = 0.0;
    cell->parts.bubble_s += bubble_s;
    cell->parts.pp_comm_s += waited_s - bubble_s;
    break;
  }
}

/* What a waiting cell waits for has not happened yet. */
static bool still_waits(const ss_world *world, const ss_cell *cell)
{
  const ss_outbox *outbox = &cell->outbox[incoming_side(&cell->work)];
  switch (cell->wait) {
  case SS_WAITS_MESSAGE: return !message_is_there(world, cell);
  case SS_WAITS_DATA: return ss_data_completed(world, cell->stage) < cell->data_needed;
  case SS_WAITS_SEND: return outbox->sent < outbox->queued;
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER:
  case SS_WAITS_TENSOR: return false;
  }
  return false;
}

void ss_cell_resume(ss_world *world, ss_cell *cell)
{
  if (still_waits(world, cell)) return;
  account_wait(world, cell);
  ss_record_wait_end(world, cell);
  cell->wait = SS_WAITS_NOTHING;
  if (cell->phase == SS_PHASE_STEP) cell->step++;
  go_on(world, cell);
}
