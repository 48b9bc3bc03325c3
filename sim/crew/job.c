#include "sim/crew/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "sim/crew/helper.h"
#include "sim/crew/peers/peers.h"

enum { FIRST = 0 };

/* The process that has joined. Its workers inherit the exit handler and must not run it. */
static pid_t joined;

bool ss_crew_is_alone(void)
{
  return ss_peers_count() == 1;
}

bool ss_crew_is_first(void)
{
  return ss_peers_self() == FIRST;
}

/* Waits for a letter of a kind and drops those before it. Without memory for a letter none after it can be read: the
 * job ends. */
static void await(ss_letter *letter, ss_letter_kind kind)
{
  ss_letter_kind seen;
  do {
    while (!ss_peers_look(&seen)) ss_crew_pause();
    SS_ASSERT(ss_peers_receive(letter));
  } while (letter->kind != kind);
}

/* At the end of the program, before MPI ends: tells all processes, whatever they wait for. */
static void leave(void)
{
  ss_letter letter = {0};
  const int count = ss_peers_count();
  if (getpid() != joined) return;
  if (ss_crew_is_first()) {
    for (int peer = 1; peer < count; ++peer) ss_peers_send(peer, SS_LETTER_QUIT, NULL, 0);
    for (int peer = 1; peer < count; ++peer) await(&letter, SS_LETTER_BYE);
  } else {
    ss_peers_send(FIRST, SS_LETTER_LEAVING, NULL, 0);
    await(&letter, SS_LETTER_QUIT);
    ss_peers_send(FIRST, SS_LETTER_BYE, NULL, 0);
  }
  free(letter.bytes);
  ss_peers_leave();
}

ss_status ss_crew_join(ss_error *error)
{
  const ss_status status = ss_peers_join(error);
  if (status != SS_OK) return status;
  joined = getpid();
  SS_ASSERT(atexit(leave) == 0);
  if (ss_crew_is_first()) return SS_OK;
  SS_ASSERT(freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL);
  return SS_OK;
}

ss_status ss_crew_share(void *bytes, size_t size, ss_error *error)
{
  const int count = ss_peers_count();
  if (ss_crew_is_first()) {
    for (int peer = 1; peer < count; ++peer) ss_peers_send(peer, SS_LETTER_SHARE, bytes, size);
    return SS_OK;
  }
  ss_letter_kind kind;
  ss_letter letter = {0};
  while (!ss_peers_look(&kind)) ss_crew_pause();
  if (kind == SS_LETTER_QUIT) return ss_crew_abandoned(error);
  if (!ss_peers_receive(&letter)) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a letter");
  SS_ASSERT(letter.kind == SS_LETTER_SHARE && letter.size == size);
  if (size > 0) memcpy(bytes, letter.bytes, size);
  free(letter.bytes);
  return SS_OK;
}
