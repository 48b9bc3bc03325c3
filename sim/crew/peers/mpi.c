/* The peers by MPI: the only file that knows it. An error inside MPI ends the whole job, as MPI does by default. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

#include "model/base/error.h"
#include "sim/crew/peers/peers.h"

/* What Open MPI's mpirun, MPICH's, and srun with PMIx set. A program that was started otherwise stays alone: to start
 * MPI would cost it time and could fail. */
static const char *const launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};

static bool is_active(void)
{
  int begun = 0, ended = 0;
  (void)MPI_Initialized(&begun);
  (void)MPI_Finalized(&ended);
  return begun && !ended;
}

void ss_peers_join(void)
{
  bool launched = false;
  int threads = 0;
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; ++i) launched |= getenv(launchers[i]) != NULL;
  if (launched) (void)MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
}

int ss_peers_count(void)
{
  int count = 1;
  if (is_active()) (void)MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

int ss_peers_self(void)
{
  int self = 0;
  if (is_active()) (void)MPI_Comm_rank(MPI_COMM_WORLD, &self);
  return self;
}

void ss_peers_send(int to, ss_letter_kind kind, const void *bytes, size_t size)
{
  SS_ASSERT(size <= INT_MAX);
  (void)MPI_Send(bytes, (int)size, MPI_BYTE, to, (int)kind, MPI_COMM_WORLD);
}

static bool probe(MPI_Status *status)
{
  int has_come = 0;
  if (is_active()) (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_come, status);
  return has_come != 0;
}

bool ss_peers_look(ss_letter_kind *kind)
{
  MPI_Status status;
  if (!probe(&status)) return false;
  *kind = (ss_letter_kind)status.MPI_TAG;
  return true;
}

bool ss_peers_receive(ss_letter *letter)
{
  MPI_Status status;
  int size = 0;
  SS_ASSERT(probe(&status));
  (void)MPI_Get_count(&status, MPI_BYTE, &size);
  if ((size_t)size > letter->room) {
    void *bytes = realloc(letter->bytes, (size_t)size);
    if (bytes == NULL) return false;
    letter->bytes = bytes;
    letter->room = (size_t)size;
  }
  letter->from = status.MPI_SOURCE;
  letter->kind = (ss_letter_kind)status.MPI_TAG;
  letter->size = (size_t)size;
  (void)MPI_Recv(letter->bytes, size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return true;
}

void ss_peers_leave(void)
{
  if (is_active()) (void)MPI_Finalize();
}
