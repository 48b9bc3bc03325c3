#include "sim/engine/observe/recorder.h"

#include <stdlib.h>

#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/messages.h"

static void keep(ss_recorder *recorder, bool kept)
{
  recorder->incomplete = recorder->incomplete || !kept;
}

static void pass_begin(void *self, const ss_stage_replica *replica)
{
  ss_recorder *recorder = self;
  recorder->begun_s[ss_replica_index(recorder->world, replica)] = recorder->world->common->now_s;
}

static void pass_end(void *self, const ss_stage_replica *replica)
{
  static const ss_activity activities[SS_PASSES] = {
      [SS_PASS_FORWARD] = SS_FORWARD, [SS_PASS_BACKWARD] = SS_BACKWARD, [SS_PASS_WEIGHT] = SS_WEIGHT};
  ss_recorder *recorder = self;
  const int32_t index = ss_replica_index(recorder->world, replica);
  const ss_history_pass pass = {.stage = index,
                                .chunk = (int32_t)replica->work.chunk,
                                .micro_batch = (int32_t)replica->work.micro_batch,
                                .activity = activities[replica->work.pass],
                                .start_s = recorder->begun_s[index],
                                .end_s = recorder->world->common->now_s};
  if (pass.end_s > pass.start_s) keep(recorder, ss_history_add_pass(&recorder->log, &pass));
}

static void optimizer_begin(void *self, const ss_stage_replica *replica, double duration_s)
{
  ss_recorder *recorder = self;
  const double now_s = recorder->world->common->now_s;
  const ss_history_pass pass = {.stage = ss_replica_index(recorder->world, replica),
                                .chunk = SS_NO_INDEX,
                                .micro_batch = SS_NO_INDEX,
                                .activity = SS_OP_OPTIMIZER,
                                .start_s = now_s,
                                .end_s = now_s + duration_s};
  if (duration_s > 0.0) keep(recorder, ss_history_add_pass(&recorder->log, &pass));
}

static ss_activity wait_of(const ss_stage_replica *replica, int64_t transfer)
{
  if (transfer == SS_PAUSED_BY_TIER) return SS_WAIT_OFFLOAD;
  if (transfer == SS_PAUSED_BY_HOST) return SS_WAIT_HOST;
  return replica->wait == SS_WAITS_DATA ? SS_WAIT_DATA : SS_WAIT_PIPELINE;
}

/* Waits for exchanges between experts lie within passes, in every layer: they are not kept. */
static void paused(void *self, const ss_stage_replica *replica, const ss_pause *pause)
{
  ss_recorder *recorder = self;
  const ss_history_wait wait = {.stage = ss_replica_index(recorder->world, replica),
                                .activity = wait_of(replica, pause->transfer),
                                .transfer = pause->transfer >= 0 ? pause->transfer : SS_HISTORY_NO_TRANSFER,
                                .start_s = pause->start_s,
                                .end_s = recorder->world->common->now_s};
  const bool exchange = replica->phase == SS_PHASE_STEP && replica->wait != SS_WAITS_HOST;
  if (wait.end_s > wait.start_s && !exchange) keep(recorder, ss_history_add_wait(&recorder->log, &wait));
}

static ss_history_transfer message_of(const ss_world *world, const ss_transfer *transfer)
{
  const ss_message m = ss_message_of(transfer);
  return (ss_history_transfer){.from_stage = ss_replica_index(world, m.from),
                               .to_stage = ss_replica_index(world, m.to),
                               .micro_batch = (int32_t)m.work.micro_batch,
                               .activity = SS_COMM_SEND,
                               .bytes = ss_message_bytes(world->job, &m)};
}

static ss_history_transfer collective_of(const ss_transfer *transfer)
{
  return (ss_history_transfer){.from_stage = transfer->asked.replica,
                               .to_stage = transfer->to_replica,
                               .micro_batch = SS_NO_INDEX,
                               .activity = ss_collective_activity(transfer->method.kind),
                               .bytes = transfer->volume_bytes};
}

static bool is_kept(const ss_transfer *transfer)
{
  const ss_transfer_kind kind = transfer->type->kind;
  return kind == SS_TRANSFER_MESSAGE || kind == SS_TRANSFER_DATA || kind == SS_TRANSFER_TIED;
}

static void transfer_end(void *self, const ss_transfer *transfer)
{
  ss_recorder *recorder = self;
  if (!is_kept(transfer)) return;
  const bool message = transfer->type->kind == SS_TRANSFER_MESSAGE;
  ss_history_transfer kept = message ? message_of(recorder->world, transfer) : collective_of(transfer);
  kept.number = transfer->ended.transfer;
  kept.asked_s = transfer->asked.time_s;
  kept.start_s = transfer->start_s;
  kept.end_s = recorder->world->common->now_s;
  keep(recorder, ss_history_add_transfer(&recorder->log, &kept));
}

ss_status ss_recorder_open(ss_recorder *recorder, ss_world *world)
{
  *recorder = (ss_recorder){.world = world};
  if (world->options->history == NULL) return SS_OK;
  recorder->begun_s = calloc((size_t)world->replica_count, sizeof *recorder->begun_s);
  if (recorder->begun_s == NULL) return SS_ERROR_MEMORY;
  recorder->observer = (ss_observer){.self = recorder,
                                     .pass_begin = pass_begin,
                                     .pass_end = pass_end,
                                     .optimizer_begin = optimizer_begin,
                                     .paused = paused,
                                     .transfer_end = transfer_end};
  ss_observers_add(&world->observers, &recorder->observer);
  return SS_OK;
}

void ss_recorder_free(ss_recorder *recorder)
{
  ss_history_free(&recorder->log);
  free(recorder->begun_s);
  *recorder = (ss_recorder){.world = NULL};
}

/* The stage that each simulated replica is for the history, [replicas]; -1: none. */
static int32_t *number_stages(const ss_world *world, int64_t replica)
{
  int32_t *stage_of = malloc((size_t)world->replica_count * sizeof *stage_of);
  if (stage_of == NULL) return NULL;
  for (int64_t i = 0; i < world->replica_count; ++i) stage_of[i] = SS_NO_INDEX;
  for (int64_t stage = 0; stage < world->job->stages; ++stage)
    stage_of[ss_replica_index(world, ss_world_replica(world, stage, replica))] = (int32_t)stage;
  return stage_of;
}

static bool copy_passes(const ss_history *log, const int32_t *stage_of, ss_history *history)
{
  bool complete = true;
  for (int64_t i = 0; complete && i < log->pass_count; ++i) {
    ss_history_pass pass = log->pass[i];
    pass.stage = stage_of[pass.stage];
    if (pass.stage >= 0) complete = ss_history_add_pass(history, &pass);
  }
  for (int64_t i = 0; complete && i < log->wait_count; ++i) {
    ss_history_wait wait = log->wait[i];
    wait.stage = stage_of[wait.stage];
    if (wait.stage >= 0) complete = ss_history_add_wait(history, &wait);
  }
  return complete;
}

static bool copy_transfers(const ss_history *log, const int32_t *stage_of, ss_history *history)
{
  bool complete = true;
  for (int64_t i = 0; complete && i < log->transfer_count; ++i) {
    ss_history_transfer transfer = log->transfer[i];
    transfer.from_stage = stage_of[transfer.from_stage];
    transfer.to_stage = stage_of[transfer.to_stage];
    if (transfer.from_stage < 0) transfer.from_stage = transfer.to_stage;
    if (transfer.to_stage < 0) transfer.to_stage = transfer.from_stage;
    if (transfer.to_stage >= 0) complete = ss_history_add_transfer(history, &transfer);
  }
  return complete;
}

ss_status ss_recorder_conclude(const ss_recorder *recorder, ss_error *error)
{
  const ss_world *world = recorder->world;
  ss_history *history = world->options->history;
  if (history == NULL) return SS_OK;
  history->replica = world->result.critical_replica;
  history->end_s = world->common->now_s;
  int32_t *stage_of = recorder->incomplete ? NULL : number_stages(world, history->replica);
  const bool complete = stage_of != NULL && copy_passes(&recorder->log, stage_of, history) &&
                        copy_transfers(&recorder->log, stage_of, history);
  free(stage_of);
  return complete ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the history of a replay");
}
