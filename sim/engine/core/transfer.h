/* A transfer: a collective or a message on its way, phase by phase. Each phase has a start-up and then flows; when the
 * flows of the last phase have arrived, the unit that started the transfer is told (`type->arrived`). */
#ifndef STEPSIM_SIM_ENGINE_CORE_TRANSFER_H
#define STEPSIM_SIM_ENGINE_CORE_TRANSFER_H

#include <stddef.h>

#include "sim/engine/core/world.h"

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

/* How a transfer ends the waits for it: it is the `transfer`-th of the job to arrive (below 0: it is
 * none, as SS_PAUSED_BY_... says), `last` was the last replica to ask for it, and its time divides into these parts. */
typedef struct ss_ending {
  int64_t transfer;
  int32_t last;
  ss_exposed parts;
} ss_ending;

typedef struct ss_transfer ss_transfer;

/* Start-up times of a phase: of its flows inside a domain, and of those across. */
typedef struct ss_start_up {
  double inside_s, across_s;
} ss_start_up;

/* Flows of a phase that start together, since their start-up times are the same. */
typedef enum ss_wave { SS_WAVE_ALL, SS_WAVE_INSIDE, SS_WAVE_ACROSS } ss_wave;

/* What tells the kinds apart; a row in the unit that starts them: calls.c, messages.c, data_ops.c, ties.c. */
typedef struct ss_transfer_type {
  ss_transfer_kind kind;
  /* The start-up times of the phase that the transfer has come to; the same for what it lacks. */
  ss_start_up (*start_up)(const ss_transfer *transfer);
  /* Tells the kernels of its replicas that it takes some of their GPUs (change 1), or no more (-1). */
  void (*slow_kernels)(ss_transfer *transfer, int change);
  /* All of it has arrived: wakes those who wait for it and starts what comes next. */
  void (*arrived)(ss_transfer *transfer);
} ss_transfer_type;

struct ss_transfer {
  const ss_transfer_type *type;
  ss_world *world;
  bool active;
  ss_flow_set flows; /* of its phase */
  ss_asked asked;
  int32_t to_replica;        /* that it goes to, or that waits for it */
  ss_ending ended;           /* of the last one here that arrived */
  int64_t previous;          /* the number of the one before that */
  double start_s, latency_s; /* latency: of the start-ups until now */
  double alone_s;            /* that it takes beside these on links of its own */
  ss_group group;            /* call, expert */
  ss_method method;          /* all but messages */
  ss_top_k top_k;            /* of the layer, where it is a dispatch */
  int phase, phases;         /* of the method; a message has one */
  double starts;             /* share of the start-up time that this piece of a collective has */
  double start_up_s;         /* call, expert: of its first phase */
  bool on_network;           /* is made of flows, else takes its computed time */
  bool is_meeting;           /* takes no time: those who meet for it go through it as part of a run */
  double volume_bytes;       /* of the collective, or of a rank's message */
  const ss_route *route;
  ss_stage_replica *replica; /* call, message: whose it is */
  ss_expert_group *experts;  /* expert */
  ss_dp_group *dp_group;     /* data */
  ss_tie *tie;               /* tied */
  ss_pass side;              /* message */
};

/* The transfer that a set of flows belongs to. */
static inline ss_transfer *ss_transfer_of(ss_flow_set *flows)
{
  return (ss_transfer *)(void *)((char *)flows - offsetof(ss_transfer, flows));
}

/* Chooses the route of the transfer's method, among `routes` in the order of `list`. */
void ss_transfer_choose_route(ss_transfer *transfer, const ss_method_list *list, const ss_route *routes);

/* Takes a route that was chosen. */
void ss_transfer_take_route(ss_transfer *transfer, const ss_route *route);

/* Starts a transfer. Alone on its links it takes `time`; flows on the network take the time they take. */
void ss_transfer_start(ss_transfer *transfer, ss_comm_time time);

/* Starts and ends a transfer that is only a meeting. */
void ss_transfer_meet(ss_transfer *transfer);

/* The start-up of flows of its phase is over: starts them. */
void ss_transfer_launch(ss_transfer *transfer, ss_wave wave);

/* The flows of its phase have arrived: goes on with the next phase, or has arrived itself. */
void ss_transfer_flows_over(ss_transfer *transfer);

/* It has arrived. */
void ss_transfer_arrived(ss_transfer *transfer);

/* How the time of a transfer divides: start-ups, what it takes beside these on links of its own, and the rest. */
ss_exposed ss_transfer_parts(double all_s, double start_ups_s, double alone_s);

/* A `start_up` of collectives, whose ranks go in step: ss_collective_phase, of the piece that this one is. */
ss_start_up ss_transfer_start_up(const ss_transfer *transfer);

#endif
