/* A simulation in a process of its own, since SimGrid allows one per process and ends the process on an error. */
#ifndef STEPSIM_SIM_ENGINE_APART_H
#define STEPSIM_SIM_ENGINE_APART_H

#include <stdbool.h>

#include "model/base/error.h"

typedef struct ss_apart {
  void *self;
  bool (*run)(void *self, int line);     /* in that process: sends what came of it; whether it could */
  bool (*receive)(void *self, int line); /* in this one; whether all of it came */
} ss_apart;

/* Loads the simulator here, for all simulations of this process, and runs one. SS_ERROR_MODULE; SS_ERROR_ENGINE where
 * there is no process, or its end came before all was received. */
ss_status ss_apart_run(const ss_apart *apart, ss_error *error);

#endif
