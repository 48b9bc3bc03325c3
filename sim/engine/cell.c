/* A cell works through the passes of its schedule, block by block; each phase either goes on or waits. */
#include <math.h>

#include "sim/engine/record.h"
#include "sim/engine/trouble.h"
#include "sim/engine/watch.h"
#include "sim/engine/world.h"

ss_chunk ss_cell_chunk(const ss_cell *cell)
{
  return (ss_chunk){cell->stage, cell->work.chunk};
}

int64_t ss_cell_block(const ss_world *world, const ss_cell *cell)
{
  return ss_job_block_at(world->job, ss_cell_chunk(cell), cell->work.pass, cell->position);
}

ss_block_kind ss_cell_block_kind(const ss_world *world, const ss_cell *cell)
{
  return ss_job_block_kind(world->job, ss_cell_chunk(cell), ss_cell_block(world, cell));
}

static int64_t blocks_of_pass(const ss_world *world, const ss_cell *cell)
{
  return ss_job_block_count(world->job, ss_cell_chunk(cell));
}

bool ss_cell_wait(ss_world *world, ss_cell *cell, ss_wait what)
{
  if (cell->wait != what) {
    cell->wait = what;
    cell->wait_start_s = world->common->now_s;
    ss_record_wait_begin(world, cell);
  }
  return false;
}

static void wait_until(ss_world *world, ss_cell *cell, ss_wait what, double time_s)
{
  (void)ss_cell_wait(world, cell, what);
  ss_world_schedule(world, time_s, SS_EVENT_CELL, cell);
}

static bool message_is_there(const ss_world *world, const ss_cell *cell)
{
  ss_chunk sender;
  if (!ss_job_sender(world->job, ss_cell_chunk(cell), cell->work.pass, &sender)) return true;
  return cell->inbox[cell->work.pass].arrived[cell->work.chunk] > cell->work.micro_batch;
}

/* Where iterations run into one another, a stage begins with its first pass; the one before fills what comes earlier.
 */
static void begin_iteration(ss_world *world, ss_cell *cell)
{
  if (!ss_schedule_traits_of(world->job->shape.schedule).runs_into_next) return;
  cell->start_s = world->common->now_s;
  cell->parts = (ss_breakdown){0};
  cell->exposed = (ss_exposed){0};
}

bool ss_cell_takes_whole_pass(const ss_world *world, const ss_work *work)
{
  return world->whole_passes && !ss_pass_moves_data(world, work);
}

static bool begin_pass(ss_world *world, ss_cell *cell)
{
  if (cell->pass == ss_schedule_length(&world->job->shape)) {
    cell->phase = SS_PHASE_LAST_REDUCTION;
    return true;
  }
  cell->work = world->stage[cell->stage].order[cell->pass];
  if (!message_is_there(world, cell)) return ss_cell_wait(world, cell, SS_WAITS_MESSAGE);
  if (cell->pass == 0) begin_iteration(world, cell);
  ss_record_pass_begin(world, cell);
  cell->position = 0;
  cell->phase = SS_PHASE_BLOCK_BEGIN;
  if (!ss_cell_takes_whole_pass(world, &cell->work)) return true;
  cell->steps_begun += cell->work.pass != SS_PASS_WEIGHT ? blocks_of_pass(world, cell) : 0;
  cell->phase = SS_PHASE_PASS_END;
  ss_pass_start(world, cell);
  return false;
}

static bool begin_block(ss_world *world, ss_cell *cell)
{
  cell->data_needed = ss_gather_need(world, cell);
  const double ready_s = ss_offload_ready_s(world, cell);
  if (ss_data_completed(world, cell->stage) < cell->data_needed) return ss_cell_wait(world, cell, SS_WAITS_DATA);
  if (ready_s > world->common->now_s) {
    wait_until(world, cell, SS_WAITS_OFFLOAD, ready_s);
    return false;
  }
  ss_gather_ahead(world, cell);
  ss_offload_ahead(world, cell);
  cell->steps_begun += cell->work.pass != SS_PASS_WEIGHT;
  ss_record_block_begin(world, cell);
  cell->step = 0;
  cell->phase = SS_PHASE_STEP;
  return true;
}

static bool run_step(ss_world *world, ss_cell *cell)
{
  if (cell->step < world->steps[ss_cell_block_kind(world, cell)][cell->work.pass].count)
    return ss_step_start(world, cell);
  cell->phase = SS_PHASE_BLOCK_END;
  return true;
}

static bool end_block(ss_world *world, ss_cell *cell)
{
  ss_record_end(world, cell);
  ss_offload_write(world, cell);
  cell->data_needed = ss_reduce_need(world, cell);
  cell->phase = SS_PHASE_REDUCED;
  return true;
}

/* The gradients of a block are reduced before the next block runs, where nothing runs beside compute. */
static bool end_reduction(ss_world *world, ss_cell *cell)
{
  if (ss_data_completed(world, cell->stage) < cell->data_needed) return ss_cell_wait(world, cell, SS_WAITS_DATA);
  cell->position++;
  cell->phase = cell->position == blocks_of_pass(world, cell) ? SS_PHASE_PASS_END : SS_PHASE_BLOCK_BEGIN;
  return true;
}

static bool end_pass(ss_world *world, ss_cell *cell)
{
  ss_record_end(world, cell);
  world->passes_done++;
  cell->phase = SS_PHASE_SENT;
  ss_chunk receiver;
  if (ss_job_receiver(world->job, ss_cell_chunk(cell), cell->work.pass, &receiver)) ss_send_message(world, cell);
  return true;
}

/* Messages of the current pass's kind are still on their way out. */
static bool is_sending(const ss_cell *cell)
{
  if (cell->work.pass == SS_PASS_WEIGHT) return false;
  const ss_outbox *outbox = &cell->outbox[cell->work.pass];
  return outbox->sent < outbox->queued;
}

static bool end_send(ss_world *world, ss_cell *cell)
{
  const bool overlap = world->job->workload->schedule.overlap_pp == SS_YES;
  if (!overlap && is_sending(cell)) return ss_cell_wait(world, cell, SS_WAITS_SEND);
  cell->pass++;
  cell->phase = SS_PHASE_PASS_BEGIN;
  return true;
}

static bool end_reductions(ss_world *world, ss_cell *cell)
{
  if (!cell->reduced) ss_reduce_rest(world, cell);
  cell->reduced = true;
  cell->data_needed = cell->data_issued;
  if (ss_data_completed(world, cell->stage) < cell->data_needed) return ss_cell_wait(world, cell, SS_WAITS_DATA);
  ss_tie *tie = ss_world_tie(world, cell);
  cell->phase = tie != NULL ? SS_PHASE_TIE : SS_PHASE_OPTIMIZER;
  if (tie != NULL) ss_join_tie(world, cell, tie);
  return true;
}

static bool end_tie(ss_world *world, ss_cell *cell)
{
  if (!ss_world_tie(world, cell)->done) return ss_cell_wait(world, cell, SS_WAITS_TIE);
  cell->phase = SS_PHASE_OPTIMIZER;
  return true;
}

static bool run_optimizer(ss_world *world, ss_cell *cell)
{
  const ss_optimizer_time time = ss_job_optimizer(world->job, cell->stage);
  const double slowed_s = ss_trouble_optimizer_s(world, cell, time);
  ss_record_optimizer(world, cell, time.optimizer_s + time.offload_s + slowed_s);
  cell->parts.optimizer_s += time.optimizer_s;
  cell->parts.offload_s += time.offload_s;
  cell->parts.other_s += slowed_s;
  cell->phase = SS_PHASE_END;
  wait_until(world, cell, SS_WAITS_TIMER, world->common->now_s + time.optimizer_s + time.offload_s + slowed_s);
  return false;
}

static bool end_iteration(ss_world *world, ss_cell *cell)
{
  const double offload_s = ss_job_optimizer(world->job, cell->stage).offload_s;
  cell->ended = (ss_ending){.logged = -1};
  if (offload_s > 0.0) ss_watch_wait(world, cell, world->common->now_s - offload_s, 0.0);
  cell->finish_s = world->common->now_s;
  world->cells_left--;
  return false;
}

static void go_on(ss_world *world, ss_cell *cell)
{
  static bool (*const phases[SS_PHASES])(ss_world *, ss_cell *) = {
      [SS_PHASE_PASS_BEGIN] = begin_pass, [SS_PHASE_BLOCK_BEGIN] = begin_block,
      [SS_PHASE_STEP] = run_step,         [SS_PHASE_BLOCK_END] = end_block,
      [SS_PHASE_REDUCED] = end_reduction, [SS_PHASE_PASS_END] = end_pass,
      [SS_PHASE_SENT] = end_send,         [SS_PHASE_LAST_REDUCTION] = end_reductions,
      [SS_PHASE_TIE] = end_tie,           [SS_PHASE_OPTIMIZER] = run_optimizer,
      [SS_PHASE_END] = end_iteration};
  while (phases[cell->phase](world, cell)) continue;
}

void ss_cell_start(ss_world *world, ss_cell *cell)
{
  ss_gather_first(world, cell);
  ss_offload_ahead(world, cell);
  go_on(world, cell);
}

/* Charges a wait for another stage: until that had sent, it is the pipeline's bubble. */
static void account_other_stage(const ss_world *world, ss_cell *cell, double sent_s)
{
  const double waited_s = world->common->now_s - cell->wait_start_s;
  const double bubble_s = fmax(sent_s - cell->wait_start_s, 0.0);
  cell->parts.bubble_s += bubble_s;
  cell->parts.pp_comm_s += waited_s - bubble_s;
  ss_exposed_add(&cell->exposed, waited_s - bubble_s, &cell->ended.parts);
}

/* Charges the wait that is over; what steps wait for, they charge themselves. */
static void account_wait(ss_world *world, ss_cell *cell)
{
  const double waited_s = world->common->now_s - cell->wait_start_s;
  switch (cell->wait) {
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER:
  case SS_WAITS_TASK: break;
  case SS_WAITS_DATA:
    cell->parts.dp_comm_s += waited_s;
    ss_exposed_add(&cell->exposed, waited_s, &cell->ended.parts);
    break;
  case SS_WAITS_OFFLOAD:
    cell->parts.offload_s += waited_s;
    cell->ended = (ss_ending){.logged = -1};
    break;
  case SS_WAITS_SEND:
    cell->parts.pp_comm_s += waited_s;
    ss_exposed_add(&cell->exposed, waited_s, &cell->ended.parts);
    break;
  case SS_WAITS_MESSAGE: account_other_stage(world, cell, cell->inbox[cell->work.pass].last_start_s); break;
  case SS_WAITS_TIE: account_other_stage(world, cell, ss_world_tie(world, cell)->transfer.start_s); break;
  }
  if (cell->wait != SS_WAITS_TIMER && cell->wait != SS_WAITS_TASK) ss_watch_wait(world, cell, cell->wait_start_s, 0.0);
}

/* What a waiting cell waits for has not happened yet. */
static bool still_waits(const ss_world *world, const ss_cell *cell)
{
  switch (cell->wait) {
  case SS_WAITS_MESSAGE: return !message_is_there(world, cell);
  case SS_WAITS_DATA: return ss_data_completed(world, cell->stage) < cell->data_needed;
  case SS_WAITS_SEND: return is_sending(cell);
  case SS_WAITS_TIE: return !ss_world_tie(world, cell)->done;
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER:
  case SS_WAITS_OFFLOAD:
  case SS_WAITS_TASK: return false;
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
