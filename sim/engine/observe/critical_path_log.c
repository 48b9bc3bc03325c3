#include "sim/engine/observe/critical_path_log.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/core/observer.h"

/* It takes as long to forget something as to add a few times as much. */
enum { SHORT = 1 << 17, TIMES_LONGER = 4 };

ss_status ss_critical_path_init(ss_critical_path_log *log, int64_t replicas)
{
  *log = (ss_critical_path_log){
      .replicas = replicas, .latest = malloc(((size_t)replicas + 1) * sizeof *log->latest), .enough = SHORT};
  if (log->latest == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < replicas; ++i) log->latest[i] = -1;
  return SS_OK;
}

void ss_critical_path_free(ss_critical_path_log *log)
{
  free(log->latest);
  free(log->wait);
  free(log->sent);
  *log = (ss_critical_path_log){0};
}

void *ss_critical_path_room(void *array, int64_t count, int64_t *capacity, size_t size)
{
  if (count < *capacity) return array;
  const int64_t larger = *capacity > 0 ? 2 * *capacity : 1024;
  void *moved = count < INT32_MAX ? realloc(array, (size_t)larger * size) : NULL;
  if (moved != NULL) *capacity = larger;
  return moved;
}

/* Where a transfer is; -1: there is none, or it had ended before any that is asked for. */
static int32_t place_of(const ss_critical_path_log *log, int64_t number)
{
  return number >= log->first ? (int32_t)(number - log->forgotten) : -1;
}

/* The last wait of a replica, from one of them back, that had ended by a time, or -1. */
static int32_t ended_by(const ss_critical_path_log *log, int32_t wait, double time_s)
{
  while (wait >= 0 && log->wait[wait].end_s > time_s) wait = log->wait[wait].earlier;
  return wait;
}

static bool takes_no_time(const ss_critical_path_arrival *sent)
{
  return sent->begin_s >= sent->end_s;
}

/* Whether a path that comes to a transfer may come to a replica twice at one time, and go on with a wait before: it
 * goes on at this time, by a lane or by another transfer that takes none. */
static bool may_turn_back(const ss_critical_path_log *log, const ss_critical_path_arrival *sent)
{
  if (!takes_no_time(sent)) return false;
  if (sent->queued) return true;
  const ss_critical_path_wait *wait = sent->before >= 0 ? &log->wait[sent->before] : NULL;
  return wait != NULL && wait->end_s >= sent->begin_s && wait->transfer >= 0 &&
         takes_no_time(&log->sent[wait->transfer]);
}

int64_t ss_critical_path_add_transfer(ss_critical_path_log *log, const ss_critical_path_transfer *transfer)
{
  SS_ASSERT(transfer->previous < log->transfers + log->forgotten && transfer->replica >= 0 &&
            transfer->replica < log->replicas && transfer->asked_s >= log->since_s);
  ss_critical_path_arrival *sent =
      ss_critical_path_room(log->sent, log->transfers, &log->transfer_capacity, sizeof *sent);
  log->incomplete = log->incomplete || sent == NULL;
  if (sent == NULL) return -1;
  log->sent = sent;
  const int32_t previous = place_of(log, transfer->previous);
  const bool queued =
      previous >= 0 && transfer->asked_s < transfer->start_s && sent[previous].end_s > transfer->asked_s;
  const double begin_s = queued ? transfer->start_s : transfer->asked_s;
  sent[log->transfers] =
      (ss_critical_path_arrival){.begin_s = begin_s,
                                 .end_s = transfer->end_s,
                                 .calls_s = transfer->calls_s,
                                 .before = queued ? previous : ended_by(log, log->latest[transfer->replica], begin_s),
                                 .replica = transfer->replica,
                                 .to_replica = transfer->to_replica,
                                 .kind = (uint8_t)transfer->kind,
                                 .queued = queued};
  log->keeps_all = log->keeps_all || may_turn_back(log, &sent[log->transfers]);
  return log->transfers++ + log->forgotten;
}

void ss_critical_path_add_wait(ss_critical_path_log *log, const ss_critical_path_pause *pause)
{
  SS_ASSERT(pause->replica >= 0 && pause->replica < log->replicas && pause->transfer < log->transfers + log->forgotten);
  if (pause->end_s <= pause->start_s) return; /* it came in time */
  ss_critical_path_wait *wait = ss_critical_path_room(log->wait, log->waits, &log->wait_capacity, sizeof *wait);
  log->incomplete = log->incomplete || wait == NULL;
  if (wait == NULL) return;
  log->wait = wait;
  SS_ASSERT(pause->transfer < 0 || place_of(log, pause->transfer) >= 0);
  wait[log->waits] = (ss_critical_path_wait){.start_s = pause->start_s,
                                             .end_s = pause->end_s,
                                             .calls_s = pause->calls_s,
                                             .transfer = pause->transfer < 0 ? (int32_t)pause->transfer
                                                                             : place_of(log, pause->transfer),
                                             .earlier = log->latest[pause->replica]};
  log->latest[pause->replica] = (int32_t)log->waits++;
}

/* Which waits and transfers are kept; and the places of these once the rest is gone: of a wait that goes, that of the
 * one before it of its replica which is kept; -1: there is none. */
typedef struct kept {
  bool *wait, *sent;                /* owned */
  int32_t *wait_place, *sent_place; /* owned */
} kept;

static void keep(bool *is_kept, int32_t at)
{
  if (at >= 0) is_kept[at] = true;
}

/* A path may yet come to the last transfers of all and to the last waits of each replica: to those that ended since a
 * time, and to the wait before. */
static void keep_recent(ss_critical_path_log *log, const kept *k, double since_s)
{
  int64_t recent = log->transfers;
  while (recent > 0 && log->sent[recent - 1].end_s >= since_s) keep(k->sent, (int32_t)--recent);
  log->first = recent + log->forgotten;
  for (int64_t replica = 0; replica < log->replicas; ++replica) {
    int32_t wait = log->latest[replica];
    for (; wait >= 0 && log->wait[wait].end_s >= since_s; wait = log->wait[wait].earlier) keep(k->wait, wait);
    keep(k->wait, wait);
  }
}

/* Where a path goes back to from a wait, and from a transfer. */
static void keep_before_wait(const ss_critical_path_log *log, const kept *k, int64_t at)
{
  const ss_critical_path_wait *wait = &log->wait[at];
  if (!k->wait[at]) return;
  if (wait->transfer >= 0)
    keep(k->sent, wait->transfer);
  else
    keep(k->wait, ended_by(log, wait->earlier, wait->start_s));
}

/* Behind a transfer that takes no time may be a wait that ended with it, which is looked at before it otherwise. */
static void keep_before_transfer(const ss_critical_path_log *log, const kept *k, int64_t at)
{
  const ss_critical_path_arrival *sent = &log->sent[at];
  if (!k->sent[at] || sent->before < 0) return;
  keep(sent->queued ? k->sent : k->wait, sent->before);
  if (!sent->queued) keep_before_wait(log, k, sent->before);
}

/* All that a path comes to had ended before what it comes from, or at the same time if that is a wait. */
static void keep_reached(const ss_critical_path_log *log, const kept *k)
{
  int64_t waits = log->waits, transfers = log->transfers;
  while (waits + transfers > 0)
    if (transfers == 0 || (waits > 0 && log->wait[waits - 1].end_s >= log->sent[transfers - 1].end_s))
      keep_before_wait(log, k, --waits);
    else
      keep_before_transfer(log, k, --transfers);
}

static int32_t moved(const int32_t *place, int32_t from)
{
  return from >= 0 ? place[from] : from;
}

static void close_up_waits(ss_critical_path_log *log, const kept *k)
{
  int32_t next = 0;
  for (int64_t i = 0; i < log->waits; ++i) {
    ss_critical_path_wait wait = log->wait[i];
    wait.earlier = moved(k->wait_place, wait.earlier);
    k->wait_place[i] = k->wait[i] ? next : wait.earlier;
    wait.transfer = moved(k->sent_place, wait.transfer);
    if (k->wait[i]) log->wait[next++] = wait;
  }
  for (int64_t replica = 0; replica < log->replicas; ++replica)
    log->latest[replica] = moved(k->wait_place, log->latest[replica]);
  log->waits = next;
}

static void close_up_transfers(ss_critical_path_log *log, const kept *k)
{
  int64_t next = 0;
  for (int64_t i = 0; i < log->transfers; ++i) {
    if (!k->sent[i]) continue;
    ss_critical_path_arrival *to = &log->sent[next++];
    *to = log->sent[i];
    to->before = moved(to->queued ? k->sent_place : k->wait_place, to->before);
  }
  log->forgotten += log->transfers - next;
  log->transfers = next;
}

static void close_up(ss_critical_path_log *log, const kept *k)
{
  int32_t next = 0;
  for (int64_t i = 0; i < log->transfers; ++i) k->sent_place[i] = k->sent[i] ? next++ : -1;
  close_up_waits(log, k);
  close_up_transfers(log, k);
}

/* Nothing that comes later refers to a transfer or a wait that is not kept: not to the transfer before one, as that had
 * not ended when this was asked for; and to a wait of a replica only as of that time. Where transfers take no time one
 * after the other, a path may turn back to a replica, and go on with a wait before. */
void ss_critical_path_forget(ss_critical_path_log *log, double since_s)
{
  if (log->keeps_all || log->incomplete) return;
  log->since_s = since_s;
  const size_t waits = (size_t)log->waits + 1, transfers = (size_t)log->transfers + 1;
  kept k = {.wait = calloc(waits, sizeof *k.wait),
            .sent = calloc(transfers, sizeof *k.sent),
            .wait_place = malloc(waits * sizeof *k.wait_place),
            .sent_place = malloc(transfers * sizeof *k.sent_place)};
  if (k.wait != NULL && k.sent != NULL && k.wait_place != NULL && k.sent_place != NULL) {
    keep_recent(log, &k, since_s);
    keep_reached(log, &k);
    close_up(log, &k);
  }
  log->enough = TIMES_LONGER * (log->waits + log->transfers) + SHORT;
  free(k.wait);
  free(k.sent);
  free(k.wait_place);
  free(k.sent_place);
}
