/* The state of a replay: cells that work through their schedule, and the transfers between them.
 *
 * A cell is one pipeline stage of one replica: its tensor- and context-parallel ranks compute the same blocks of the
 * same micro-batches and meet in every collective, so they move in lockstep and share one compute stream. Everything
 * else is per rank: pipeline messages are one flow per rank, and every shard of the weights has a data-parallel channel
 * of its own. Replicas of an expert-parallel group meet in their all-to-alls. */
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
typedef struct ss_trouble ss_trouble;

/* Messages go two ways, named after the pass that sends them: activations forward, gradients backward. */
#define SS_SIDES 2

typedef enum ss_event_kind { SS_EVENT_CELL, SS_EVENT_KERNEL, SS_EVENT_LAUNCH, SS_EVENT_ARRIVED } ss_event_kind;

typedef enum ss_transfer_kind {
  SS_TRANSFER_CALL,    /* a collective of a layer inside a cell */
  SS_TRANSFER_EXPERT,  /* a collective of a layer between the cells of an expert-parallel group */
  SS_TRANSFER_DATA,    /* a data-parallel collective */
  SS_TRANSFER_MESSAGE, /* a message between stages */
} ss_transfer_kind;

/* A collective or a message on its way; part of the cell, group or channel that it belongs to. */
typedef struct ss_transfer {
  ss_transfer_kind kind;
  bool active;
  int64_t flows_left;
  double start_s;
  ss_group group;                  /* call, expert */
  ss_collective collective;        /* all but messages */
  double volume_bytes;             /* of the collective */
  const ss_route *route;           /* of the collective */
  struct ss_cell *cell;            /* call, message: whose it is */
  struct ss_expert_group *experts; /* expert */
  struct ss_channel *channel;      /* data */
  ss_pass side;                    /* message */
  struct ss_transfer *next;        /* in the list of those that have arrived */
} ss_transfer;

/* Work between two points where a cell can wait: tasks [first, first + count) in one go, or one live task, whose
 * collectives take the time they take. */
typedef struct ss_step {
  bool live;
  int64_t first, count;
  ss_duration parts;
} ss_step;

typedef struct ss_step_list {
  int64_t count;
  ss_step step[SS_TASKS_MAX];
} ss_step_list;

/* Kernels of a cell on the way: they go on at a rate of 1, or less while communication takes some of the GPU. */
typedef struct ss_kernel_run {
  bool active;
  double left_s, rate, since_s, due_s, start_s, alone_s;
} ss_kernel_run;

/* A live task: pieces of its kernel and of its collectives, side by side. */
typedef struct ss_live_task {
  const ss_task *task;
  double start_s;
  int64_t kernels_done, calls_done, call; /* pieces that are done; the collective of the piece that is under way */
  bool call_runs;
  double call_start_s, call_s[SS_GROUPS], slowed_s;
  ss_duration kernel; /* of one piece */
} ss_live_task;

/* Messages of one cell in one direction; they leave in order, one at a time. */
typedef struct ss_outbox {
  ss_transfer transfer;
  int64_t queued, sent;
  int64_t pass; /* of the schedule, whose message is under way or was last */
} ss_outbox;

typedef struct ss_inbox {
  int64_t *arrived;    /* [chunks] messages for each chunk; owned */
  double last_start_s; /* when the message that arrived last was sent */
} ss_inbox;

/* A block of a pass, counted over the passes that need weights (forward and backward): where gathers and reads are. */
typedef struct ss_cursor {
  int64_t pass, place, steps;
} ss_cursor;

/* What a cell has going with the second memory tier. */
typedef struct ss_offload_streams {
  ss_cursor next;      /* block to be read for */
  double *read_done_s; /* [read_window] of the blocks that are read for and have not started; owned */
  double *written_s;   /* [chunk][micro-batch][place] when activations are written, < 0 before; owned */
  double read_free_s, write_free_s;
} ss_offload_streams;

/* X(enumerator, "what it waits for"). */
#define SS_WAIT_LIST(X)                                                                                                \
  X(SS_WAITS_NOTHING, "nothing")                                                                                       \
  X(SS_WAITS_TIMER, "its kernels")                                                                                     \
  X(SS_WAITS_MESSAGE, "a message from a neighbouring stage")                                                           \
  X(SS_WAITS_DATA, "a data-parallel collective")                                                                       \
  X(SS_WAITS_OFFLOAD, "the second memory tier")                                                                        \
  X(SS_WAITS_SEND, "its own message to leave")                                                                         \
  X(SS_WAITS_TASK, "a collective of its layer")

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
  int64_t steps_begun;          /* blocks of passes that need weights */
  ss_work work;
  int64_t data_issued, data_needed, first_gathers;
  bool reduced;         /* has issued the reductions that were left to the end */
  ss_cursor gathers;    /* FSDP: the block whose weights are gathered next */
  int64_t *gather_need; /* [gather_window] data operations that must be complete for each outstanding step; owned */
  double bucket_bytes[SS_WEIGHTS]; /* gradients that wait for more */
  ss_kernel_run kernel;
  ss_live_task live;
  ss_transfer call;
  ss_outbox outbox[SS_SIDES];
  ss_inbox inbox[SS_SIDES];
  ss_route route[SS_GROUPS]; /* of those inside the cell */
  ss_offload_streams offload;
  int64_t nvlink_transfers, fabric_transfers; /* under way, where they slow kernels down */
  ss_breakdown parts;
  double start_s, finish_s;
} ss_cell;

/* The replicas of a stage that share a set of experts, and their all-to-all: it starts when all are there. */
typedef struct ss_expert_group {
  int64_t stage, index, arrivals;
  ss_transfer transfer;
  ss_route route;
} ss_expert_group;

/* One data-parallel collective of a stage, as its ranks issue it: the same sequence on every rank. */
typedef struct ss_data_op {
  ss_collective kind;
  ss_weights weights;
  double volume_bytes;
  int64_t arrivals; /* replicas that have issued it */
  int64_t layer;    /* of the model, or SS_NO_INDEX: the last of its blocks */
} ss_data_op;

/* The data-parallel group of one shard of a stage's weights. */
typedef struct ss_channel {
  int64_t stage, shard, completed;
  ss_transfer transfer;
  ss_route route[SS_WEIGHTS]; /* of experts: the groups of all of them together */
} ss_channel;

/* What the cells of a stage have in common: their order of work, and the data operations that some channel has not
 * completed yet, a ring buffer. */
typedef struct ss_stage {
  ss_work *order;      /* [ss_schedule_length], owned */
  int64_t *first_need; /* [blocks of all chunks] gathers at the start that a block needs; owned */
  ss_data_op *op;      /* [capacity], owned */
  int64_t capacity, first, end;
} ss_stage;

typedef struct ss_world {
  const ss_job *job;
  const ss_replay_options *options;
  double now_s;
  ss_agenda agenda;
  int64_t cell_count, cells_left, passes, passes_done;
  int64_t width;           /* ranks of a cell: tensor * context */
  int64_t shards;          /* of a stage's weights */
  int64_t expert_groups;   /* of a stage; 0 without experts */
  ss_cell *cell;           /* [stage][replica], owned */
  ss_channel *channel;     /* [stage][shard], owned */
  ss_expert_group *expert; /* [stage][group], owned */
  ss_stage *stage;         /* [stage], owned */
  int64_t window;          /* blocks that gathers and reads can be ahead, and a few */
  ss_step_list steps[SS_BLOCK_COUNT][SS_PASSES];
  bool computed[SS_GROUPS];             /* collectives of this group take their computed time */
  bool slows;                           /* communication slows kernels down */
  ss_network_sim *network;              /* NULL: private links */
  const ss_trouble *trouble;            /* kernels that take longer than nominal; NULL: none do */
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
ss_channel *ss_world_channel(const ss_world *world, int64_t stage, int64_t shard);
ss_expert_group *ss_world_expert_group(const ss_world *world, int64_t stage, int64_t replica);

/* Coordinates of the `member`-th rank of a cell, member = tp + TP cp. */
ss_coordinates ss_cell_member(const ss_world *world, const ss_cell *cell, int64_t member);

/* Where a cell is: its chunk, the index and kind of its block. */
ss_chunk ss_cell_chunk(const ss_cell *cell);
int64_t ss_cell_block(const ss_world *world, const ss_cell *cell);
ss_block_kind ss_cell_block_kind(const ss_world *world, const ss_cell *cell);

/* cell.c: lets a cell go on until it has to wait; called whenever what it waits for may have happened. `ss_cell_wait`
 * notes for what; it returns false. */
void ss_cell_start(ss_world *world, ss_cell *cell);
void ss_cell_resume(ss_world *world, ss_cell *cell);
bool ss_cell_wait(ss_world *world, ss_cell *cell, ss_wait what);

/* task.c: runs the current step of a cell. True when it is over at once. */
bool ss_step_start(ss_world *world, ss_cell *cell);
void ss_kernel_timer(ss_world *world, ss_cell *cell);
void ss_kernel_rate_changes(ss_world *world, ss_cell *cell);
void ss_call_arrived(ss_world *world, ss_cell *cell);

/* data.c: what data parallelism wants of a cell. Needs are numbers of data operations that must be complete. */
void ss_gather_first(ss_world *world, ss_cell *cell);
int64_t ss_gather_need(ss_world *world, ss_cell *cell);
void ss_gather_ahead(ss_world *world, ss_cell *cell);
int64_t ss_reduce_need(ss_world *world, ss_cell *cell);
void ss_reduce_rest(ss_world *world, ss_cell *cell);
bool ss_overlaps_data(const ss_world *world);

/* Moves a cursor to the next block of a pass that needs weights; false at the end of the iteration. */
bool ss_cursor_step(const ss_world *world, const ss_cell *cell, ss_cursor *cursor);
bool ss_cursor_settle(const ss_world *world, const ss_cell *cell, ss_cursor *cursor);

/* offload.c: when the second memory tier has delivered what the current block needs; what it takes when it is done. */
double ss_offload_ready_s(ss_world *world, ss_cell *cell);
void ss_offload_ahead(ss_world *world, ss_cell *cell);
void ss_offload_write(ss_world *world, ss_cell *cell);

/* transfer.c: starts, launches and completes transfers. */
void ss_send_message(ss_world *world, ss_cell *cell);
void ss_start_call(ss_world *world, ss_cell *cell);
int64_t ss_issue_data_op(ss_world *world, ss_cell *cell, const ss_data_op *op);
int64_t ss_data_completed(const ss_world *world, int64_t stage);
void ss_transfer_launch(ss_world *world, ss_transfer *transfer);
void ss_transfer_arrived(ss_world *world, ss_transfer *transfer);

/* The message that an outbox has under way: who gets it, for which chunk. */
typedef struct ss_message {
  const ss_cell *from;
  ss_cell *to;
  ss_pass side;
  ss_work work; /* of the sender */
  int64_t to_chunk;
} ss_message;

ss_message ss_outbox_message(const ss_world *world, const ss_cell *from, ss_pass side);

/* The data operation that a channel works on. */
const ss_data_op *ss_channel_op(const ss_world *world, const ss_channel *channel);

#endif
