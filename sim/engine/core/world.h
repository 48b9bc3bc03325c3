/* The state of a replay: replicas that work through their schedule, and the transfers between them.
 *
 * A replica is one pipeline stage of one replica: its tensor- and context-parallel ranks compute the same blocks of the
 * same micro-batches and meet in every collective, so they move in lockstep and share one compute stream. Everything
 * else is per rank: pipeline messages are one flow per rank, and every shard of the weights has a data-parallel
 * dp_group of its own. Replicas of an expert-parallel group meet in their all-to-alls.
 *
 * Stage replicas, dp_groups and groups that are provably alike are simulated once (sim/engine/network/fold.h): `twin`
 * is the one that stands for them. */
#ifndef STEPSIM_SIM_ENGINE_CORE_WORLD_H
#define STEPSIM_SIM_ENGINE_CORE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/route.h"
#include "model/plan/job.h"
#include "model/plan/stage_ops.h"
#include "model/schedule/schedule.h"
#include "sim/engine/core/event_queue.h"
#include "sim/engine/network/paths.h"
#include "sim/engine/replay.h"

typedef struct ss_network_sim ss_network_sim;
typedef struct ss_monitor ss_monitor;
typedef struct ss_flow_batch ss_flow_batch;
typedef struct ss_perturbation ss_perturbation;

/* Messages go two paths, named after the pass that sends them: activations forward, gradients backward. */
#define SS_SIDES 2

typedef enum ss_event_kind {
  SS_EVENT_REPLICA,
  SS_EVENT_KERNEL,
  SS_EVENT_LAUNCH,
  SS_EVENT_FLOWS,
  SS_EVENT_ARRIVED,
} ss_event_kind;

/* The methods by which the collectives of a group, or of data parallelism, are done. */
typedef struct ss_method_list {
  int64_t count;
  ss_method method[SS_METHOD_COUNT];
} ss_method_list;

typedef enum ss_transfer_kind {
  SS_TRANSFER_CALL,    /* a collective of a layer inside a replica */
  SS_TRANSFER_EXPERT,  /* a collective of a layer between the replicas of an expert-parallel group */
  SS_TRANSFER_DATA,    /* a data-parallel collective */
  SS_TRANSFER_MESSAGE, /* a message between stages */
  SS_TRANSFER_TIED,    /* the gradient of a table that the first and the last stage share */
} ss_transfer_kind;

/* When a transfer was asked for, by which replica, and what that had spent on collectives of layers by then. */
typedef struct ss_asked {
  double time_s, calls_s;
  int32_t replica;
} ss_asked;

/* What ended a wait: a transfer in the log of the critical path (-1: none, the second memory tier), and how its time
 * divides. */
typedef struct ss_ending {
  int64_t logged;
  ss_exposed parts;
} ss_ending;

/* A collective or a message on its path; part of the replica, group or dp_group that it belongs to. */
typedef struct ss_transfer {
  ss_transfer_kind kind;
  struct ss_world *world;
  bool active;
  int64_t flows_left;
  ss_asked asked;
  int64_t logged;            /* the last one on its lane in the log of the critical path; -1: none */
  double start_s, latency_s; /* latency: of the start-ups until now */
  double alone_s;            /* that it takes beside these on links of its own */
  ss_group group;            /* call, expert */
  ss_method method;          /* all but messages */
  int phase, phases;         /* of the method; a message has one */
  double starts;             /* share of the start-up time that this piece of a collective has */
  bool on_network;           /* is made of flows, else takes its computed time */
  double volume_bytes;       /* of the collective, or of a rank's message */
  const ss_route *route;
  struct ss_stage_replica *replica; /* call, message: whose it is */
  struct ss_expert_group *experts;  /* expert */
  struct ss_dp_group *dp_group;     /* data */
  struct ss_tie *tie;               /* tied */
  ss_pass side;                     /* message */
  struct ss_transfer *next;         /* in the list of those that have arrived */
} ss_transfer;

/* Work between two points where a replica can wait: tasks [first, first + count) in one go, or one live task, whose
 * collectives take the time they take. */
typedef struct ss_step {
  bool live;
  int64_t first, count;
  ss_duration parts;
  ss_duration kernel;  /* of a live task: a piece of its kernel */
  ss_exposed exposed;  /* of its collectives */
  double nvlink_bytes; /* that they take through the port of each rank */
} ss_step;

typedef struct ss_step_list {
  int64_t count;
  ss_step step[SS_TASKS_MAX];
} ss_step_list;

/* Kernels of a replica on the path: they go on at a rate of 1, or less while communication takes some of the GPU. */
typedef struct ss_kernel_run {
  bool active;
  double left_s, rate, since_s, due_s, start_s, alone_s;
} ss_kernel_run;

/* A live task: pieces of its kernel and of its collectives, side by side. */
typedef struct ss_live_task {
  const ss_task *task;
  double start_s;
  int64_t kernels_done, calls_done, call; /* pieces that are done; the collective of the piece that is under path */
  bool call_runs;
  double call_start_s, call_s[SS_GROUPS], slowed_s;
  ss_exposed call_parts; /* of call_s */
  ss_duration kernel;    /* of one piece */
} ss_live_task;

/* Messages of one replica in one direction; they leave in order, one at a time. */
typedef struct ss_outbox {
  ss_transfer transfer;
  ss_route route;  /* one flow per rank; empty where nobody receives */
  ss_asked *asked; /* [capacity] a ring buffer of the messages that have not been sent; owned */
  int64_t capacity;
  int64_t queued, sent;
  int64_t pass; /* of the schedule, whose message is under path or was last */
} ss_outbox;

typedef struct ss_inbox {
  int64_t *arrived;    /* [chunks] messages for each chunk; owned */
  double last_start_s; /* when the message that arrived last was sent */
} ss_inbox;

/* A block of a pass, counted over the passes that need weights (forward and backward): where gathers and reads are. */
typedef struct ss_cursor {
  int64_t pass, place, steps;
} ss_cursor;

/* What a replica has going with the second memory tier. */
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
  X(SS_WAITS_TIE, "the other stage with the embedding's table")                                                        \
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
  SS_PHASE_LAST_REDUCTION,
  SS_PHASE_TIE,
  SS_PHASE_OPTIMIZER,
  SS_PHASE_END,
  SS_PHASES
} ss_phase;

typedef struct ss_stage_replica {
  int64_t stage, dp;             /* dp: which of the data-parallel replicas of the model */
  struct ss_stage_replica *twin; /* that stands for it; itself where it is simulated */
  ss_phase phase;
  ss_wait wait;
  double wait_start_s;
  ss_ending ended;              /* how its wait has come to an end */
  int64_t pass, position, step; /* which pass of the schedule, which block of it, which step of that */
  int64_t steps_begun;          /* blocks of passes that need weights */
  ss_work work;
  int64_t data_issued, data_needed;
  bool reduced;         /* has issued the reductions that were left to the end */
  ss_cursor gathers;    /* FSDP: the block whose weights are gathered next */
  int64_t *gather_need; /* [gather_window] data operations that must be complete for each outstanding step; owned */
  ss_kernel_run kernel;
  ss_live_task live;
  ss_transfer call;
  ss_outbox outbox[SS_SIDES];
  ss_inbox inbox[SS_SIDES];
  ss_route *route[SS_GROUPS]; /* [methods of the group] of those inside the replica; owned */
  ss_offload_streams offload;
  int64_t nvlink_transfers, fabric_transfers; /* under path, where they slow kernels down */
  ss_breakdown parts;
  ss_exposed exposed;
  double start_s, finish_s;
} ss_stage_replica;

/* The replicas of a stage that share a set of experts, and their all-to-all: it starts when all are there. */
typedef struct ss_expert_group {
  int64_t stage, index, arrivals;
  struct ss_expert_group *twin;
  ss_stage_replica **member; /* [members] that are simulated; owned */
  int64_t members;
  ss_transfer transfer;
  ss_route *route; /* [methods of SS_GROUP_EXPERT], owned */
} ss_expert_group;

/* The first and the last stage of a replica where they share the embedding's table: they add up its gradient when each
 * has reduced its own. */
typedef struct ss_tie {
  struct ss_tie *twin;
  ss_stage_replica *member[2]; /* that are simulated */
  int64_t arrivals;
  bool done;
  ss_transfer transfer;
  ss_route route;
} ss_tie;

/* A data-parallel operation of a stage, as its ranks issue it: the same sequence on every rank. */
typedef struct ss_data_op {
  const ss_stage_op *op; /* of ss_stage.ops */
  int64_t arrivals;      /* simulated replicas that have issued it */
  ss_asked asked;        /* by the last of them */
} ss_data_op;

/* The data-parallel group of one shard of a stage's weights. */
typedef struct ss_dp_group {
  int64_t stage, shard, completed;
  struct ss_dp_group *twin;
  ss_transfer transfer;
  ss_route
      *route[SS_WEIGHTS]; /* [methods of data parallelism], of experts: the groups of all of them together; owned */
} ss_dp_group;

/* What the replicas of a stage have in common: their order of work, the list of their data operations, and those that
 * have been issued and that some dp_group has not completed yet, a ring buffer. */
typedef struct ss_stage {
  ss_work *order; /* [ss_schedule_length], owned */
  ss_stage_ops ops;
  ss_data_op *op; /* [capacity], owned */
  int64_t capacity, first, end;
  ss_stage_replica **member; /* [members] replicas that are simulated; owned */
  int64_t members;
  ss_dp_group **dp_group; /* [dp_groups] that are simulated; owned */
  int64_t dp_groups;
  ss_step *pass; /* [chunk][pass] all kernels and computed collectives of a pass; owned */
} ss_stage;

/* What jobs that run at the same time have in common. */
typedef struct ss_common {
  double now_s;
  ss_event_queue queue;
  ss_fabric *fabric;       /* NULL: private links; owned */
  ss_link_paths paths;     /* of all flows */
  int64_t *link_alike;     /* [paths.links] links that one stands for: 1, or 0 where another does; owned */
  ss_network_sim *network; /* NULL: private links */
  ss_monitor *monitor;     /* what is seen of the first job; NULL: private links; owned */
} ss_common;

typedef struct ss_world {
  const ss_job *job;
  const ss_replay_options *options;
  ss_common own, *common;        /* its own, or that of the job that it runs beside */
  struct ss_world *co_scheduled; /* another job, over and over for as long as this one takes; NULL: none; owned */
  int64_t replica_count, replicas_left, passes, passes_done;
  int64_t width;             /* ranks of a replica: tensor * context */
  int64_t shards;            /* of a stage's weights */
  int64_t expert_groups;     /* of a stage; 0 without experts */
  int64_t ties;              /* replicas, or 0 where no table is shared */
  ss_stage_replica *replica; /* [stage][replica], owned */
  ss_dp_group *dp_group;     /* [stage][shard], owned */
  ss_expert_group *expert;   /* [stage][group], owned */
  ss_tie *tie;               /* [ties], owned */
  ss_stage *stage;           /* [stage], owned */
  int64_t window;            /* blocks that gathers and reads can be ahead, and a few */
  ss_method_list methods[SS_GROUPS], data_methods[SS_WEIGHTS];
  ss_step_list steps[SS_BLOCK_COUNT][SS_PASSES];
  bool computed[SS_GROUPS];             /* collectives of this group take their computed time */
  bool slows;                           /* communication slows kernels down */
  bool whole_passes;                    /* nobody looks at the blocks of a pass that waits for nothing */
  ss_perturbation *perturbation;        /* kernels that take longer than nominal; NULL: none do; owned */
  int32_t *stage_of_rank, *rank_of_gpu; /* for traces: [ranks], [gpus]; owned */
  ss_replay_result result;
} ss_world;

/* Builds the state before the first event. SS_ERROR_MEMORY; SS_ERROR_INPUT where the fabric does not connect two GPUs
 * that send to each other. Free in any case. */
ss_status ss_world_init(ss_world *world, const ss_job *job, const ss_replay_options *options, ss_error *error);
void ss_world_free(ss_world *world);

/* shortcut.c: finds the groups whose collectives take their computed time. SS_ERROR_MEMORY. steps.c: cuts the passes of
 * blocks into steps, once that is known. */
ss_status ss_shortcut_find(ss_world *world);
void ss_steps_init(ss_world *world);

/* Puts everything that moves back to the beginning, for one iteration more. */
void ss_world_restart(ss_world *world);

/* Lets something happen to `subject` at a time. */
void ss_world_schedule(ss_world *world, double time_s, ss_event_kind kind, void *subject);

/* Runs to the end and fills world->result; SS_ERROR_DEADLOCK with who waits for what. */
ss_status ss_world_run(ss_world *world, ss_error *error);

/* What is simulated for a replica and for the expert-parallel group of a replica. */
ss_stage_replica *ss_world_replica(const ss_world *world, int64_t stage, int64_t dp);
ss_expert_group *ss_world_expert_group(const ss_world *world, int64_t stage, int64_t dp);

/* What ties a replica to the other end of the model; NULL where nothing does. */
ss_tie *ss_world_tie(const ss_world *world, const ss_stage_replica *replica);

/* Coordinates of the `member`-th rank of a replica, member = tp + TP cp. */
ss_coordinates ss_replica_member(const ss_world *world, const ss_stage_replica *replica, int64_t member);

/* Where a replica is: its chunk, the index and kind of its block. */
ss_chunk ss_replica_chunk(const ss_stage_replica *replica);
int64_t ss_replica_block(const ss_world *world, const ss_stage_replica *replica);
ss_block_kind ss_replica_block_kind(const ss_world *world, const ss_stage_replica *replica);

/* replica.c: lets a replica go on until it has to wait; called whenever what it waits for may have happened.
 * `ss_replica_wait` notes for what; it returns false. */
void ss_replica_start(ss_world *world, ss_stage_replica *replica);
void ss_replica_resume(ss_world *world, ss_stage_replica *replica);
bool ss_replica_wait(ss_world *world, ss_stage_replica *replica, ss_wait what);

/* Which pass of its schedule a replica is at takes all of its blocks in one go. */
bool ss_replica_takes_whole_pass(const ss_world *world, const ss_work *work);

/* task.c: runs all blocks of the current pass, or its current step. True when it is over at once. */
void ss_pass_start(ss_world *world, ss_stage_replica *replica);
bool ss_step_start(ss_world *world, ss_stage_replica *replica);
void ss_kernel_timer(ss_world *world, ss_stage_replica *replica);
void ss_kernel_rate_changes(ss_world *world, ss_stage_replica *replica);
void ss_call_arrived(ss_world *world, ss_stage_replica *replica, const ss_transfer *transfer);

/* data.c: what data parallelism wants of a replica. Needs are numbers of data operations that must be complete. */
void ss_gather_first(ss_world *world, ss_stage_replica *replica);
int64_t ss_gather_need(ss_world *world, ss_stage_replica *replica);
void ss_gather_ahead(ss_world *world, ss_stage_replica *replica);
int64_t ss_reduce_need(ss_world *world, ss_stage_replica *replica);
void ss_reduce_rest(ss_world *world, ss_stage_replica *replica);

/* Moves a cursor to the next block of a pass that needs weights; false at the end of the iteration. */
bool ss_cursor_step(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor);
bool ss_cursor_settle(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor);

/* offload.c: when the second memory tier has delivered what the current block needs; what it takes when it is done. */
double ss_offload_ready_s(ss_world *world, ss_stage_replica *replica);
void ss_offload_ahead(ss_world *world, ss_stage_replica *replica);
void ss_offload_write(ss_world *world, ss_stage_replica *replica);

/* transfer.c: starts, launches and completes transfers. */
void ss_send_message(ss_world *world, ss_stage_replica *replica);
void ss_start_call(ss_world *world, ss_stage_replica *replica);
void ss_join_tie(ss_world *world, const ss_stage_replica *replica, ss_tie *tie);
int64_t ss_issue_data_op(ss_world *world, ss_stage_replica *replica, const ss_stage_op *op);
int64_t ss_data_completed(const ss_world *world, int64_t stage);
void ss_transfer_launch(ss_world *world, ss_transfer *transfer);
void ss_transfer_flows_over(ss_world *world, ss_transfer *transfer);
void ss_transfer_arrived(ss_world *world, ss_transfer *transfer);

/* The message that an outbox has under path: who gets it, for which chunk. */
typedef struct ss_message {
  const ss_stage_replica *from;
  ss_stage_replica *to;
  ss_pass side;
  ss_work work; /* of the sender */
  int64_t to_chunk;
} ss_message;

ss_message ss_outbox_message(const ss_world *world, const ss_stage_replica *from, ss_pass side);

/* The data operation that a dp_group works on. */
const ss_data_op *ss_dp_group_op(const ss_world *world, const ss_dp_group *dp_group);

#endif
