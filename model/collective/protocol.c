#include "model/collective/protocol.h"

#include <math.h>

#include "model/base/number.h"

/* A word of LL is 4 bytes of data and 4 of flag (NCCL, src/include/device.h). */
#define LL_WIRE_BYTES_PER_BYTE 2.0

/* A step of a tree over the fabric beside one of a ring, by LL: 5.0 and 2.7 us (hwLat of NCCL, src/graph/tuning.cc). */
#define LL_TREE_STEP (5.0 / 2.7)

/* What LL passes on at once: 512 threads have 8 lines of 8 bytes of data in a step of a channel (NCCL_LL_MAX_NTHREADS
 * and NCCL_LL_LINES_PER_THREAD, src/include/device.h). That there are four channels is what the all-reduces of 32 to
 * 512 KiB on Perlmutter fit best. */
#define LL_PIECE_BYTES (4.0 * 512.0 * 8.0 * 8.0)

/* Into the buffer of the first NIC, and out of that of the last. */
#define FABRIC_ENDS 2.0

/* A step that is not stated is that of the link. */
static double step_s(double stated_s, double link_s)
{
  return stated_s > 0.0 ? stated_s : link_s;
}

ss_protocols ss_protocols_of(const ss_machine *machine)
{
  const double simple_nvlink_s = step_s(machine->simple_nvlink_s, machine->nvlink_latency_s);
  const double simple_fabric_s = step_s(machine->simple_fabric_s, machine->fabric_latency_s);
  const bool steps = machine->collective_start_s > 0.0 || machine->simple_nvlink_s > 0.0 ||
                     machine->simple_passing_s > 0.0 || machine->simple_fabric_s > 0.0 ||
                     machine->tree_fabric_s > 0.0 || machine->ll_nvlink_s > 0.0 || machine->ll_fabric_s > 0.0 ||
                     machine->ll_fabric_bytes_per_s > 0.0;
  return (ss_protocols){.stated = steps || machine->nvlink_pairs != 0 || machine->fabric_passing > 0.0 ||
                                  machine->nvlink_copying > 0.0,
                        .steps = steps,
                        .start_s = machine->collective_start_s,
                        .simple_nvlink_s = simple_nvlink_s,
                        .simple_passing_s = step_s(machine->simple_passing_s, simple_nvlink_s),
                        .simple_fabric_s = simple_fabric_s,
                        .tree_fabric_s = step_s(machine->tree_fabric_s, simple_fabric_s),
                        .ll_nvlink_s = step_s(machine->ll_nvlink_s, machine->nvlink_latency_s),
                        .ll_fabric_s = step_s(machine->ll_fabric_s, machine->fabric_latency_s),
                        .ll_inside = machine->ll_nvlink_s > 0.0,
                        .ll_fabric_bytes_per_s = machine->ll_fabric_bytes_per_s,
                        .passing = machine->fabric_passing,
                        .ll_passing = machine->ll_passing > 0.0 ? machine->ll_passing : machine->fabric_passing,
                        .copying = machine->nvlink_copying,
                        .domain_gpus = (double)machine->domain_size,
                        .pairs = machine->nvlink_pairs != 0};
}

/* Across domains NICs move one slice while GPUs and hosts see to others: steps hide behind the transfer or the transfer
 * behind steps, but for what jitter leaves of both. The 3/2-norm lies between the larger of the two and their sum. */
static double hide(double steps_s, double transfer_s)
{
  const double sum = steps_s * sqrt(steps_s) + transfer_s * sqrt(transfer_s);
  return cbrt(sum * sum);
}

/* How much longer a group takes across domains than one of whole domains, which the machine's bandwidths are of. A GPU
 * that passes on what it gets from a NIC loses some of its speed; g GPUs of a domain lose a g-th of that each. */
static double passing(const ss_protocols *p, const ss_demand *d, double c)
{
  return d->gpus > 0.0 ? (1.0 + c / d->gpus) / (1.0 + c / p->domain_gpus) : 1.0;
}

/* Transfer at the speed that is reached. A GPU without a switch has as many links for each of the others of its domain.
 * The threads that send in all steps of a ring copy out what comes last, and of an all-gather out of place their own
 * part at first (runRing, src/device/all_gather.h and others of NCCL): with few GPUs that is a good part of the time.
 */
static double transfer_s(const ss_protocols *p, const ss_demand *d)
{
  const double pairs = p->pairs && d->peers > 0.0 ? (p->domain_gpus - 1.0) / d->peers : 1.0;
  const double copying = d->copies > 0.0 ? 1.0 + p->copying * d->copies / d->nvlink_steps : 1.0;
  return ss_max(copying * pairs * d->nvlink_s, passing(p, d, p->passing) * d->fabric_s);
}

/* By the protocol that is taken, or the faster one. */
static double taken_s(ss_protocol protocol, double simple_s, double ll_s)
{
  if (protocol == SS_FASTEST) return ss_min(simple_s, ll_s);
  return protocol == SS_LL ? ll_s : simple_s;
}

/* The threads of a GPU wait, and then copy: nothing hides. */
static double rounds_inside_s(const ss_protocols *p, const ss_demand *d, double reached_s)
{
  const double simple_s = p->start_s + p->simple_nvlink_s * d->nvlink_steps + reached_s;
  if (!p->ll_inside) return simple_s;
  const double ll_s = p->start_s + p->ll_nvlink_s * d->nvlink_steps + LL_WIRE_BYTES_PER_BYTE * reached_s;
  return taken_s(d->protocol, simple_s, ll_s);
}

static double rounds_s(const ss_protocols *p, const ss_demand *d, double reached_s)
{
  if (d->fabric_steps <= 0.0) return rounds_inside_s(p, d, reached_s);
  const double simple_steps_s =
      p->simple_passing_s * d->nvlink_steps + p->simple_fabric_s * (d->fabric_steps + FABRIC_ENDS);
  const double simple_s = hide(p->start_s + simple_steps_s, reached_s);
  if (p->ll_fabric_bytes_per_s <= 0.0) return simple_s;
  const double ll_steps_s = p->ll_nvlink_s * d->nvlink_steps + p->ll_fabric_s * d->fabric_steps;
  const double passed_s = passing(p, d, p->ll_passing) * d->passed_bytes / p->ll_fabric_bytes_per_s;
  return taken_s(d->protocol, simple_s, p->start_s + ll_steps_s + ss_max(reached_s, passed_s));
}

/* By LL a GPU passes a piece on when it has all of it, and others follow. Those cross it three times, beside one
 * another: halves of the volume come from two children and from the parent, and leave for them, by half of its threads
 * each way (runTreeSplit, src/device/all_reduce.h). */
static double ll_pipeline_s(const ss_protocols *p, const ss_demand *d, double reached_s)
{
  const double piece_bytes = ss_min(d->passed_bytes, LL_PIECE_BYTES), others_bytes = d->passed_bytes - piece_bytes;
  const double step_s = LL_TREE_STEP * p->ll_fabric_s + piece_bytes / p->ll_fabric_bytes_per_s;
  const double pieces_s = step_s * d->fabric_steps + 3.0 * others_bytes / p->ll_fabric_bytes_per_s;
  return p->start_s + p->ll_nvlink_s * d->nvlink_steps + ss_max(reached_s, pieces_s);
}

static double pipeline_s(const ss_protocols *p, const ss_demand *d, double reached_s)
{
  const double nvlink_s = d->fabric_steps > 0.0 ? p->simple_passing_s : p->simple_nvlink_s;
  const double simple_s = p->start_s + nvlink_s * d->nvlink_steps + p->tree_fabric_s * d->fabric_steps + reached_s;
  const bool has_ll = d->passed_bytes > 0.0 && d->fabric_steps > 0.0 && p->ll_fabric_bytes_per_s > 0.0;
  return has_ll ? taken_s(d->protocol, simple_s, ll_pipeline_s(p, d, reached_s)) : simple_s;
}

static double burst_s(const ss_protocols *p, const ss_demand *d, double reached_s)
{
  const double first_s = d->fabric_steps > 0.0 ? p->simple_fabric_s : p->simple_nvlink_s;
  return p->start_s + first_s + d->links_s + reached_s;
}

ss_comm_time ss_protocol_time(const ss_protocols *protocols, const ss_demand *demand)
{
  const double links_s = ss_max(demand->nvlink_s, demand->fabric_s), reached_s = transfer_s(protocols, demand);
  double all_s = demand->links_s + reached_s;
  if (protocols->steps) {
    static double (*const time_s[])(const ss_protocols *, const ss_demand *, double) = {
        [SS_ROUNDS] = rounds_s, [SS_PIPELINE] = pipeline_s, [SS_BURST] = burst_s};
    all_s = time_s[demand->stepping](protocols, demand, reached_s);
  }
  return (ss_comm_time){.latency_s = ss_max(all_s - links_s, 0.0), .transfer_s = links_s};
}
