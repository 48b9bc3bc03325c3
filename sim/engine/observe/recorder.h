/* The recorder: keeps what stage replicas do and wait for, and makes the history of one replica of the model of it. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_RECORDER_H
#define STEPSIM_SIM_ENGINE_OBSERVE_RECORDER_H

#include "model/result/history.h"
#include "sim/engine/core/stage_replica.h"

typedef struct ss_recorder {
  const ss_world *world;
  ss_observer observer;
  ss_history log;  /* of all replicas that are simulated, with the index of a replica in the place of its stage */
  double *begun_s; /* [replicas] when the pass that each is in began; owned */
  bool incomplete; /* there was no memory for something */
} ss_recorder;

/* A recorder of a world, to which it listens from now on; without an `options->history` it does nothing.
 * SS_ERROR_MEMORY. Free in any case. */
ss_status ss_recorder_open(ss_recorder *recorder, ss_world *world);
void ss_recorder_free(ss_recorder *recorder);

/* Adds to the history, which is empty or has links and path only, the passes, waits and transfers of the replica that
 * finished last. SS_ERROR_MEMORY. */
ss_status ss_recorder_conclude(const ss_recorder *recorder, ss_error *error);

#endif
