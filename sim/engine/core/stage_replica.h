/* A stage replica is one pipeline stage of one data-parallel replica of the model: its tensor- and context-parallel
 * ranks compute the same blocks of the same micro-batches and meet in every collective, so they move in lockstep and
 * share one compute stream. Everything else is per rank: pipeline messages are one flow per rank, and every shard of
 * the weights has a data-parallel group of its own (data_ops.h). Stage replicas of an expert-parallel group meet in
 * their all-to-alls (calls.h). */
#ifndef STEPSIM_SIM_ENGINE_CORE_STAGE_REPLICA_H
#define STEPSIM_SIM_ENGINE_CORE_STAGE_REPLICA_H

#include <stddef.h>

#include "model/plan/pair_order.h"
#include "model/schedule/schedule.h"
#include "sim/engine/core/pieces.h"
#include "sim/engine/core/transfer.h"

/* Messages go two ways, named after the pass that sends them: activations forward, gradients backward. */
#define SS_SIDES 2

/* Kernels of a replica in progress: they go on at a rate of 1, or less while communication takes some of the GPU. */
typedef struct ss_kernel_run {
  bool active;
  double left_s, rate, since_s, due_s, start_s, alone_s;
} ss_kernel_run;

/* A live task: pieces of its kernel and of its collectives, side by side. */
typedef struct ss_live_task {
  ss_pieces pieces;
  double start_s;
  bool call_runs;
  double call_start_s;
} ss_live_task;

/* The way to another stage: one flow per rank. */
typedef struct ss_message_way {
  int64_t stage, crossing; /* that it leads to; ranks whose flow crosses domains */
  ss_route route;          /* empty where nobody receives */
} ss_message_way;

/* Stages that messages of one direction go to: of a V, down with one chunk and up with the other. */
#define SS_WAYS 2

/* A message: who gets it, for which chunk. */
typedef struct ss_message {
  const ss_stage_replica *from;
  ss_stage_replica *to;
  ss_pass side;
  ss_work work; /* of the sender */
  int64_t to_chunk;
  ss_cargo cargo; /* that it carries */
} ss_message;

/* Messages of one replica in one direction; they leave in order, one at a time. */
typedef struct ss_outbox {
  ss_transfer transfer;
  ss_message_way way[SS_WAYS];
  ss_asked *asked; /* [capacity] a ring buffer of the messages that have not been sent; owned */
  int64_t capacity;
  int64_t queued, sent;
  double free_s;      /* when all that have been sent ahead of time have arrived */
  int64_t pass;       /* of the schedule, whose message is on its way or was last */
  ss_message message; /* that one */
} ss_outbox;

typedef struct ss_inbox {
  int64_t *arrived;    /* [chunks] messages for each chunk; owned */
  double last_start_s; /* when the message that arrived last was sent */
} ss_inbox;

/* A block of a pass, counted over the passes that need weights (forward and backward): where gathers and reads are. */
typedef struct ss_cursor {
  int64_t pass, place, steps; /* pass: of a pair, its first one */
  ss_pair_order pair;         /* where it is in that pair */
} ss_cursor;

/* What a replica has going with the second memory tier. */
typedef struct ss_offload_streams {
  ss_cursor next;      /* block to be read for */
  int64_t asked;       /* the last block that has been asked to be read for */
  double *read_done_s; /* [read_window] of the blocks that are read for and have not started; owned */
  double *written_s;   /* [chunk][micro-batch][place] when activations are written, < 0 before; owned */
  double read_free_s, write_free_s;
} ss_offload_streams;

/* Where a replica is in its iteration; passes.c has a function for each. */
typedef enum ss_phase {
  SS_PHASE_PASS_BEGIN,
  SS_PHASE_BLOCK_BEGIN,
  SS_PHASE_STEP,
  SS_PHASE_BLOCK_END,
  SS_PHASE_REDUCE,
  SS_PHASE_REDUCED,
  SS_PHASE_PASS_END,
  SS_PHASE_SEND,
  SS_PHASE_SENT,
  SS_PHASE_LAST_REDUCTION,
  SS_PHASE_TIE,
  SS_PHASE_OPTIMIZER,
  SS_PHASE_END,
  SS_PHASES
} ss_phase;

/* A collective of a task, and where the task is met. */
typedef struct ss_call_place {
  const ss_task *task;
  int64_t call;
  ss_block_kind kind;
  ss_pass pass;
} ss_call_place;

/* The exchange between experts that a pass of a pair has come to. Those of both passes run one after the other. */
typedef struct ss_exchange {
  enum { SS_EXCHANGE_NONE, SS_EXCHANGE_QUEUED, SS_EXCHANGE_RUNS, SS_EXCHANGE_DONE } state;
  bool left; /* the other pass has had its turn since */
  ss_call_place at;
} ss_exchange;

/* Where a replica is in a pass. */
typedef struct ss_pass_place {
  ss_phase phase;
  int64_t pass, position, step;
  ss_work work;
  int64_t data_needed;
  ss_exchange exchange;
} ss_pass_place;

/* Passes that run together. */
typedef struct ss_pair {
  bool active;
  int64_t over;        /* of them */
  ss_pass_place other; /* where the pass is that the replica is not in now */
} ss_pair;

struct ss_stage_replica {
  int64_t stage, dp;        /* dp: which of the data-parallel replicas of the model */
  ss_stage_replica *twin;   /* that stands for it; itself where it is simulated */
  bool shown;               /* a timeline shows it, or another one that it stands for */
  int64_t alike;            /* replicas that it stands for, with itself */
  bool may_be_quiet;        /* where no data-parallel collective is in progress, its collectives have their links */
  bool is_undisturbed;      /* nothing else uses their links, or slows its kernels down: all of its passes are quiet */
  ss_quiet quiet;           /* such passes of it */
  const ss_step_set *steps; /* of its passes; borrowed */
  ss_phase phase;
  ss_wait wait;
  double wait_start_s;
  ss_ending ended;              /* how its wait has come to an end */
  int64_t pass, position, step; /* which pass of the schedule, which block of it, which step of that */
  int64_t steps_begun;          /* blocks of passes that need weights */
  ss_work work;
  int64_t data_issued, data_needed;
  double data_busy_s; /* ss_data_ops_busy_s when it began to wait for them */
  ss_kernel_run kernel;
  ss_live_task live;
  /* In progress, where they slow kernels down; data: over NVLink. */
  int64_t nvlink_transfers, fabric_transfers, expert_transfers, data_transfers;
  ss_breakdown parts; /* with nominal times of kernels, until its iteration ends */
  double slowed_s;    /* what its kernels have taken beyond these */
  double behind_s;    /* what it has waited for replicas that were behind in a collective, since theirs have */
  ss_exposed exposed;
  ss_exchange exchange;
  ss_pair pair;         /* what comes from here on is looked at now and then */
  bool reduced;         /* has issued the reductions that were left to the end */
  ss_cursor gathers;    /* FSDP: the block whose weights are gathered next */
  int64_t *gather_need; /* [gather_window] data operations that must be complete for each outstanding step; owned */
  double host_s;        /* when its host has launched all kernels so far */
  bool launched;        /* the host has launched the step, reductions or message that the replica has come to */
  ss_transfer call;
  ss_outbox outbox[SS_SIDES];
  ss_inbox inbox[SS_SIDES];
  ss_route *route[SS_GROUPS]; /* [methods of the group] of those inside the replica; owned */
  ss_offload_streams offload;
  double start_s, finish_s;
};

/* What most events look at, from the beginning on. */
#define SS_REPLICA_OFTEN_BYTES offsetof(ss_stage_replica, pair)

/* What is simulated for a stage replica. */
ss_stage_replica *ss_world_replica(const ss_world *world, int64_t stage, int64_t dp);

/* The index of a replica in its world. */
static inline int32_t ss_replica_index(const ss_world *world, const ss_stage_replica *replica)
{
  return (int32_t)(replica - world->replica);
}

/* Whether a timeline shows a rank of a replica. */
bool ss_replica_is_wanted(const ss_world *world, const ss_stage_replica *replica);

/* Coordinates of the `member`-th rank of a replica, member = tp + TP cp; its GPU; and the GPUs of all, [world->width].
 */
ss_coordinates ss_replica_member(const ss_world *world, const ss_stage_replica *replica, int64_t member);
int64_t ss_replica_gpu(const ss_world *world, const ss_stage_replica *replica, int64_t member);
const int32_t *ss_replica_gpus(const ss_world *world, const ss_stage_replica *replica);

/* Where a replica is: its chunk, the index and kind of its block; that of the block at `position` of its pass. */
ss_chunk ss_replica_chunk(const ss_stage_replica *replica);
int64_t ss_replica_block(const ss_world *world, const ss_stage_replica *replica);
ss_block_kind ss_replica_block_kind(const ss_world *world, const ss_stage_replica *replica);
ss_block_kind ss_replica_block_kind_at(const ss_world *world, const ss_stage_replica *replica, int64_t position);

/* The tasks of its block, and the steps that its pass through it is cut into, or through the block at `position`; the
 * one that it has come to. */
const ss_task_list *ss_replica_tasks(const ss_world *world, const ss_stage_replica *replica);
const ss_step_list *ss_replica_steps(const ss_world *world, const ss_stage_replica *replica);
const ss_step_list *ss_replica_steps_at(const ss_world *world, const ss_stage_replica *replica, int64_t position);
ss_step *ss_replica_step(const ss_world *world, const ss_stage_replica *replica);

/* Whether nothing happens between the blocks of its pass. */
bool ss_replica_joins_blocks(const ss_world *world, const ss_stage_replica *replica);

/* Its kernels in the block at `position` of its pass, as perturbations know them. */
ss_kernel_place ss_replica_kernels(const ss_world *world, const ss_stage_replica *replica, int64_t position);

/* Lets a replica wait from now on, unless it waits for that already. Returns false: its phase is not over. */
bool ss_replica_wait(ss_world *world, ss_stage_replica *replica, ss_wait what);

/* The same until a known time. */
bool ss_replica_wait_until(ss_world *world, ss_stage_replica *replica, ss_wait what, double time_s);

/* Collectives of layers that a replica has spent time on so far, in seconds; and what it asks for now. */
double ss_replica_calls_s(const ss_stage_replica *replica);
ss_asked ss_replica_asks(const ss_world *world, const ss_stage_replica *replica);

#endif
