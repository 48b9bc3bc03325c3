/* How many parts a fabric has. */
#ifndef STEPSIM_MODEL_FABRIC_PART_COUNTS_H
#define STEPSIM_MODEL_FABRIC_PART_COUNTS_H

#include <stdint.h>

enum { SS_FABRIC_LEVELS = 40 };

/* Cables of a kind, and the switches that they lead up to, if they lead up. */
typedef struct ss_fabric_level {
  char place[32]; /* where the cables are: "of NICs", "in rows" */
  int64_t cables, switches;
} ss_fabric_level;

typedef struct ss_fabric_parts {
  int64_t nics, switches, cables;          /* of the hosts of the fabric, too, that are no NIC of the machine */
  int64_t nic_cables;                      /* of these cables, those between a NIC and a switch */
  ss_fabric_level level[SS_FABRIC_LEVELS]; /* [levels] they add up to cables and switches */
  int levels;
} ss_fabric_parts;

/* Adds the cables between the NICs and their switches, and cables elsewhere; none where there are no cables. */
void ss_fabric_parts_add_nics(ss_fabric_parts *parts, int64_t cables, int64_t switches);
void ss_fabric_parts_add(ss_fabric_parts *parts, const char *place, int64_t cables, int64_t switches);

#endif
