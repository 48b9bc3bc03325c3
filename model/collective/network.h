/* The links of a machine as collectives see them, and the algorithms that come into question there. */
#ifndef STEPSIM_MODEL_COLLECTIVE_NETWORK_H
#define STEPSIM_MODEL_COLLECTIVE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/kind.h"
#include "model/collective/lattice.h"
#include "model/collective/protocol.h"
#include "model/collective/routing.h"
#include "model/collective/tuning.h"
#include "model/input/words.h"

/* A collective and the algorithm that does it. */
typedef struct ss_method {
  ss_collective kind;
  ss_algorithm algorithm;
} ss_method;

/* Words of the attributes that name an algorithm: the algorithms, and "auto". */
enum {
#define SS_ALGORITHM_ONE(id, word) +1
  SS_ALGORITHM_COUNT = SS_ALGORITHM_LIST(SS_ALGORITHM_ONE)
#undef SS_ALGORITHM_ONE
};

/* There are no more methods than that. */
#define SS_METHOD_COUNT ((int64_t)SS_COLLECTIVE_COUNT * SS_ALGORITHM_COUNT)

/* A set of algorithms. */
typedef uint32_t ss_algorithm_set;
#define SS_ALGORITHM_BIT(algorithm) ((ss_algorithm_set)1 << (algorithm))

/* Bandwidths are per GPU (NVLink) and per NIC (fabric), with their efficiency applied. */
typedef struct ss_network {
  double nvlink_bytes_per_s, nvlink_latency_s;
  double fabric_bytes_per_s, fabric_latency_s;
  double nics_per_gpu;
  ss_lattice lattice;     /* of the domains on a torus */
  ss_protocols protocols; /* of NCCL, where the machine states them and the costs are not those of arXiv 2410.00273 */
  ss_tuning tuning;       /* what chooses among them */
  ss_routing routing;     /* of the tokens of a dispatch */
  bool nvlink_reduces, fabric_reduces;          /* switches of a domain, and of the fabric, reduce on the way */
  ss_algorithm usual[SS_COLLECTIVE_COUNT];      /* what the workload fixes, or the first that is considered */
  ss_algorithm_set others[SS_COLLECTIVE_COUNT]; /* what else is considered; nothing where it is fixed */
} ss_network;

#endif
