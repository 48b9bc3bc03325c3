/* Pending events by time; events of the same time come out in the order they went in. */
#ifndef STEPSIM_SIM_ENGINE_AGENDA_H
#define STEPSIM_SIM_ENGINE_AGENDA_H

#include <stdint.h>

#include "model/error.h"

typedef struct ss_event {
  double time_s;
  uint64_t order;
  int kind;
  void *subject, *owner; /* what it happens to, and whose that is */
} ss_event;

typedef struct ss_agenda {
  ss_event *heap; /* [count], owned */
  int64_t count, capacity;
  uint64_t next_order;
} ss_agenda;

/* Zeroed memory is an empty agenda. */
void ss_agenda_free(ss_agenda *agenda);

/* Adds an event; its order is given here. Memory that cannot be had ends the program: an event that is lost would be a
 * wrong answer. */
void ss_agenda_add(ss_agenda *agenda, ss_event event);

/* The next event; NULL when there is none. Valid until the next call. */
const ss_event *ss_agenda_next(const ss_agenda *agenda);

/* Removes and returns the next event; there must be one. */
ss_event ss_agenda_take(ss_agenda *agenda);

#endif
