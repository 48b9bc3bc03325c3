/* The state of a replay: cells that work through their schedule, and the transfers between them.
 *
 * A cell is one pipeline stage of one replica: its tensor-parallel ranks compute the same blocks of the same
 * micro-batches and meet in every collective, so they move in lockstep and share one compute stream. Everything else is
 * per rank: pipeline messages are one flow per tensor rank, and every tensor rank has a data-parallel channel of its
 * own. */
#ifndef STEPSIM_SIM_ENGINE_WORLD_H
#define STEPSIM_SIM_ENGINE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"
#include "model/schedule.h"
#include "sim/engine/agenda.h"
#include "sim/engine/replay.h"
#include "sim/engine/route.h"

typedef struct ss_network_sim ss_network_sim;

enum { SS_SIDE_ACTIVATIONS, SS_SIDE_GRADIENTS, SS_SIDES };

typedef enum ss_event_kind { SS_EVENT_CELL, SS_EVENT_LAUNCH, SS_EVENT_ARRIVED } ss_event_kind;

typedef enum ss_transfer_kind { SS_TRANSFER_TENSOR, SS_TRANSFER_DATA, SS_TRANSFER_MESSAGE } ss_transfer_kind;

/* A collective or a message on its way; part of the cell or channel that it belongs to. */
typedef struct ss_transfer {
  ss_transfer_kind kind;
  bool active;
  int64_t flows_left;
  double start_s;
  struct ss_cell *cell;       /* tensor, message: whose it is */
  struct ss_channel *channel; /* data */
  int side;                   /* message */
  struct ss_transfer *next;   /* in the list of those that have arrived */
} ss_transfer;

/* Work between two points where a cell can wait: tasks [first, first + count) in one go, or one collective as flows. */
typedef struct ss_step {
  bool collective;
  int64_t first, count;
  double run_s;
  ss_duration parts;
} ss_step;

typedef struct ss_step_list {
  int64_t count;
  ss_step step[SS_TASKS_MAX];
} ss_step_list;

/* Messages of one cell in one direction; they leave in order, one at a time. */
typedef struct ss_outbox {
  ss_transfer transfer;
  int64_t queued, sent;
} ss_outbox;

typedef struct ss_inbox {
  int64_t arrived;
  double last_start_s; /* when the message that arrived last was sent */
} ss_inbox;

/* X(enumerator, "what it waits for"). */
#define SS_WAIT_LIST(X)                                                                                                \
  X(SS_WAITS_NOTHING, "nothing")                                                                                       \
  X(SS_WAITS_TIMER, "its kernels")                                                                                     \
  X(SS_WAITS_MESSAGE, "a message from a neighbouring stage")                                                           \
  X(SS_WAITS_DATA, "a data-parallel collective")                                                                       \
  X(SS_WAITS_SEND, "its own message to leave")                                                                         \
  X(SS_WAITS_TENSOR, "a tensor-parallel collective")

typedef enum ss_wait {
#define SS_WAIT_ID(id, text) id,
  SS_WAIT_LIST(SS_WAIT_ID)
#undef SS_WAIT_ID
} ss_wait;

typedef enum ss_phase {
  SS_PHASE_PASS_BEGIN,
  SS_PHASE_BLOCK_BEGIN,
  SS_PHASE_STEP,
  SS_PHASE_BLOCK_END,
  SS_PHASE_REDUCED,
  SS_PHASE_PASS_END,
  SS_PHASE_SENT,
  SS_PHASE_OPTIMIZER,
  SS_PHASE_END,
  SS_PHASES
} ss_phase;

typedef struct ss_cell {
  int64_t stage, replica;
  ss_phase phase;
  ss_wait wait;
  double wait_start_s;
  int64_t pass, position, step; /* which pass of the schedule, which block of it, which step of that */
  ss_work work;
  int64_t data_issued, data_needed, gathers_issued;
  bool reduced;       /* has issued the reductions that were left to the end */
  int64_t *gather_op; /* [gather_window] data operation of each outstanding gather (FSDP); owned */
  ss_transfer tensor;
  ss_outbox outbox[SS_SIDES];
  ss_inbox inbox[SS_SIDES];
  ss_route tensor_route;
  ss_breakdown parts;
  double finish_s;
} ss_cell;

/* One data-parallel collective of a stage, as its ranks issue it: the same sequence on every rank. */
typedef struct ss_data_op {
  ss_collective kind;
  double volume_bytes;
  int64_t arrivals; /* replicas that have issued it */
  int64_t block;
} ss_data_op;

/* The data-parallel group of one tensor rank of a stage. */
typedef struct ss_channel {
  int64_t stage, tensor, completed;
  ss_transfer transfer;
  ss_route route;
} ss_channel;

/* Data operations of a stage that some channel has not completed yet: a ring buffer. */
typedef struct ss_stage_data {
  ss_data_op *op; /* [capacity], owned */
  int64_t capacity, first, end;
} ss_stage_data;

typedef struct ss_world {
  const ss_job *job;
  const ss_replay_options *options;
  ss_data_plan plan;
  double now_s;
  ss_agenda agenda;
  int64_t cell_count, cells_left, passes_done;
  ss_cell *cell;       /* [stage][replica], owned */
  ss_channel *channel; /* [stage][tensor], owned */
  ss_stage_data *data; /* [stage], owned */
  int64_t gather_window;
  ss_step_list steps[SS_BLOCK_COUNT][SS_PASSES];
  bool tensor_computed;                 /* tensor collectives are part of a run of tasks */
  ss_network_sim *network;              /* NULL: private links */
  int64_t on_network;                   /* transfers whose flows are under way */
  int32_t *stage_of_rank, *rank_of_gpu; /* for traces: [ranks], [gpus]; owned */
  ss_replay_result result;
} ss_world;

/* Builds the state before the first event; SS_ERROR_MEMORY. Free in any case. */
ss_status ss_world_init(ss_world *world, const ss_job *job, const ss_replay_options *options);
void ss_world_free(ss_world *world);

/* Runs to the end and fills world->result; SS_ERROR_DEADLOCK with who waits for what. */
ss_status ss_world_run(ss_world *world, ss_error *error);

ss_cell *ss_world_cell(const ss_world *world, int64_t stage, int64_t replica);
ss_channel *ss_world_channel(const ss_world *world, int64_t stage, int64_t tensor);

/* cell.c: lets a cell go on until it has to wait; called whenever what it waits for may have happened. */
void ss_cell_start(ss_world *world, ss_cell *cell);
void ss_cell_resume(ss_world *world, ss_cell *cell);

/* transfer.c: starts, launches and completes transfers. */
void ss_send_message(ss_world *world, ss_cell *cell, int side);
void ss_start_tensor_collective(ss_world *world, ss_cell *cell);
int64_t ss_issue_data_op(ss_world *world, ss_cell *cell, ss_collective kind, double volume_bytes, int64_t block);
int64_t ss_data_completed(const ss_world *world, int64_t stage);
void ss_transfer_launch(ss_world *world, ss_transfer *transfer);
void ss_transfer_arrived(ss_world *world, ss_transfer *transfer);

/* Where a cell is: its block, and the task behind its current step - a collective, with its time on private links. */
int64_t ss_cell_block(const ss_world *world, const ss_cell *cell);
const ss_task *ss_cell_task(const ss_world *world, const ss_cell *cell);
ss_comm_time ss_cell_task_time(const ss_world *world, const ss_cell *cell);

/* The cell that a message of `cell` goes to. */
ss_cell *ss_message_receiver(const ss_world *world, const ss_cell *cell, int side);

ss_data_op *ss_stage_op(ss_stage_data *data, int64_t index);

#endif
