/* Time of collectives and messages on two kinds of link: NVLink inside a domain, the fabric across domains. */
#ifndef STEPSIM_MODEL_COLLECTIVE_H
#define STEPSIM_MODEL_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/activity.h"
#include "model/machine.h"

/* X(enumerator, activity, passes of the volume around the ring, a rank keeps 1/n of it to itself). */
#define SS_COLLECTIVE_LIST(X)                                                                                          \
  X(SS_ALL_GATHER, SS_COMM_ALL_GATHER, 1, true)                                                                        \
  X(SS_REDUCE_SCATTER, SS_COMM_REDUCE_SCATTER, 1, true)                                                                \
  X(SS_ALL_REDUCE, SS_COMM_ALL_REDUCE, 2, true)                                                                        \
  X(SS_BROADCAST, SS_COMM_BROADCAST, 1, false)                                                                         \
  X(SS_REDUCE, SS_COMM_REDUCE, 1, false)                                                                               \
  X(SS_ALL_TO_ALL, SS_COMM_ALL_TO_ALL, 1, true)

typedef enum ss_collective {
#define SS_COLLECTIVE_ID(id, activity, passes, keeps) id,
  SS_COLLECTIVE_LIST(SS_COLLECTIVE_ID)
#undef SS_COLLECTIVE_ID
      SS_COLLECTIVE_COUNT
} ss_collective;

ss_activity ss_collective_activity(ss_collective kind);

/* Links as a GPU sees them; bandwidths per GPU (NVLink) and per NIC (fabric) with their efficiency applied. */
typedef struct ss_network {
  double nvlink_bytes_per_s, nvlink_latency_s;
  double fabric_bytes_per_s, fabric_latency_s;
  double nics_per_gpu;
} ss_network;

/* How a group of ranks lies over domains. `per_domain` is the smallest share a domain has in the group. */
typedef struct ss_span {
  int64_t size, domains, per_domain;
} ss_span;

/* Start-up and transfer of one message or collective that has its links to itself. */
typedef struct ss_comm_time {
  double latency_s, transfer_s;
} ss_comm_time;

ss_network ss_network_of(const ss_machine *machine);

/* Rings of a collective that crosses domains: one per NIC that the group's GPUs of one domain own, at least one. */
int64_t ss_collective_rings(ss_span span, double nics_per_gpu);

/* Bytes that one rank sends: passes * (n-1)/n * volume, and all of the volume where nothing is kept (broadcast,
 * reduce). `volume_bytes` is the full, gathered size; of an all-to-all, what one rank has for all. */
double ss_collective_rank_bytes(ss_collective kind, ss_span span, double volume_bytes);

/* Ring collective over `span`, arXiv 2410.00273 section III: inside one domain over NVLink, one rank per domain over
 * the fabric, otherwise both at once and the slower of the two counts. An all-to-all goes directly: what stays in the
 * domain over NVLink, the rest through the NICs of the domain's ranks, both at once. */
ss_comm_time ss_collective_time(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes);

/* Whether a collective is made of messages between all pairs of ranks, not of rings. */
bool ss_collective_is_direct(ss_collective kind);

/* One message between two GPUs, inside a domain or across. */
ss_comm_time ss_message_time(const ss_network *network, bool across_domains, double bytes);

double ss_comm_time_sum(ss_comm_time time);

#endif
