#include "sim/crew/helper.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "sim/crew/peers/peers.h"
#include "sim/crew/pool.h"

enum { FIRST = 0, WAIT_MS = 1 };

void ss_crew_pause(void)
{
  (void)poll(NULL, 0, WAIT_MS);
}

ss_status ss_crew_abandoned(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_PROCESS, NULL, 0, "the first process has stopped");
}

/* An item that cannot even be given to a worker. */
static ss_status decline(const ss_crew_work *work, int64_t item, const ss_error *why, ss_error *error)
{
  ss_crew_reply *reply = calloc(1, ss_crew_reply_size(work));
  if (reply == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a reply");
  reply->item = item;
  reply->status = why->code;
  reply->error = *why;
  ss_peers_send(FIRST, SS_LETTER_REPLY, reply, ss_crew_reply_size(work));
  free(reply);
  return SS_OK;
}

static ss_status take_item(const ss_crew_work *work, ss_pool *pool, const ss_letter *letter, ss_error *error)
{
  int64_t item = 0;
  ss_error why = {0};
  SS_ASSERT(letter->kind == SS_LETTER_ITEM && letter->bytes != NULL);
  memcpy(&item, letter->bytes, sizeof item);
  return ss_pool_give(pool, item, &why) == SS_OK ? SS_OK : decline(work, item, &why, error);
}

/* Reads the next letter, unless everybody stops: that letter is left for ss_crew_join's exit handler. */
static ss_status read_letter(ss_letter *letter, ss_error *error)
{
  ss_letter_kind kind;
  if (ss_peers_look(&kind) && kind == SS_LETTER_QUIT) return ss_crew_abandoned(error);
  return ss_peers_receive(letter) ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a letter");
}

/* Works until there are no more items; what is still being worked on then is not wanted. */
static ss_status serve(const ss_crew_work *work, ss_pool *pool, ss_letter *letter, ss_error *error)
{
  ss_status status = SS_OK;
  ss_letter_kind kind;
  while (status == SS_OK) {
    const bool has_letter = ss_peers_look(&kind);
    if (has_letter) status = read_letter(letter, error);
    if (has_letter && status == SS_OK && letter->kind == SS_LETTER_END) break;
    if (has_letter && status == SS_OK) status = take_item(work, pool, letter, error);
    const ss_crew_reply *reply = ss_pool_take(pool, has_letter ? 0 : WAIT_MS);
    if (reply != NULL) ss_peers_send(FIRST, SS_LETTER_REPLY, reply, ss_crew_reply_size(work));
  }
  return status;
}

/* Waits for the verdict of the first process. */
static ss_status hear_verdict(ss_letter *letter, ss_error *error)
{
  ss_letter_kind kind;
  ss_error verdict;
  ss_peers_send(FIRST, SS_LETTER_AGREED, NULL, 0);
  while (!ss_peers_look(&kind)) ss_crew_pause();
  const ss_status status = read_letter(letter, error);
  if (status != SS_OK) return status;
  SS_ASSERT(letter->kind == SS_LETTER_VERDICT && letter->bytes != NULL);
  memcpy(&verdict, letter->bytes, sizeof verdict);
  if (verdict.code != SS_OK && error != NULL) *error = verdict;
  return verdict.code;
}

ss_status ss_crew_help(const ss_crew_work *work, ss_error *error)
{
  ss_pool *pool = ss_pool_create(work, error);
  if (pool == NULL) return SS_ERROR_MEMORY;
  const int64_t offer = ss_crew_limit(work);
  ss_letter letter = {0};
  ss_peers_send(FIRST, SS_LETTER_OFFER, &offer, sizeof offer);
  ss_status status = serve(work, pool, &letter, error);
  ss_pool_destroy(pool);
  if (status == SS_OK) status = hear_verdict(&letter, error);
  free(letter.bytes);
  return status;
}
