#include "sim/engine/core/passes.h"

#include <math.h>

#include "model/plan/optimizer.h"
#include "sim/engine/core/ahead.h"
#include "sim/engine/core/data.h"
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/host.h"
#include "sim/engine/core/messages.h"
#include "sim/engine/core/offload.h"
#include "sim/engine/core/pairs.h"
#include "sim/engine/core/runs.h"
#include "sim/engine/core/tasks.h"
#include "sim/engine/core/ties.h"

static int64_t blocks_of_pass(const ss_world *world, const ss_stage_replica *replica)
{
  return ss_job_block_count(world->job, ss_replica_chunk(replica));
}

/* The message that the pass at hand starts with. */
static bool message_is_there(const ss_world *world, const ss_stage_replica *replica)
{
  ss_chunk sender;
  if (!ss_job_sender(world->job, ss_replica_chunk(replica), replica->work.pass, &sender)) return true;
  return replica->inbox[replica->work.pass].arrived[replica->work.chunk] > replica->work.micro_batch;
}

/* Where iterations run into one another, a stage begins with its first pass; the one before fills what comes earlier.
 */
static void begin_iteration(ss_world *world, ss_stage_replica *replica)
{
  if (!world->job->shape.schedule->runs_into_next) return;
  replica->start_s = world->common->now_s;
  replica->parts = (ss_breakdown){0};
  replica->slowed_s = replica->behind_s = 0.0;
  replica->exposed = (ss_exposed){0};
}

/* Whether a timeline shows the blocks of the pass at hand. */
static bool is_shown(const ss_world *world, const ss_stage_replica *replica)
{
  bool shown = false;
  for (int64_t i = 0; replica->shown && i < world->options->timeline_count; ++i)
    shown = shown || ss_selection_has(&world->options->timelines[i].micro_batches, replica->work.micro_batch);
  return shown;
}

/* Quiet ones as long as all data-parallel collectives are complete that the replica has issued: until it issues the
 * next one, none can start. */
static void choose_quiet_steps(const ss_world *world, ss_stage_replica *replica)
{
  if (!replica->may_be_quiet) return;
  const bool quiet = replica->is_undisturbed || ss_data_ops_completed(world, replica->stage) == replica->data_issued;
  replica->steps = quiet ? &world->quiet[replica->quiet] : &world->settled;
}

static bool takes_whole_pass(const ss_world *world, const ss_stage_replica *replica)
{
  return replica->steps->whole_passes && !is_shown(world, replica) && !ss_pass_moves_data(world->job, &replica->work);
}

/* The same of the pass that runs together with it; the replica is at that one where it has to wait for it. */
static bool is_other_there(const ss_world *world, ss_stage_replica *replica)
{
  const ss_work *order = &world->stage[replica->stage].order[replica->pass];
  replica->work = order[1];
  if (!message_is_there(world, replica)) return false;
  replica->work = order[0];
  return true;
}

/* The message that the pass at hand starts with is known of: where replicas go ahead, it may be on its way. */
static void go_to_message(ss_world *world, const ss_stage_replica *replica)
{
  ss_chunk sender;
  const ss_work *work = &replica->work;
  if (ss_world_goes_ahead(world) && ss_job_sender(world->job, ss_replica_chunk(replica), work->pass, &sender))
    ss_ahead_until(world, *ss_ahead_arrival(world, replica, work->pass, work->chunk, work->micro_batch));
}

/* A replica that is ahead waits until events have come to where it is. */
static bool wait_for_events(ss_world *world, ss_stage_replica *replica)
{
  return ss_replica_wait_until(world, replica, SS_WAITS_TIMER, world->common->now_s);
}

static bool begin_pass(ss_world *world, ss_stage_replica *replica)
{
  if (replica->pass == ss_schedule_length(&world->job->shape)) {
    if (ss_world_is_ahead(world)) return wait_for_events(world, replica);
    replica->phase = SS_PHASE_LAST_REDUCTION;
    return true;
  }
  replica->work = world->stage[replica->stage].order[replica->pass];
  if (!message_is_there(world, replica)) return ss_replica_wait(world, replica, SS_WAITS_MESSAGE);
  go_to_message(world, replica);
  if (ss_world_is_ahead(world) && !ss_ahead_is_free(world, replica)) return wait_for_events(world, replica);
  if (replica->work.paired && !is_other_there(world, replica)) return ss_replica_wait(world, replica, SS_WAITS_MESSAGE);
  if (replica->pass == 0) begin_iteration(world, replica);
  if (replica->work.paired) ss_pair_begin(world, replica);
  ss_host_begin_pass(world, replica);
  SS_TELL(&world->observers, pass_begin, replica);
  replica->position = 0;
  const bool is_empty = blocks_of_pass(world, replica) == 0; /* a chunk that only sends on what it receives */
  replica->phase = is_empty ? SS_PHASE_PASS_END : SS_PHASE_BLOCK_BEGIN;
  choose_quiet_steps(world, replica);
  if (is_empty || !takes_whole_pass(world, replica)) return true;
  replica->steps_begun += replica->work.pass != SS_PASS_WEIGHT ? blocks_of_pass(world, replica) : 0;
  replica->phase = SS_PHASE_PASS_END;
  ss_pass_start(world, replica);
  return false;
}

/* What is left of a wait for data-parallel collectives when none was in progress is a wait for who issues it last. */
static bool wait_for_data(ss_world *world, ss_stage_replica *replica)
{
  if (replica->wait != SS_WAITS_DATA) replica->data_busy_s = ss_data_ops_busy_s(world, replica->stage);
  return ss_replica_wait(world, replica, SS_WAITS_DATA);
}

static bool begin_block(ss_world *world, ss_stage_replica *replica)
{
  replica->data_needed = ss_gather_need(world, replica);
  const double ready_s = ss_offload_ready_s(world, replica);
  if (ss_data_ops_completed(world, replica->stage) < replica->data_needed) return wait_for_data(world, replica);
  if (ready_s > world->common->now_s) return ss_replica_wait_until(world, replica, SS_WAITS_OFFLOAD, ready_s);
  ss_gather_ahead(world, replica);
  ss_offload_ahead(world, replica);
  choose_quiet_steps(world, replica);
  replica->steps_begun += replica->work.pass != SS_PASS_WEIGHT;
  SS_TELL(&world->observers, block_begin, replica);
  replica->step = 0;
  replica->phase = SS_PHASE_STEP;
  return true;
}

/* A replica goes on: with the next step, where it waited for the end of one. */
static void end_wait(ss_world *world, ss_stage_replica *replica)
{
  const bool before_step = replica->wait == SS_WAITS_EXCHANGE || replica->wait == SS_WAITS_HOST;
  SS_TELL(&world->observers, wait_end, replica);
  replica->wait = SS_WAITS_NOTHING;
  if (replica->phase == SS_PHASE_STEP && !before_step) replica->step++;
}

static bool run_step(ss_world *world, ss_stage_replica *replica)
{
  const ss_step_list *list = ss_replica_steps(world, replica);
  if (replica->step == list->count) {
    replica->phase = SS_PHASE_BLOCK_END;
    return true;
  }
  if (replica->pair.active) {
    const ss_pair_turn turn = ss_pair_at_step(world, replica, &list->step[replica->step]);
    if (turn != SS_PAIR_RUNS) return turn == SS_PAIR_MOVES;
  }
  if (!ss_host_launch(world, replica, &list->step[replica->step])) return false;
  if (!ss_step_start(world, replica)) return false;
  end_wait(world, replica);
  return true;
}

static bool end_block(ss_world *world, ss_stage_replica *replica)
{
  if (replica->pair.active) {
    const ss_pair_turn turn = ss_pair_at_block_end(world, replica);
    if (turn != SS_PAIR_RUNS) return turn == SS_PAIR_MOVES;
  }
  SS_TELL(&world->observers, block_end, replica);
  ss_offload_write(world, replica);
  replica->phase = SS_PHASE_REDUCE;
  return true;
}

/* The next kernels of the host come behind the reductions, so that compute loses nothing if it waits for them. */
static bool reduce(ss_world *world, ss_stage_replica *replica)
{
  const int64_t reductions = ss_reduce_count(world, replica);
  if (reductions > 0 && !ss_host_launch_calls(world, replica, reductions)) return false;
  replica->data_needed = ss_reduce_need(world, replica);
  replica->phase = SS_PHASE_REDUCED;
  return true;
}

/* The gradients of a block are reduced before the next block runs, where nothing runs beside compute. */
static bool end_reduction(ss_world *world, ss_stage_replica *replica)
{
  if (ss_data_ops_completed(world, replica->stage) < replica->data_needed) return wait_for_data(world, replica);
  replica->position++;
  replica->phase = replica->position == blocks_of_pass(world, replica) ? SS_PHASE_PASS_END : SS_PHASE_BLOCK_BEGIN;
  return true;
}

/* The whole backward pass that ends with the weight pass at hand; NULL where there is none. */
static const ss_work *owed_work(const ss_world *world, const ss_stage_replica *replica)
{
  if (replica->work.pass != SS_PASS_WEIGHT) return NULL;
  const ss_work *before = &world->stage[replica->stage].order[replica->pass - 1];
  if (before->pass == SS_PASS_FORWARD) --before; /* of its pair */
  const bool same = before->chunk == replica->work.chunk && before->micro_batch == replica->work.micro_batch;
  return before->whole && same ? before : NULL;
}

static bool end_pass(ss_world *world, ss_stage_replica *replica)
{
  if (replica->pair.active) {
    const ss_pair_turn turn = ss_pair_at_end(world, replica);
    if (turn != SS_PAIR_RUNS) return turn == SS_PAIR_MOVES;
  } else {
    SS_TELL(&world->observers, pass_end, replica);
  }
  world->passes_done++;
  const ss_work *owed = owed_work(world, replica);
  if (owed != NULL) replica->work = *owed;
  const bool sends = replica->work.pass != SS_PASS_WEIGHT && (owed != NULL || !replica->work.whole);
  replica->phase = sends ? SS_PHASE_SEND : SS_PHASE_SENT;
  return true;
}

/* As with reductions. */
static bool send(ss_world *world, ss_stage_replica *replica)
{
  if (ss_message_leaves(world, replica) && !ss_host_launch_calls(world, replica, 1)) return false;
  ss_message_send(world, replica);
  replica->phase = SS_PHASE_SENT;
  return true;
}

/* Messages of the current pass's direction are still on their way. */
static bool is_sending(const ss_stage_replica *replica)
{
  if (replica->work.pass == SS_PASS_WEIGHT) return false;
  const ss_outbox *outbox = &replica->outbox[replica->work.pass];
  return outbox->sent < outbox->queued;
}

static bool end_send(ss_world *world, ss_stage_replica *replica)
{
  const bool overlap = world->job->overlaps_messages;
  if (!overlap && replica->work.pass != SS_PASS_WEIGHT)
    ss_ahead_until(world, replica->outbox[replica->work.pass].free_s);
  if (!overlap && is_sending(replica)) return ss_replica_wait(world, replica, SS_WAITS_SEND);
  if (replica->pair.active && ss_pair_sent(replica) == SS_PAIR_MOVES) return true;
  replica->pass++;
  replica->phase = SS_PHASE_PASS_BEGIN;
  return true;
}

static bool end_reductions(ss_world *world, ss_stage_replica *replica)
{
  if (!replica->reduced) ss_reduce_rest(world, replica);
  replica->reduced = true;
  replica->data_needed = replica->data_issued;
  if (ss_data_ops_completed(world, replica->stage) < replica->data_needed) return wait_for_data(world, replica);
  const double written_s = ss_offload_written_s(world, replica);
  if (written_s > world->common->now_s) return ss_replica_wait_until(world, replica, SS_WAITS_OFFLOAD, written_s);
  ss_tie *tie = ss_world_tie(world, replica);
  replica->phase = tie != NULL ? SS_PHASE_TIE : SS_PHASE_OPTIMIZER;
  if (tie != NULL) ss_tie_join(world, replica, tie);
  return true;
}

static bool end_tie(ss_world *world, ss_stage_replica *replica)
{
  if (!ss_world_tie(world, replica)->done) return ss_replica_wait(world, replica, SS_WAITS_TIE);
  replica->phase = SS_PHASE_OPTIMIZER;
  return true;
}

/* What the optimizer step takes beyond its nominal time; it belongs to no block. */
static double optimizer_excess_s(const ss_world *world, const ss_stage_replica *replica, ss_optimizer_time nominal)
{
  if (world->perturbation == NULL) return 0.0;
  const ss_kernel_place at = {.gpu = ss_replica_gpus(world, replica), .schedule_pass = replica->pass};
  return ss_perturbation_optimizer_s(world->perturbation, &at, nominal);
}

static bool run_optimizer(ss_world *world, ss_stage_replica *replica)
{
  const ss_optimizer_time time = ss_job_optimizer(world->job, replica->stage);
  const double slowed_s = optimizer_excess_s(world, replica, time);
  const double duration_s = ss_optimizer_time_sum(time) + slowed_s;
  if (!ss_host_launch_optimizer(world, replica, ss_optimizer_time_kernels_s(time) + slowed_s)) return false;
  SS_TELL(&world->observers, optimizer_begin, replica, duration_s);
  replica->parts.optimizer_s += time.optimizer_s;
  replica->parts.tp_comm_s += time.exchange_s;
  replica->parts.offload_s += time.offload_s;
  replica->slowed_s += slowed_s;
  replica->phase = SS_PHASE_END;
  return ss_replica_wait_until(world, replica, SS_WAITS_TIMER, world->common->now_s + duration_s);
}

/* Parts have the nominal times of kernels. What these took beyond is a part of its own; where chance made them shorter
 * in all, as can be under noise, all that they do is shorter alike. */
static void settle_kernels(ss_breakdown *parts, double slowed_s)
{
  if (slowed_s >= 0.0) {
    parts->other_s += slowed_s;
    return;
  }
  double *const kernels_s[] = {&parts->compute_s, &parts->memory_s, &parts->optimizer_s, &parts->other_s};
  double nominal_s = 0.0;
  for (size_t i = 0; i < sizeof kernels_s / sizeof *kernels_s; ++i) nominal_s += *kernels_s[i];
  for (size_t i = 0; i < sizeof kernels_s / sizeof *kernels_s; ++i) *kernels_s[i] *= 1.0 + slowed_s / nominal_s;
}

static bool end_iteration(ss_world *world, ss_stage_replica *replica)
{
  settle_kernels(&replica->parts, replica->slowed_s);
  replica->parts.other_s += replica->behind_s;
  const double offload_s = ss_job_optimizer(world->job, replica->stage).offload_s;
  const ss_pause pause = {.start_s = world->common->now_s - offload_s, .transfer = SS_PAUSED_BY_TIER};
  if (offload_s > 0.0) SS_TELL(&world->observers, paused, replica, &pause);
  replica->finish_s = world->common->now_s;
  world->replicas_left--;
  return false;
}

static void go_on(ss_world *world, ss_stage_replica *replica)
{
  static bool (*const phases[SS_PHASES])(ss_world *, ss_stage_replica *) = {
      [SS_PHASE_PASS_BEGIN] = begin_pass, [SS_PHASE_BLOCK_BEGIN] = begin_block,
      [SS_PHASE_STEP] = run_step,         [SS_PHASE_BLOCK_END] = end_block,
      [SS_PHASE_REDUCE] = reduce,         [SS_PHASE_REDUCED] = end_reduction,
      [SS_PHASE_PASS_END] = end_pass,     [SS_PHASE_SEND] = send,
      [SS_PHASE_SENT] = end_send,         [SS_PHASE_LAST_REDUCTION] = end_reductions,
      [SS_PHASE_TIE] = end_tie,           [SS_PHASE_OPTIMIZER] = run_optimizer,
      [SS_PHASE_END] = end_iteration};
  while (phases[replica->phase](world, replica)) continue;
}

void ss_replica_start(ss_world *world, ss_stage_replica *replica)
{
  const double now_s = world->common->now_s;
  replica->host_s = now_s;
  ss_gather_first(world, replica);
  ss_offload_ahead(world, replica);
  go_on(world, replica);
  world->common->now_s = now_s;
}

/* Charges a wait for data-parallel collectives. Until the last has issued them that is a wait for another replica,
 * whose kernels take longer, or for another stage with a copy of the weights. */
static void account_data(const ss_world *world, ss_stage_replica *replica)
{
  const double waited_s = world->common->now_s - replica->wait_start_s;
  const double busy_s = ss_data_ops_busy_s(world, replica->stage) - replica->data_busy_s;
  const double behind_s = ss_world_behind_s(world, waited_s - busy_s);
  const bool same_stage = world->replica[replica->ended.last].stage == replica->stage;
  *(same_stage ? &replica->behind_s : &replica->parts.bubble_s) += behind_s;
  replica->parts.dp_comm_s += waited_s - behind_s;
  ss_exposed_add(&replica->exposed, waited_s - behind_s, &replica->ended.parts);
}

/* Charges a wait for another stage: until that had sent, it is the pipeline's bubble. */
static void account_other_stage(const ss_world *world, ss_stage_replica *replica, double sent_s)
{
  const double waited_s = world->common->now_s - replica->wait_start_s;
  const double bubble_s = fmax(sent_s - replica->wait_start_s, 0.0);
  replica->parts.bubble_s += bubble_s;
  replica->parts.pp_comm_s += waited_s - bubble_s;
  ss_exposed_add(&replica->exposed, waited_s - bubble_s, &replica->ended.parts);
}

/* Charges the wait that is over; what steps wait for, they charge themselves. */
static void account_wait(ss_world *world, ss_stage_replica *replica)
{
  const double waited_s = world->common->now_s - replica->wait_start_s;
  switch (replica->wait) {
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER:
  case SS_WAITS_TASK: break;
  case SS_WAITS_DATA: account_data(world, replica); break;
  case SS_WAITS_OFFLOAD:
    replica->parts.offload_s += waited_s;
    replica->ended = (ss_ending){.transfer = SS_PAUSED_BY_TIER};
    break;
  case SS_WAITS_HOST:
    replica->parts.host_s += waited_s;
    replica->ended = (ss_ending){.transfer = SS_PAUSED_BY_HOST};
    break;
  case SS_WAITS_SEND:
    replica->parts.pp_comm_s += waited_s;
    ss_exposed_add(&replica->exposed, waited_s, &replica->ended.parts);
    break;
  case SS_WAITS_EXCHANGE:
    replica->parts.ep_comm_s += waited_s;
    ss_exposed_add(&replica->exposed, waited_s, &replica->ended.parts);
    break;
  case SS_WAITS_MESSAGE: account_other_stage(world, replica, replica->inbox[replica->work.pass].last_start_s); break;
  case SS_WAITS_TIE: account_other_stage(world, replica, ss_world_tie(world, replica)->transfer.start_s); break;
  }
  const ss_pause pause = {.start_s = replica->wait_start_s, .transfer = replica->ended.transfer};
  if (replica->wait != SS_WAITS_TIMER && replica->wait != SS_WAITS_TASK)
    SS_TELL(&world->observers, paused, replica, &pause);
}

/* What a waiting replica waits for has not happened yet. */
static bool still_waits(const ss_world *world, const ss_stage_replica *replica)
{
  switch (replica->wait) {
  case SS_WAITS_MESSAGE: return !message_is_there(world, replica);
  case SS_WAITS_DATA: return ss_data_ops_completed(world, replica->stage) < replica->data_needed;
  case SS_WAITS_SEND: return is_sending(replica);
  case SS_WAITS_TIE: return !ss_world_tie(world, replica)->done;
  case SS_WAITS_EXCHANGE: return replica->exchange.state != SS_EXCHANGE_DONE;
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER:
  case SS_WAITS_OFFLOAD:
  case SS_WAITS_HOST:
  case SS_WAITS_TASK: return false;
  }
  return false;
}

void ss_replica_resume(ss_world *world, ss_stage_replica *replica)
{
  const double now_s = world->common->now_s;
  if (still_waits(world, replica)) return;
  ss_ahead_until(world, replica->wait_start_s);
  account_wait(world, replica);
  end_wait(world, replica);
  go_on(world, replica);
  world->common->now_s = now_s;
}
