/* What routes of forwarding tables make of a fabric, beside those of the rule of its topology. */
#ifndef STEPSIM_MODEL_FABRIC_ROUTE_SUMMARY_H
#define STEPSIM_MODEL_FABRIC_ROUTE_SUMMARY_H

#include "model/base/error.h"
#include "model/fabric/link.h"
#include "model/input/machine.h"

/* Links between two levels in one direction, such as those up from the leaves. A destination is a NIC to which messages
 * of some other one cross a link. */
typedef struct ss_route_links {
  char word[16];                   /* what the nodes are called below them */
  const char *direction;           /* "up" or "down"; empty where cables have one link for both */
  char busiest[SS_LINK_NAME_SIZE]; /* with most destinations, the first of them */
  int64_t most, most_by_rule;      /* destinations of a link; the same by the rule */
  double mean;                     /* over all links that are alive */
} ss_route_links;

typedef struct ss_route_summary {
  const char *file; /* of the routes; of the machine */
  int64_t entries;
  int64_t pairs;  /* of a NIC and another one that it has a way to */
  int64_t others; /* whose way is another one than by the rule */
  int kinds;      /* level by level */
  ss_route_links kind[2 * SS_SHAPE_NUMBERS];
} ss_route_summary;

/* Summarises the routes of a machine with tables. NICs are those of the machine. SS_ERROR_MEMORY. */
ss_status ss_route_summary_make(const ss_machine *machine, ss_route_summary *summary, ss_error *error);

#endif
