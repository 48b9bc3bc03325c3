/* The workers of one process: forked, given items one at a time, and ended. */
#ifndef STEPSIM_SIM_CREW_POOL_H
#define STEPSIM_SIM_CREW_POOL_H

#include "sim/crew/work.h"

/* What is sent back for an item; the outcome follows it. */
typedef struct ss_crew_reply {
  int64_t item;
  ss_status status;
  ss_error error;
} ss_crew_reply;

/* How many workers a process has at most. */
int64_t ss_crew_limit(const ss_crew_work *work);

/* Bytes of a reply with its outcome. */
size_t ss_crew_reply_size(const ss_crew_work *work);

/* The outcome in a reply; borrowed. */
const void *ss_crew_reply_outcome(const ss_crew_reply *reply);

typedef struct ss_pool ss_pool;

/* A pool of workers, which are started when they are needed. SS_ERROR_MEMORY. The work is borrowed. */
ss_pool *ss_pool_create(const ss_crew_work *work, ss_error *error);

/* Ends the workers, whatever they do, and waits for them. */
void ss_pool_destroy(ss_pool *pool);

/* Whether there is a worker without work, or room for another one. */
bool ss_pool_has_room(const ss_pool *pool);

/* Gives an item to a worker without work, or to a new one. SS_ERROR_PROCESS where none can be started. */
ss_status ss_pool_give(ss_pool *pool, int64_t item, ss_error *error);

/* Waits up to `timeout_ms` (-1: for ever) for a worker to be done and returns its reply, valid until the next call of
 * a function of the pool; NULL where none is. A worker that stopped has a reply that says so. */
const ss_crew_reply *ss_pool_take(ss_pool *pool, int timeout_ms);

#endif
