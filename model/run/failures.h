/* What interrupts a job, and how often. */
#ifndef STEPSIM_MODEL_RUN_FAILURES_H
#define STEPSIM_MODEL_RUN_FAILURES_H

#include "model/input/machine.h"
#include "model/input/workload.h"

/* Kinds: X(enumerator, "label", "key", whether a node is lost). */
#define SS_FAILURE_LIST(X)                                                                                             \
  X(SS_FAILURE_GPU, "GPUs", "gpus", true)                                                                              \
  X(SS_FAILURE_NIC, "NICs", "nics", true)                                                                              \
  X(SS_FAILURE_NODE, "nodes", "nodes", true)                                                                           \
  X(SS_FAILURE_SWITCH, "switches", "switches", false)                                                                  \
  X(SS_FAILURE_SOFTWARE, "software", "software", false)

typedef enum ss_failure {
#define SS_FAILURE_ID(id, label, key, lasting) id,
  SS_FAILURE_LIST(SS_FAILURE_ID)
#undef SS_FAILURE_ID
      SS_FAILURES
} ss_failure;

const char *ss_failure_label(ss_failure failure);
const char *ss_failure_key(ss_failure failure);

/* Parts of each kind that a job has, and interruptions by them. Of switches it has the share that its GPUs are of the
 * machine's. */
typedef struct ss_failures {
  double parts[SS_FAILURES], rate_per_s[SS_FAILURES];
} ss_failures;

ss_failures ss_failures_of(const ss_workload *workload, const ss_machine *machine);

/* All interruptions, and the share of them by which a node is lost; 0 where there are none. */
double ss_failures_rate_per_s(const ss_failures *failures);
double ss_failures_lasting(const ss_failures *failures);

#endif
