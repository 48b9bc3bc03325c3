/* Which protocol NCCL takes for a ring or a tree, and which of the two algorithms: those of which it expects the least
 * time. What it expects is not what they take, so that at some sizes it takes the slower one. ncclTopoTuneModel and
 * ncclTopoGetAlgoTime of src/graph/tuning.cc, NCCL 2.18, without LL128, which no measurement at hand tells apart. */
#ifndef STEPSIM_MODEL_COLLECTIVE_TUNING_H
#define STEPSIM_MODEL_COLLECTIVE_TUNING_H

#include <stdbool.h>

#include "model/collective/kind.h"
#include "model/collective/protocol.h"
#include "model/collective/span.h"
#include "model/input/machine.h"

/* What NCCL knows of a machine: bandwidths as its topology has them, whatever collectives reach of them. */
typedef struct ss_tuning {
  bool used; /* nccl-tuning */
  double nvlink_bytes_per_s, nic_bytes_per_s, nics_per_gpu;
  double domain_gpus;
  bool pairs;
} ss_tuning;

ss_tuning ss_tuning_of(const ss_machine *machine);

/* What NCCL expects of the better protocol. */
typedef struct ss_expected {
  ss_protocol protocol;
  double time_s;
} ss_expected;

/* Of an all-gather, a reduce-scatter or an all-reduce by a ring, and of an all-reduce by double trees across domains.
 * The span has two ranks at least; the volume is that of ss_collective_phase. */
ss_expected ss_tuning_ring(const ss_tuning *tuning, ss_collective kind, ss_span span, double volume_bytes);
ss_expected ss_tuning_trees(const ss_tuning *tuning, ss_span span, double volume_bytes);

#endif
