/* The peers by MPI: the only file that knows it, and a module (sim/module/module.h). An error inside MPI ends the whole
 * job, as MPI does by default. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

#include "model/base/error.h"
#include "sim/crew/peers/methods.h"

static void join_all(void)
{
  int threads = 0;
  (void)MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
}

static int count_all(void)
{
  int count = 1;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

static int own_number(void)
{
  int self = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &self);
  return self;
}

static void send_letter(int to, ss_letter_kind kind, const void *bytes, size_t size)
{
  SS_ASSERT(size <= INT_MAX);
  (void)MPI_Send(bytes, (int)size, MPI_BYTE, to, (int)kind, MPI_COMM_WORLD);
}

static bool probe(MPI_Status *status)
{
  int has_come = 0;
  (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_come, status);
  return has_come != 0;
}

static bool look(ss_letter_kind *kind)
{
  MPI_Status status;
  if (!probe(&status)) return false;
  *kind = (ss_letter_kind)status.MPI_TAG;
  return true;
}

static bool receive_letter(ss_letter *letter)
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

static void leave(void)
{
  (void)MPI_Finalize();
}

const ss_peers_methods ss_mpi_module = {
    .join = join_all,
    .count = count_all,
    .self = own_number,
    .send = send_letter,
    .look = look,
    .receive = receive_letter,
    .leave = leave,
};
