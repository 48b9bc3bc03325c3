/* Links that are slow beside those of link-speed: those of one part of the fabric, a cable or a switch. */
#ifndef STEPSIM_MODEL_FABRIC_SLOW_LINKS_H
#define STEPSIM_MODEL_FABRIC_SLOW_LINKS_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/fabric/link.h"
#include "model/input/machine.h"

/* A machine borrows it (machine->slow_links). Zeroed: none. */
struct ss_slow_links {
  double factor; /* of the speed that the links have otherwise; 0: dead */
  int64_t count;
  int32_t *link; /* [count] each once; owned */
};

/* The level of ss_fabric_parts that a link of a fabric is on; -1 where it is on none, as NVLink and a backbone. */
int ss_fabric_level_of(const ss_fabric *fabric, int64_t link);

/* Whether it is the second direction of a cable. */
bool ss_fabric_is_back(const ss_fabric *fabric, int64_t link);

/* Pairs of ends that cables of a level join: each has the links of as many cables as there are between the two. */
int64_t ss_fabric_level_bundles(const ss_fabric *fabric, int level);

/* The links between the two ends of a cable, of which this is one, without a factor. SS_ERROR_MEMORY. Free in any case.
 */
ss_status ss_slow_links_of_cable(const ss_fabric *fabric, int64_t link, ss_slow_links *slow, ss_error *error);

/* All links at the switch above a link, and at those of the tree that are the same switch, as ss_fabric_parts_of counts
 * them: `switches` of the level of the link. None where there is no switch. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_slow_links_of_switch(const ss_fabric *fabric, int64_t link, int64_t switches, ss_slow_links *slow,
                                  ss_error *error);

/* Of the switches of the level of a link, of which there are so many, those that routes do not tell apart: more than 1
 * with adaptive routing. The link leads to a switch. */
double ss_fabric_joined_switches(const ss_fabric *fabric, int64_t link, int64_t switches);

/* Releases them; zeroed is fine. */
void ss_slow_links_free(ss_slow_links *slow);

#endif
