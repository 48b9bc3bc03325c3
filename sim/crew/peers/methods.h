/* How letters get from one process to another: the functions behind sim/crew/peers/peers.h. */
#ifndef STEPSIM_SIM_CREW_PEERS_METHODS_H
#define STEPSIM_SIM_CREW_PEERS_METHODS_H

#include <stdbool.h>

#include "sim/crew/peers/letter.h"
#include "sim/module/module.h"

typedef struct ss_peers_methods {
  void (*join)(void);
  int (*count)(void);
  int (*self)(void);
  void (*send)(int to, ss_letter_kind kind, const void *bytes, size_t size);
  bool (*look)(ss_letter_kind *kind);
  bool (*receive)(ss_letter *letter);
  void (*leave)(void);
} ss_peers_methods;

/* What the module "mpi" exports. */
extern SS_MODULE_ROW const ss_peers_methods ss_mpi_module;

#endif
