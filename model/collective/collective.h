/* Time of collectives and messages on two kinds of link: NVLink inside a domain, the fabric across domains. How a
 * collective is done is one of the algorithms of SS_ALGORITHM_LIST, which the closed form times and the replay turns
 * into flows. Phases of an algorithm follow one another; what moves in one phase moves at the same time. */
#ifndef STEPSIM_MODEL_COLLECTIVE_COLLECTIVE_H
#define STEPSIM_MODEL_COLLECTIVE_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/protocol.h"
#include "model/input/machine.h"
#include "model/input/workload.h"
#include "model/kernel/activity.h"
#include "model/kernel/cost.h"

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

/* A collective and the algorithm that does it. */
typedef struct ss_method {
  ss_collective kind;
  ss_algorithm algorithm;
} ss_method;

/* A set of algorithms. */
typedef uint32_t ss_algorithm_set;
#define SS_ALGORITHM_BIT(algorithm) ((ss_algorithm_set)1 << (algorithm))

/* Links as a GPU sees them; bandwidths per GPU (NVLink) and per NIC (fabric) with their efficiency applied. And what
 * collectives can make of them. */
typedef struct ss_network {
  double nvlink_bytes_per_s, nvlink_latency_s;
  double fabric_bytes_per_s, fabric_latency_s;
  double nics_per_gpu;
  ss_protocols protocols; /* what NCCL makes of that, where the machine states it and arXiv 2410.00273 is not asked */
  bool nvlink_reduces, fabric_reduces;          /* switches of a domain, and of the fabric, reduce on the way */
  ss_algorithm usual[SS_COLLECTIVE_COUNT];      /* what the workload fixes, or the first that is considered */
  ss_algorithm_set others[SS_COLLECTIVE_COUNT]; /* what else is considered; nothing where it is fixed */
} ss_network;

/* How a group of ranks lies over domains. `per_domain` is the smallest share a domain has in the group. */
typedef struct ss_span {
  int64_t size, domains, per_domain;
} ss_span;

/* The links of a machine, with the algorithms that the workload fixes, or where it leaves them to be chosen, those that
 * NCCL would consider on it. arXiv 2410.00273, which the sc24 costs are, has rings only. */
ss_network ss_network_of(const ss_machine *machine, const ss_workload *workload, ss_cost cost);

/* Leaves transfers at the full speed of the links. */
void ss_network_drop_latency(ss_network *network);

/* What the workload says: an algorithm, or SS_ALGORITHM_AUTO. */
ss_algorithm ss_collective_given(const ss_workload *workload, ss_collective kind);

/* Whether an algorithm can do a collective at all; over `ranks` ranks, wherever they are; and with the switches of a
 * machine. */
bool ss_method_exists(ss_method method);
bool ss_method_takes(ss_method method, int64_t ranks);
bool ss_method_runs_on(ss_method method, const ss_machine *machine);

/* The algorithm that does a collective: the one that is fixed, or the fastest of those considered; of equals the first
 * of the list. */
ss_algorithm ss_collective_choose(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes);

/* Phases of a method over a span: at least one. */
int ss_collective_phases(ss_method method, ss_span span);

/* Start-up and transfer of one phase, alone on its links; nothing after the last. `volume_bytes` is the full, gathered
 * size; of an all-to-all, what one rank has for all. */
ss_comm_time ss_collective_phase(const ss_network *network, ss_method method, ss_span span, double volume_bytes,
                                 int phase);

/* The sum over the phases of a method, and of that of the chosen algorithm. */
ss_comm_time ss_method_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes);
ss_comm_time ss_collective_time(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes);

/* Rings and trees of a collective that crosses domains: one per NIC that the group's GPUs of one domain own, at least
 * one. */
int64_t ss_collective_rings(ss_span span, double nics_per_gpu);

/* NICs that the group's GPUs of one domain own, at least one. */
int64_t ss_collective_own_nics(ss_span span, double nics_per_gpu);

/* Times that the volume goes around a ring. */
double ss_collective_passes(ss_collective kind);

/* Steps after which all of so many have been reached, when each step doubles them: log2 of the count, rounded up. */
int ss_collective_levels(int64_t count);

/* What one rank sends around a ring, of the volume: passes * (n-1)/n, and all of it each time where nothing is kept
 * (broadcast, reduce). */
double ss_collective_ring_share(ss_collective kind, int64_t ranks);

/* Bytes that leave the busiest NVLink port of a group inside one domain. */
double ss_collective_port_bytes(const ss_network *network, ss_method method, ss_span span, double volume_bytes);

/* One message between two GPUs, inside a domain or across. */
ss_comm_time ss_message_time(const ss_network *network, bool across_domains, double bytes);

double ss_comm_time_sum(ss_comm_time time);

#endif
