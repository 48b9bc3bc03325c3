/* Collectives of layers that are known: how they are done and what they take alone hangs on the task, the pass and how
 * the group lies, and is the same in all passes of all replicas with that. A table of the last ones saves to choose
 * methods and to time them anew, which a replay with live passes would do for each of millions. */
#ifndef STEPSIM_SIM_ENGINE_CORE_KNOWN_CALLS_H
#define STEPSIM_SIM_ENGINE_CORE_KNOWN_CALLS_H

#include "sim/engine/core/stage_replica.h"

/* Places of the table: as many as a job has collectives of layers, in forward and backward passes, and some. Two with
 * one place take turns, and are worked out anew each time. */
#define SS_CALLS_KNOWN 512

/* Zeroed: nothing is known. */
struct ss_known_call {
  ss_call_place at; /* of a task of the job */
  ss_span span;     /* of the group */
  ss_method method;
  int64_t route; /* among those of the group, whose span that is */
  double starts; /* share of the start-up time that a piece has */
  double volume_bytes;
  ss_comm_time piece; /* that it takes alone */
  double start_up_s;  /* of its first phase */
};

/* An empty table, which forgets nothing but for others in the same place. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_known_calls_init(ss_world *world);
void ss_known_calls_free(ss_world *world);

/* The tasks are those of another job from now on. */
void ss_known_calls_forget(ss_world *world);

/* A collective of a group of ranks with such routes, which is worked out where it is not known. Stays until the next
 * one is asked for. */
const ss_known_call *ss_known_call_find(ss_world *world, const ss_call_place *at, const ss_route *routes);

#endif
