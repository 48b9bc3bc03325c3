/* What the critical path is found from: a log of what replicas waited for, without what no path can come to any more.
 */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_CRITICAL_PATH_LOG_H
#define STEPSIM_SIM_ENGINE_OBSERVE_CRITICAL_PATH_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/result/contention.h"

/* A message or collective that has arrived. Transfers of one lane (an outbox, a data-parallel group) follow one
 * another. */
typedef struct ss_critical_path_transfer {
  int64_t previous;   /* the transfer before it on the same lane, which it cannot pass; -1: none */
  int32_t replica;    /* whose arrival let it be asked for */
  int32_t to_replica; /* the one that it goes to, or that waits for it */
  ss_critical_path_kind kind;
  double asked_s, start_s, end_s;
  double calls_s; /* collectives of layers that `replica` had spent when it was asked for */
} ss_critical_path_transfer;

/* A wait that has ended. */
typedef struct ss_critical_path_pause {
  int32_t replica;
  double start_s, end_s;
  int64_t transfer; /* that ended it, or SS_PAUSED_BY_... */
  double calls_s;   /* collectives of layers that the replica has spent so far, in this wait, too */
} ss_critical_path_pause;

/* A wait as the log keeps it, small, since a long replay has millions. */
typedef struct ss_critical_path_wait {
  double start_s, end_s, calls_s;
  int32_t transfer; /* its place in the log, or SS_PAUSED_BY_... */
  int32_t earlier;  /* wait of the same replica, or -1 */
} ss_critical_path_wait;

typedef struct ss_critical_path_arrival {
  double begin_s; /* when it started, or was asked for where nothing was ahead of it */
  double end_s, calls_s;
  int32_t before; /* the transfer that it was queued behind, else the last wait of `replica` by `begin_s`; or -1 */
  int32_t replica, to_replica;
  uint8_t kind;
  bool queued;
} ss_critical_path_arrival;

typedef struct ss_critical_path_log {
  int64_t replicas;
  int32_t *latest;                /* [replicas] the latest wait of each, -1 before the first; owned */
  ss_critical_path_wait *wait;    /* [waits], owned */
  ss_critical_path_arrival *sent; /* [transfers], owned */
  int64_t waits, wait_capacity, transfers, transfer_capacity;
  int64_t forgotten, first; /* transfers; those from number `first` on are at their number less `forgotten` */
  double since_s;           /* no transfer that is still to come was asked for before */
  int64_t enough;           /* waits and transfers at which it is worth while to forget some */
  bool keeps_all;           /* transfers took no time one after the other */
  bool incomplete;          /* there was no memory for something */
} ss_critical_path_log;

/* SS_ERROR_MEMORY. Free in any case; a zeroed log may be freed. */
ss_status ss_critical_path_init(ss_critical_path_log *log, int64_t replicas);
void ss_critical_path_free(ss_critical_path_log *log);

/* Keeps a transfer and returns its number: how many came before. One that could not start when it was asked for, since
 * the previous one of its lane was still in progress, depends on that; any other on its replica, as it was when it
 * asked. */
int64_t ss_critical_path_add_transfer(ss_critical_path_log *log, const ss_critical_path_transfer *transfer);

/* Keeps a wait, by the end of which its transfer has been added. The waits of a replica come in order of time. */
void ss_critical_path_add_wait(ss_critical_path_log *log, const ss_critical_path_pause *pause);

/* Whether it is worth while to forget something. */
static inline bool ss_critical_path_is_long(const ss_critical_path_log *log)
{
  return log->waits + log->transfers >= log->enough && !log->keeps_all && !log->incomplete;
}

/* Forgets what no path can come to that goes back from now on. Transfers and waits have been added in the order in
 * which they ended; all transfers that will be added were asked for at `since_s` or later, or not yet. */
void ss_critical_path_forget(ss_critical_path_log *log, double since_s);

/* Room for one more at the end of an array; the array as it is or where it is now, NULL where there is no memory. */
void *ss_critical_path_room(void *array, int64_t count, int64_t *capacity, size_t size);

#endif
