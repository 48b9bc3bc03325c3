/* The critical path: a log of what replicas waited for, and the path back from the end through it. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_CRITICAL_PATH_H
#define STEPSIM_SIM_ENGINE_OBSERVE_CRITICAL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/result/contention.h"
#include "model/result/history.h"

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

/* Where a replica is; `gpu` is its first. */
typedef struct ss_critical_path_place {
  int64_t stage, replica, gpu;
} ss_critical_path_place;

typedef struct ss_critical_path_places {
  const void *self;
  ss_critical_path_place (*of)(const void *self, int32_t replica);
  ss_history *history; /* gets the steps of the path, from its end back; or NULL */
} ss_critical_path_places;

typedef struct ss_critical_path_log {
  int64_t replicas;
  int32_t *latest;                       /* [replicas] the latest wait of each, -1 before the first; owned */
  struct ss_critical_path_wait *wait;    /* [waits], owned */
  struct ss_critical_path_arrival *sent; /* [transfers], owned */
  int64_t waits, wait_capacity, transfers, transfer_capacity;
  bool incomplete; /* there was no memory for something */
} ss_critical_path_log;

/* SS_ERROR_MEMORY. Free in any case; a zeroed log may be freed. */
ss_status ss_critical_path_init(ss_critical_path_log *log, int64_t replicas);
void ss_critical_path_free(ss_critical_path_log *log);

/* Keeps a transfer and returns its index. One that could not start when it was asked for, since the previous one of its
 * lane was still in progress, depends on that; any other on its replica, as it was when it asked. */
int64_t ss_critical_path_add_transfer(ss_critical_path_log *log, const ss_critical_path_transfer *transfer);

/* A wait that has ended. The waits of a replica come in order of time. */
typedef struct ss_critical_path_pause {
  int32_t replica;
  double start_s, end_s;
  int64_t transfer; /* that ended it, or SS_PAUSED_BY_... */
  double calls_s;   /* collectives of layers that the replica has spent so far, in this wait, too */
} ss_critical_path_pause;

void ss_critical_path_add_wait(ss_critical_path_log *log, const ss_critical_path_pause *pause);

/* The end of the path: what the replica that finished last had spent on collectives of layers by then. Nothing before
 * `begin_s` belongs to the path. */
typedef struct ss_critical_path_end {
  int32_t replica;
  double begin_s, end_s, calls_s;
} ss_critical_path_end;

/* Goes back from the end: a replica worked since the end of its last wait; that lasted until a transfer had arrived,
 * which goes back to whatever it depends on, and so on. The parts add up to end_s - begin_s. SS_ERROR_MEMORY, also
 * where memory ended before. */
ss_status ss_critical_path_find(const ss_critical_path_log *log, const ss_critical_path_end *end,
                                const ss_critical_path_places *places, ss_critical_path *out);

#endif
