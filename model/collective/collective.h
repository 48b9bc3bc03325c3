/* Time of collectives and messages on two kinds of link: NVLink inside a domain, the fabric across domains. How a
 * collective is done is one of the algorithms of SS_ALGORITHM_ROWS, which the closed form times and the replay turns
 * into flows. Phases of an algorithm follow one another; what moves in one phase moves at the same time. */
#ifndef STEPSIM_MODEL_COLLECTIVE_COLLECTIVE_H
#define STEPSIM_MODEL_COLLECTIVE_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/kind.h"
#include "model/collective/network.h"
#include "model/collective/protocol.h"
#include "model/collective/span.h"
#include "model/input/machine.h"
#include "model/kernel/cost.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* The links of a machine, with the algorithms that the workload fixes, or where it leaves them to be chosen, those that
 * NCCL would consider on it. The sc24 costs are those of arXiv 2410.00273, which has the first of them only: rings, and
 * all-to-alls between pairs. */
ss_network ss_network_of(const ss_machine *machine, const ss_workload *workload, ss_cost cost);

/* The same links as a dispatch of layers with other experts sees them: `network`, or a copy in `own`, which is there
 * for as long as the result is used. */
const ss_network *ss_network_with(const ss_network *network, ss_top_k top_k, ss_network *own);

/* Leaves transfers at the full speed of the links. */
void ss_network_drop_latency(ss_network *network);

/* Whether an algorithm can do a collective at all; over `ranks` ranks, wherever they are; and on a machine, with what
 * its switches can do. SS_ALGORITHM_AUTO always can. */
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

/* The sum over the phases of a method, and over those of the chosen algorithm. */
ss_comm_time ss_method_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes);
ss_comm_time ss_collective_time(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes);

/* Bytes that leave the busiest NVLink port of a group inside one domain. */
double ss_collective_port_bytes(const ss_network *network, ss_method method, ss_span span, double volume_bytes);

/* One message between two GPUs, inside a domain or across, through a NIC that sends as many of so many GPUs at once. */
ss_comm_time ss_message_time(const ss_network *network, bool across_domains, double bytes, int64_t senders);

/* Start-up and transfer together, in seconds. */
double ss_comm_time_sum(ss_comm_time time);

#endif
