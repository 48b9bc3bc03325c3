#include "sim/crew/peers/peers.h"

#include <stdlib.h>

#include "sim/crew/peers/methods.h"
#include "sim/module/module.h"

/* What Open MPI's mpirun, MPICH's, and srun with PMIx set. A program that was started otherwise stays alone: to start
 * MPI would cost it time and could fail. */
static const char *const launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};

/* How to reach the others; NULL: nobody else. */
static const ss_peers_methods *others;

ss_status ss_peers_join(ss_error *error)
{
  bool launched = false;
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; ++i) launched |= getenv(launchers[i]) != NULL;
  if (!launched || !SS_HAS_MPI) return SS_OK;
  others = ss_module_load("mpi", error);
  if (others == NULL) return SS_ERROR_MODULE;
  others->join();
  return SS_OK;
}

int ss_peers_count(void)
{
  return others != NULL ? others->count() : 1;
}

int ss_peers_self(void)
{
  return others != NULL ? others->self() : 0;
}

void ss_peers_send(int to, ss_letter_kind kind, const void *bytes, size_t size)
{
  SS_ASSERT(others != NULL);
  others->send(to, kind, bytes, size);
}

bool ss_peers_look(ss_letter_kind *kind)
{
  return others != NULL && others->look(kind);
}

bool ss_peers_receive(ss_letter *letter)
{
  return others != NULL && others->receive(letter);
}

void ss_peers_leave(void)
{
  if (others != NULL) others->leave();
  others = NULL;
}
