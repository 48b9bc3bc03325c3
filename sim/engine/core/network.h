/* The network as the replay sees it: it carries flows, lets time pass, and says which flows have arrived. Implemented
 * by sim/engine/network/fluid.c and sim/engine/simgrid/simgrid.c. Without one (private links) every transfer takes its
 * computed time. */
#ifndef STEPSIM_SIM_ENGINE_CORE_NETWORK_H
#define STEPSIM_SIM_ENGINE_CORE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/route.h"

/* A link on a path. Where one flow stands for several, `alike` of them cross the link. */
typedef struct ss_hop {
  int32_t link, alike;
} ss_hop;

/* Flows that a transfer waits for together: those of one of its phases. The transfer sets `left` before it starts them;
 * the network counts it down. */
typedef struct ss_flow_set {
  int64_t left;             /* flows that have not arrived */
  struct ss_flow_set *next; /* among those that have arrived; the network's */
} ss_flow_set;

/* Flows of a set that end at a time the network knows beforehand; opaque to the replay. */
typedef struct ss_flow_batch ss_flow_batch;

/* When to call `end`, and with which batch; a batch of NULL: never. */
typedef struct ss_flow_alarm {
  double time_s;
  ss_flow_batch *batch;
} ss_flow_alarm;

typedef struct ss_flow_network {
  void *self;
  /* Starts a flow of a set; the flow and the set stay where they are until it has arrived. */
  ss_flow_alarm (*start)(void *self, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s);
  /* Starts all flows of a phase of a collective of so many bytes, which belong to a set, in one go. An alarm without a
   * batch: nothing has been done, and they have to be started one by one. */
  ss_flow_alarm (*start_together)(void *self, ss_flow_set *set, const ss_flow *flow, double volume_bytes, double now_s);
  /* The time of an alarm has come. The set that is complete with it, else NULL. */
  ss_flow_set *(*end)(void *self, ss_flow_batch *batch, double now_s);
  /* Lets time pass until `until_s` (may be infinite) or until a set has arrived; returns the time it is then. */
  double (*wait)(void *self, double now_s, double until_s);
  /* The next set that has arrived; NULL when there is no other. */
  ss_flow_set *(*arrived)(void *self);
  /* Nothing will happen on the network by itself. */
  bool (*is_idle)(const void *self);
} ss_flow_network;

#endif
