/* A simulation in a process of its own: what it takes of memory goes with it, and SimGrid allows one per process and
 * ends the process on an error. */
#ifndef STEPSIM_SIM_ENGINE_APART_H
#define STEPSIM_SIM_ENGINE_APART_H

#include <stdbool.h>

#include "model/base/error.h"

typedef struct ss_apart {
  const char *module; /* that it runs on; loaded here, for all simulations of this process; NULL: none */
  void *self;
  bool (*run)(void *self, int line);     /* in that process: sends what came of it; whether it could */
  bool (*receive)(void *self, int line); /* in this one; whether all of it came */
} ss_apart;

/* Runs a simulation. SS_ERROR_MODULE; SS_ERROR_ENGINE where
 * there is no process, or its end came before all was received. */
ss_status ss_apart_run(const ss_apart *apart, ss_error *error);

#endif
