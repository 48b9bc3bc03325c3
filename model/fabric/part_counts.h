/* How many parts a fabric has. */
#ifndef STEPSIM_MODEL_FABRIC_PART_COUNTS_H
#define STEPSIM_MODEL_FABRIC_PART_COUNTS_H

#include <stdint.h>

typedef struct ss_fabric_parts {
  int64_t nics, switches, cables; /* of the hosts of the fabric, too, that are no NIC of the machine */
} ss_fabric_parts;

#endif
