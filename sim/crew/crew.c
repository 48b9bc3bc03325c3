#include "sim/crew/crew.h"

#include <stdlib.h>
#include <string.h>

#include "sim/crew/helper.h"
#include "sim/crew/peers/peers.h"
#include "sim/crew/pool.h"

enum {
  WAIT_MS = 1,  /* between two checks for letters */
  STOP_MS = 20, /* between two checks whether somebody has stopped the work */
  GONE = -1     /* the room of a process that has left, or has agreed to the end */
};

/* The state of a crew at work. */
typedef struct course {
  const ss_crew_work *work;
  ss_pool *pool;
  int peers;
  int64_t *room;    /* [peers] how many items each of the others would still take; owned */
  bool *is_settled; /* [work->count] owned */
  int64_t open;     /* the first item that is not settled */
  int64_t next;     /* the first item that has not been handed out */
  int64_t end;      /* the first item that failed, or the number of items */
  int64_t done;     /* how many are */
  ss_error error;   /* of the one that failed */
  void *outcome;    /* of one that is known already; owned */
  ss_letter letter;
} course;

static void fail(course *c, int64_t item, ss_status status, const ss_error *error)
{
  c->is_settled[item] = true;
  if (item >= c->end) return;
  c->end = item;
  c->error = *error;
  c->error.code = status;
}

static void settle(course *c, int64_t item, const void *outcome, bool was_known)
{
  const ss_crew_work *work = c->work;
  ss_error error = {0};
  const ss_status status = work->done(work->context, item, outcome, was_known, &error);
  if (status != SS_OK) {
    fail(c, item, status, &error);
    return;
  }
  c->is_settled[item] = true;
  ++c->done;
  if (work->progress != NULL) work->progress((double)c->done / (double)work->count);
}

/* One of the other processes that would take another item; 0 where none would. */
static int ready_peer(const course *c)
{
  for (int peer = 1; peer < c->peers; ++peer)
    if (c->room[peer] > 0) return peer;
  return 0;
}

/* Gives an item to a worker of this process if one is free, which takes no message; else to another process. */
static ss_status give(course *c, int64_t item, ss_error *error)
{
  if (ss_pool_has_room(c->pool)) return ss_pool_give(c->pool, item, error);
  const int peer = ready_peer(c);
  ss_peers_send(peer, SS_LETTER_ITEM, &item, sizeof item);
  --c->room[peer];
  return SS_OK;
}

/* The next item: known already, or given to a worker. */
static void hand_out(course *c)
{
  const ss_crew_work *work = c->work;
  const int64_t item = c->next++;
  ss_error error = {0};
  bool is_known = false;
  ss_status status = SS_OK;
  if (work->known != NULL) status = work->known(work->context, item, c->outcome, &is_known, &error);
  if (status == SS_OK && !is_known) status = give(c, item, &error);
  if (status != SS_OK)
    fail(c, item, status, &error);
  else if (is_known)
    settle(c, item, c->outcome, true);
}

static void take(course *c, const ss_crew_reply *reply)
{
  if (reply->status == SS_OK)
    settle(c, reply->item, ss_crew_reply_outcome(reply), false);
  else
    fail(c, reply->item, reply->status, &reply->error);
}

/* A process that leaves early has failed by itself, for example because it does not see a file. */
static void lose(course *c)
{
  ss_error error = {0};
  const ss_status status =
      ss_error_set(&error, SS_ERROR_PROCESS, NULL, 0,
                   "process %d of %d has stopped: it could not do what the first one could", c->letter.from, c->peers);
  fail(c, 0, status, &error);
  c->room[c->letter.from] = GONE;
}

static void read_letter(course *c)
{
  const int from = c->letter.from;
  int64_t offer = 0;
  switch (c->letter.kind) {
  case SS_LETTER_OFFER:
    memcpy(&offer, c->letter.bytes, sizeof offer);
    c->room[from] += offer;
    break;
  case SS_LETTER_REPLY:
    ++c->room[from];
    take(c, c->letter.bytes);
    break;
  default: lose(c); break;
  }
}

static bool receive(course *c)
{
  ss_letter_kind kind;
  if (!ss_peers_look(&kind)) return false;
  SS_ASSERT(ss_peers_receive(&c->letter));
  return true;
}

/* Waits for an outcome, or for room for more items. */
static void wait_for_news(course *c)
{
  const bool has_letter = receive(c);
  if (has_letter) read_letter(c);
  const int timeout_ms = has_letter ? 0 : WAIT_MS;
  const int alone_ms = c->work->stop != NULL ? STOP_MS : -1;
  const ss_crew_reply *reply = ss_pool_take(c->pool, c->peers > 1 ? timeout_ms : alone_ms);
  if (reply != NULL) take(c, reply);
}

/* Ends the work where somebody has stopped it. */
static void look_up(course *c)
{
  ss_error error = {0};
  if (c->work->stop == NULL || *c->work->stop == 0) return;
  fail(c, c->open, ss_error_set(&error, SS_ERROR_STOPPED, NULL, 0, "stopped"), &error);
}

/* Items are handed out in order, so that all before one that failed are done or on their way; those are waited for. */
static void run(course *c)
{
  while (c->open < c->end) {
    const bool has_room = ss_pool_has_room(c->pool) || ready_peer(c) != 0;
    if (c->next < c->end && has_room)
      hand_out(c);
    else
      wait_for_news(c);
    look_up(c);
    while (c->open < c->end && c->is_settled[c->open]) ++c->open;
  }
}

static void tell(const course *c, ss_letter_kind kind, const void *bytes, size_t size)
{
  for (int peer = 1; peer < c->peers; ++peer) ss_peers_send(peer, kind, bytes, size);
}

/* Waits until nothing more can come from the others, and tells them how it has ended. */
static void conclude(course *c)
{
  tell(c, SS_LETTER_END, NULL, 0);
  for (int peer = 1; peer < c->peers;) {
    if (c->room[peer] == GONE)
      ++peer;
    else if (!receive(c))
      ss_crew_pause();
    else if (c->letter.kind == SS_LETTER_LEAVING)
      lose(c);
    else if (c->letter.kind == SS_LETTER_AGREED)
      c->room[c->letter.from] = GONE;
  }
  tell(c, SS_LETTER_VERDICT, &c->error, sizeof c->error);
}

static ss_status lead(course *c, ss_error *error)
{
  const ss_crew_work *work = c->work;
  c->peers = ss_peers_count();
  c->end = work->count;
  c->room = calloc((size_t)c->peers, sizeof *c->room);
  c->is_settled = calloc((size_t)work->count, sizeof *c->is_settled);
  c->outcome = malloc(work->outcome_size > 0 ? work->outcome_size : 1);
  if (c->room == NULL || c->is_settled == NULL || c->outcome == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a crew");
  c->pool = ss_pool_create(work, error);
  if (c->pool == NULL) return SS_ERROR_MEMORY;
  run(c);
  conclude(c);
  if (c->error.code != SS_OK && error != NULL) *error = c->error;
  return c->error.code;
}

ss_status ss_crew_run(const ss_crew_work *work, ss_error *error)
{
  if (work->count == 0) return SS_OK;
  if (!ss_crew_is_first()) return ss_crew_help(work, error);
  course c = {.work = work};
  const ss_status status = lead(&c, error);
  ss_pool_destroy(c.pool);
  free(c.room);
  free(c.is_settled);
  free(c.outcome);
  free(c.letter.bytes);
  return status;
}
