/* What happens in a replay, as its observers are told: the core and the network report here and nowhere else. An
 * observer leaves NULL what it does not care for. Implemented by sim/engine/observe/trace.c, monitor.c and recorder.c,
 * and in sim/engine/headroom/. */
#ifndef STEPSIM_SIM_ENGINE_CORE_OBSERVER_H
#define STEPSIM_SIM_ENGINE_CORE_OBSERVER_H

#include <stdint.h>

#include "model/result/timeline.h"
#include "sim/engine/core/network.h"

struct ss_stage_replica;
struct ss_step;
struct ss_transfer;

/* A flow, or a part of it, has carried bytes over a path between two times. */
typedef struct ss_carried {
  const ss_flow *flow;
  const ss_hop *hop; /* [hops] */
  int64_t hops;
  double start_s, end_s, bytes;
  bool is_over; /* nothing of the flow is left */
} ss_carried;

/* Flows that end together, and go together again whenever they do, have carried something: as much as their shares of a
 * collective of so many bytes. */
typedef struct ss_carried_together {
  int64_t number; /* of these flows, from 0 on */
  double start_s, end_s, volume_bytes;
  int64_t count;
  const void *self; /* as is what `each` says until the replay is over */
  ss_carried (*each)(const struct ss_carried_together *all, int64_t index);
} ss_carried_together;

/* What ends a pause in place of a transfer. */
enum { SS_PAUSED_BY_TIER = -1, SS_PAUSED_BY_HOST = -2 };

/* A stage replica has stood still until now. */
typedef struct ss_pause {
  double start_s;
  int64_t transfer; /* that ended it, by its number (ss_ending), or SS_PAUSED_BY_... */
  double calls_s;   /* collectives of layers in the wait, which the parts of the replica do not have yet */
} ss_pause;

/* A read from the second memory tier or a write to it. */
typedef struct ss_tier_access {
  ss_stream stream;
  double start_s, end_s;
} ss_tier_access;

typedef struct ss_observer {
  void *self;
  void (*pass_begin)(void *self, const struct ss_stage_replica *replica);
  void (*pass_end)(void *self, const struct ss_stage_replica *replica);
  void (*block_begin)(void *self, const struct ss_stage_replica *replica);
  void (*block_end)(void *self, const struct ss_stage_replica *replica);
  /* Tasks of a block, or a whole pass (a step of no tasks), start in one go; they take `excess_s` more than nominal.
   * That is now or, of a replica that no timeline shows, later. */
  void (*run_begin)(void *self, const struct ss_stage_replica *replica, const struct ss_step *step, double begin_s,
                    double excess_s);
  /* The host of a replica has launched the step at hand since `begin_s`, and goes on at replica->host_s. */
  void (*launched)(void *self, const struct ss_stage_replica *replica, double begin_s);
  /* A kernel of the live task of a replica. */
  void (*kernel_begin)(void *self, const struct ss_stage_replica *replica);
  void (*kernel_end)(void *self, const struct ss_stage_replica *replica);
  void (*optimizer_begin)(void *self, const struct ss_stage_replica *replica, double duration_s);
  /* A replica waits for `replica->wait`, and goes on. */
  void (*wait_begin)(void *self, const struct ss_stage_replica *replica);
  void (*wait_end)(void *self, const struct ss_stage_replica *replica);
  /* A wait for somebody else has ended: a stretch that the critical path can go back through. */
  void (*paused)(void *self, const struct ss_stage_replica *replica, const ss_pause *pause);
  void (*transfer_begin)(void *self, const struct ss_transfer *transfer);
  void (*transfer_end)(void *self, const struct ss_transfer *transfer);
  void (*tier_access)(void *self, const struct ss_stage_replica *replica, const ss_tier_access *access);
  void (*flow_begin)(void *self, const ss_flow *flow, double now_s);
  void (*flow)(void *self, const ss_carried *carried);
  /* The same of flows that go together; who leaves this NULL is told of each of them. */
  void (*flows)(void *self, const ss_carried_together *carried);
  /* The main loop has come to this round; told once in many. */
  void (*round)(void *self, int64_t round);
} ss_observer;

enum { SS_OBSERVERS_MAX = 6 };

/* Who listens; zeroed: nobody. */
typedef struct ss_observers {
  int count;
  const ss_observer *observer[SS_OBSERVERS_MAX];
} ss_observers;

static inline void ss_observers_add(ss_observers *observers, const ss_observer *observer)
{
  observers->observer[observers->count++] = observer;
}

/* Tells all who listen: SS_TELL(observers, pass_begin, replica). */
#define SS_TELL(observers, event, ...)                                                                                 \
  for (int told_ = 0; told_ < (observers)->count; ++told_)                                                             \
    if ((observers)->observer[told_]->event != NULL)                                                                   \
  (observers)->observer[told_]->event((observers)->observer[told_]->self, __VA_ARGS__)

#endif
