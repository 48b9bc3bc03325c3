/* The state of a replay: the stage replicas of a job, what happens next, and who is told. Its parts are opaque here:
 * stage_replica.h, stage.h, data_ops.h, calls.h and ties.h say what they are.
 *
 * Parts that provably do the same at the same times are simulated once (sim/engine/setup/fold.h): `twin` of each is the
 * one that stands for it. */
#ifndef STEPSIM_SIM_ENGINE_CORE_WORLD_H
#define STEPSIM_SIM_ENGINE_CORE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"
#include "sim/engine/core/event_queue.h"
#include "sim/engine/core/methods.h"
#include "sim/engine/core/network.h"
#include "sim/engine/core/observer.h"
#include "sim/engine/core/options.h"
#include "sim/engine/core/step.h"
#include "sim/engine/perturbation/perturbation.h"

typedef struct ss_stage_replica ss_stage_replica;
typedef struct ss_stage ss_stage;
typedef struct ss_dp_group ss_dp_group;
typedef struct ss_expert_group ss_expert_group;
typedef struct ss_tie ss_tie;
typedef struct ss_route_owner ss_route_owner;
typedef struct ss_known_call ss_known_call;

typedef enum ss_event_kind {
  SS_EVENT_REPLICA,       /* what a stage replica waits for until a known time is over */
  SS_EVENT_KERNEL,        /* the timer of a replica's kernels */
  SS_EVENT_LAUNCH,        /* a transfer's start-up is over: its flows start */
  SS_EVENT_LAUNCH_INSIDE, /* that of its flows inside a domain, which differs */
  SS_EVENT_LAUNCH_ACROSS, /* that of the others */
  SS_EVENT_FLOWS,         /* an alarm of the network */
  SS_EVENT_ARRIVED,       /* the computed time of a transfer is over */
  SS_EVENT_MEETING,       /* the last replica comes to a collective for which all have said when they come */
} ss_event_kind;

/* X(enumerator, "what it waits for"). */
#define SS_WAIT_LIST(X)                                                                                                \
  X(SS_WAITS_NOTHING, "nothing")                                                                                       \
  X(SS_WAITS_TIMER, "its kernels")                                                                                     \
  X(SS_WAITS_MESSAGE, "a message from a neighbouring stage")                                                           \
  X(SS_WAITS_DATA, "a data-parallel collective")                                                                       \
  X(SS_WAITS_OFFLOAD, "the second memory tier")                                                                        \
  X(SS_WAITS_HOST, "launches by its host")                                                                             \
  X(SS_WAITS_SEND, "its own message to leave")                                                                         \
  X(SS_WAITS_TIE, "the other stage with the embedding's table")                                                        \
  X(SS_WAITS_TASK, "a collective of its layer")                                                                        \
  X(SS_WAITS_EXCHANGE, "an exchange between experts")

typedef enum ss_wait {
#define SS_WAIT_ID(id, text) id,
  SS_WAIT_LIST(SS_WAIT_ID)
#undef SS_WAIT_ID
} ss_wait;

/* A replica may go on if `awaited` is what it waits for, since a transfer has arrived. */
typedef struct ss_wake {
  ss_stage_replica *replica;
  const struct ss_transfer *transfer;
  ss_wait awaited;
} ss_wake;

/* Replicas that may go on, in order; the main loop takes them from here before anything else happens. */
typedef struct ss_wake_list {
  ss_wake *wake; /* [count], owned */
  int64_t count, capacity;
} ss_wake_list;

/* Where the flows of a kind start and end that timelines show, of those that one of them stands for: 2 * point where
 * one starts, 2 * point + 1 where one ends. Zeroed: every flow stands for itself. */
typedef struct ss_shown_ends {
  int64_t *first; /* [kinds + 1], owned */
  int32_t *end;   /* owned */
} ss_shown_ends;

/* What jobs that run at the same time have in common. */
typedef struct ss_common {
  double now_s;
  double events_s;   /* of the events at hand: now, unless a replica is ahead of them (ahead.h) */
  double expected_s; /* about how long an iteration takes */
  double tie_s;      /* events less than this apart are simultaneous */
  ss_event_queue queue;
  const ss_flow_network *network; /* NULL: private links */
} ss_common;

typedef struct ss_world {
  const ss_job *job;
  const ss_replay_options *options;
  ss_common *common;
  ss_observers observers;
  struct ss_world *co_scheduled; /* another job, over and over for as long as this one takes; NULL: none */
  ss_wake_list woken;
  double *ahead_s; /* [replica][side][chunk][micro-batch] when messages arrive, where replicas go ahead; NULL: they do
                      not; owned */
  int64_t replica_count, replicas_left, passes, passes_done;
  bool only_looks;           /* stops as soon as it has to start again */
  bool is_crowded;           /* an observer has seen a crowded link: it has to start again, but what comes is of use */
  bool in_vain;              /* one has seen flows that differ: it has to start again, and soon */
  bool stops_soon;           /* what it has learnt until then is added up: it goes on for a little only */
  int64_t enough;            /* passes after which it stops then, having learnt more; 0: not known yet */
  int64_t arrivals;          /* transfers that have got a number */
  int64_t width;             /* ranks of a replica: tensor * context */
  int64_t shards;            /* of a stage's weights */
  int64_t expert_groups;     /* of a stage: replicas that meet in expert layers, none without experts; then all */
  bool all_meet;             /* replicas of a stage agree on scales: the last of these groups */
  int64_t *expert_group_of;  /* [replicas of a stage]; NULL without experts; owned */
  int64_t ties;              /* replicas, or 0 where no table is shared */
  ss_stage_replica *replica; /* [stage][replica], owned */
  ss_dp_group *dp_group;     /* [stage][shard], owned */
  ss_expert_group *expert;   /* [stage][group], owned */
  ss_tie *tie;               /* [ties], owned */
  ss_stage *stage;           /* [stage], owned */
  int64_t owners;
  ss_route_owner *owner;                   /* [owners] routes, and whose they are (sim/engine/setup/routes.h); owned */
  ss_comm_time message_time[SS_CARGOS][2]; /* of a message, and of one across domains */
  int64_t window;                          /* blocks that gathers and reads can be ahead, and a few */
  ss_method_list methods[SS_GROUPS], data_methods[SS_DATA_GROUPS];
  ss_known_call *known_call;    /* collectives that were worked out (known_calls.h); owned */
  ss_step_set settled, watched; /* steps: with live tasks that nothing touches as parts of runs, or by themselves */
  ss_step_set quiet[SS_QUIETS]; /* settled ones where no data-parallel collective is in progress (setup/quiet.h) */
  ss_step *step;                /* of all of these; owned */
  bool whole_passes;            /* of most replicas are one run, where nothing interrupts them */
  ss_legs legs;                 /* of quiet runs */
  ss_named_legs named;          /* the same; owned */
  bool computed[SS_GROUPS];     /* collectives of this group take their computed time */
  const ss_route *own_routes[SS_GROUPS]; /* of a group of ranks whose flows have their links to themselves in quiet
                                            passes, as those of all others that do; NULL: of none; borrowed */
  const ss_expert_group *quiet_group[SS_QUIETS]; /* on private links: one of those with such passes; borrowed */
  bool slows;                                    /* communication slows kernels down */
  bool slows_all;                                /* that of messages or data parallelism does: any kernel */
  ss_shown_ends shown_ends;
  ss_perturbation *perturbation; /* kernels that take longer than nominal; NULL: none do; owned */
  ss_replay_result result;
} ss_world;

/* Lets something of a kind happen to `subject` at a time: a stage replica (REPLICA, KERNEL), a transfer (LAUNCH...,
 * ARRIVED, MEETING) or a batch of flows (FLOWS). */
void ss_world_schedule(ss_world *world, double time_s, ss_event_kind kind, void *subject);

/* A wait for another replica in a collective, where that is since kernels differ: 0 where none do, and where links do,
 * as these may be why one is behind, and where it is none. */
double ss_world_behind_s(const ss_world *world, double waited_s);

/* A replica may go on, if `awaited` is what it waits for, since a transfer has arrived. Whoever finds that out says so
 * here and does not call the replica: the main loop resumes it before the next event. */
void ss_world_wake(ss_world *world, ss_stage_replica *replica, ss_wait awaited, const struct ss_transfer *transfer);

#endif
