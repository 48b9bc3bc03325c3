/* A build without MPI: nobody else. */
#include "model/base/error.h"
#include "sim/crew/peers/peers.h"

void ss_peers_join(void) {}

int ss_peers_count(void)
{
  return 1;
}

int ss_peers_self(void)
{
  return 0;
}

void ss_peers_send(int to, ss_letter_kind kind, const void *bytes, size_t size)
{
  (void)to, (void)kind, (void)bytes, (void)size;
  SS_ASSERT(!"there is somebody to send to");
}

bool ss_peers_look(ss_letter_kind *kind)
{
  (void)kind;
  return false;
}

bool ss_peers_receive(ss_letter *letter)
{
  (void)letter;
  return false;
}

void ss_peers_leave(void) {}
