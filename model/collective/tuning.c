#include "model/collective/tuning.h"

#include <math.h>

#include "model/base/number.h"

/* Names and values are those of NCCL where not said otherwise; its times are in microseconds and its bandwidths in
 * GB/s. Hosts are taken for those that it was compared on (AMD), GPUs for A100. */
#define MICROSECOND       1e-6
#define GIGABYTE_PER_S    1e9
#define NVLINK_SHARE      0.8  /* SM80_NVLINK_BW: 20 of a link's 25 GB/s */
#define NET_OVERHEAD      2.0  /* getNetOverhead: what the host takes to pass a step on to the network */
#define SIMPLE_OVERHEADS  3.0  /* of them in a step of Simple */
#define PLATEAU           1.4  /* "Plateau effect of ring" */
#define TREE_PATTERN      0.85 /* NCCL_TOPO_PATTERN_TREE: one GPU of a node does all of a tree */
#define LL_RING_SHARE     (1.0 / 4.0)
#define LL_GATHER_SHARE   (1.0 / 3.0) /* inside a domain, of what goes around once */
#define LL_TREE_SHARE     (1.0 / 3.8)
#define TREE_CORRECTIONS  23
#define FEWEST_TREE_BYTES 64.0 /* of the first correction; each of the others has twice as many */

/* baseLat, and hwLat of NVLINK and NET. */
typedef struct expected_steps {
  double base, nvlink, fabric;
} expected_steps;

static const expected_steps ring_steps[] = {[SS_LL] = {6.6, 0.6, 2.7}, [SS_SIMPLE] = {8.4, 3.4, 14.0}};
static const expected_steps tree_steps[] = {[SS_LL] = {6.8, 0.6, 5.0}, [SS_SIMPLE] = {0.0, 4.0, 14.0}};

/* llMaxBws of one domain, two, and more. */
static const double most_by_ll[] = {87.7, 22.5, 19.0};

/* perChMaxTreeBws over two domains and over more, of the 24 GB/s that a channel has, and at most 0.92. */
static const double tree_share[] = {0.92, 17.8 / 24.0};

/* treeCorrectionFactor */
static const double correction[][TREE_CORRECTIONS] = {
    [SS_LL] = {1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
               0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0},
    [SS_SIMPLE] = {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
                   0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9},
};

ss_tuning ss_tuning_of(const ss_machine *machine)
{
  return (ss_tuning){.used = machine->nccl_tuning != 0,
                     .nvlink_bytes_per_s = machine->nvlink_bytes_per_s,
                     .nic_bytes_per_s = machine->fabric_bytes_per_s,
                     .nics_per_gpu = ss_machine_nics_per_gpu(machine),
                     .domain_gpus = (double)machine->domain_size,
                     .pairs = machine->nvlink_pairs != 0};
}

static double most_ll_bytes_per_s(ss_span span)
{
  return most_by_ll[span.domains > 2 ? 2 : span.domains - 1] * GIGABYTE_PER_S;
}

/* What rings have together: of NVLink inside a domain, of the NICs across. */
static double bus_bytes_per_s(const ss_tuning *tuning, ss_span span)
{
  if (ss_span_has_across(span)) return (double)ss_span_rings(span, tuning->nics_per_gpu) * tuning->nic_bytes_per_s;
  const double linked = tuning->pairs ? ((double)span.size - 1.0) / (tuning->domain_gpus - 1.0) : 1.0;
  return linked * NVLINK_SHARE * tuning->nvlink_bytes_per_s;
}

/* Across domains the host passes on what goes over NVLink, too. */
static double ring_latency_s(ss_collective kind, ss_span span, ss_protocol protocol)
{
  const expected_steps steps = ring_steps[protocol];
  const double passes = ss_collective_passes(kind), all = passes * (double)(span.size - 1);
  if (!ss_span_has_across(span)) return (steps.base + all * steps.nvlink) * MICROSECOND;
  const double overhead = protocol == SS_SIMPLE ? SIMPLE_OVERHEADS * NET_OVERHEAD : NET_OVERHEAD;
  const double across = kind == SS_ALL_REDUCE ? passes * (double)span.domains : (double)(span.domains - 1);
  const double latency = steps.base + (all - across) * ss_max(steps.nvlink, overhead) + across * steps.fabric;
  return latency * MICROSECOND * (protocol == SS_SIMPLE && kind == SS_ALL_REDUCE ? PLATEAU : 1.0);
}

static double ring_s(const ss_tuning *tuning, ss_collective kind, ss_span span, double volume_bytes,
                     ss_protocol protocol)
{
  double bytes_per_s = bus_bytes_per_s(tuning, span);
  if (protocol == SS_LL) {
    const bool once = !ss_span_has_across(span) && kind != SS_ALL_REDUCE;
    bytes_per_s = ss_min(bytes_per_s * (once ? LL_GATHER_SHARE : LL_RING_SHARE), most_ll_bytes_per_s(span));
  }
  return ring_latency_s(kind, span, protocol) + ss_collective_ring_share(kind, span.size) * volume_bytes / bytes_per_s;
}

/* How much less trees reach with few bytes; nothing less with more than the table has. */
static double tree_correction(double volume_bytes, ss_protocol protocol)
{
  const int row = volume_bytes > FEWEST_TREE_BYTES ? ilogb(volume_bytes / FEWEST_TREE_BYTES) : 0;
  return row < TREE_CORRECTIONS ? correction[protocol][row] : 1.0;
}

/* Up and down: the volume twice, and levels rounded down. */
static double trees_s(const ss_tuning *tuning, ss_span span, double volume_bytes, ss_protocol protocol)
{
  double bytes_per_s = tree_share[span.domains > 2] * bus_bytes_per_s(tuning, span);
  if (protocol == SS_LL) bytes_per_s = ss_min(bytes_per_s * LL_TREE_SHARE, most_ll_bytes_per_s(span));
  bytes_per_s *= TREE_PATTERN * tree_correction(volume_bytes, protocol);
  const expected_steps steps = tree_steps[protocol];
  const double chain = (double)(ss_span_locals(span) - 1) * steps.nvlink;
  const double levels = (double)ilogb((double)span.domains) * steps.fabric;
  return (steps.base + 2.0 * (chain + levels)) * MICROSECOND + 2.0 * volume_bytes / bytes_per_s;
}

static ss_expected better(double simple_s, double ll_s)
{
  return ll_s < simple_s ? (ss_expected){SS_LL, ll_s} : (ss_expected){SS_SIMPLE, simple_s};
}

ss_expected ss_tuning_ring(const ss_tuning *tuning, ss_collective kind, ss_span span, double volume_bytes)
{
  return better(ring_s(tuning, kind, span, volume_bytes, SS_SIMPLE), ring_s(tuning, kind, span, volume_bytes, SS_LL));
}

ss_expected ss_tuning_trees(const ss_tuning *tuning, ss_span span, double volume_bytes)
{
  return better(trees_s(tuning, span, volume_bytes, SS_SIMPLE), trees_s(tuning, span, volume_bytes, SS_LL));
}
