/* Forwarding tables: the links through which switches send what is for a host, where these are not those of the rule of
 * a topology. */
#ifndef STEPSIM_MODEL_FABRIC_FORWARDING_H
#define STEPSIM_MODEL_FABRIC_FORWARDING_H

#include <stdint.h>

#include "model/base/error.h"

/* What a switch (or a host, of level 0) sends to a host leaves through a link. */
typedef struct ss_forwarding_entry {
  int32_t from; /* number of the switch among all nodes of the topology */
  int32_t host;
  int32_t link;
  int32_t line; /* that says so */
} ss_forwarding_entry;

typedef struct ss_forwarding {
  ss_forwarding_entry *entry; /* [count] by switch and host, once they are sorted; owned */
  int64_t count, room;
} ss_forwarding;

/* No tables; NULL without memory. Destroy accepts NULL. */
ss_forwarding *ss_forwarding_create(void);
void ss_forwarding_destroy(ss_forwarding *forwarding);

/* Adds an entry, in any order. SS_ERROR_MEMORY. */
ss_status ss_forwarding_add(ss_forwarding *forwarding, ss_forwarding_entry entry);

/* Sorts the entries, after the last one. Returns one that another of its switch and host precedes, which is in front of
 * it; NULL where there is none. */
const ss_forwarding_entry *ss_forwarding_sort(ss_forwarding *forwarding);

/* The link from a switch to a host, of sorted entries; -1 where there is none, or no tables. */
int64_t ss_forwarding_link(const ss_forwarding *forwarding, int64_t from, int64_t host);

#endif
