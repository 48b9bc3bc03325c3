/* How flows cross the network: every distinct way as a list of links, and what the links can carry. */
#ifndef STEPSIM_SIM_ENGINE_WAYS_H
#define STEPSIM_SIM_ENGINE_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fabric.h"

/* A link on a way. Where one flow stands for several, `alike` of them cross the link. */
typedef struct ss_hop {
  int32_t link, alike;
} ss_hop;

typedef struct ss_way {
  int64_t first; /* of ss_ways.hop */
  int64_t count;
} ss_way;

/* Zeroed memory has no links and no ways. */
typedef struct ss_ways {
  int64_t links, count, capacity, hops, hop_capacity, slots;
  double *bytes_per_s; /* [links], owned */
  bool *shared;        /* [links] flows share it; else each may use all of it; owned */
  ss_way *way;         /* [count], owned */
  ss_hop *hop;         /* [hops], owned */
  int32_t *slot;       /* [slots] index of a way + 1, by the hash of its hops; owned */
} ss_ways;

/* Takes the links of a fabric over. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_ways_init(ss_ways *ways, const ss_fabric *fabric);
void ss_ways_free(ss_ways *ways);

/* The index of a way, which is added when it is new; -1 when memory is out. */
int32_t ss_ways_find(ss_ways *ways, const ss_hop *hop, int64_t count);

/* What a flow that is alone on its way gets. */
double ss_ways_bytes_per_s(const ss_ways *ways, int32_t way);

#endif
