/* Measures that change how a run goes, to see what each is worth. */
#ifndef STEPSIM_MODEL_RUN_MEASURES_H
#define STEPSIM_MODEL_RUN_MEASURES_H

#include "model/input/machine.h"
#include "model/input/workload.h"

/* X(enumerator, "key", "what is different", function). A function changes `run` of the workload, or what breaks of the
 * machine; it returns whether that is a change. */
#define SS_MEASURE_LIST(X)                                                                                             \
  X(SS_MEASURE_PERFECT, "no-failures", "nothing breaks", nothing_breaks)                                               \
  X(SS_MEASURE_HALF_FAILURES, "half-failures", "everything breaks half as often", half_as_often)                       \
  X(SS_MEASURE_FAST_RECOVERY, "half-recovery", "detection and restart in half the time", recover_faster)               \
  X(SS_MEASURE_SWAP, "swap", "spare nodes take over among processes that stay (recovery swap)", swap)                  \
  X(SS_MEASURE_RESTART, "restart", "all processes start again (recovery restart)", restart)                            \
  X(SS_MEASURE_SHRINK, "shrink", "goes on with fewer replicas and without spares (recovery shrink)", shrink)           \
  X(SS_MEASURE_NO_SPARES, "no-spares", "no spare nodes", take_no_spares)                                               \
  X(SS_MEASURE_SYNCHRONOUS, "synchronous", "synchronous checkpoints", write_first)                                     \
  X(SS_MEASURE_ASYNCHRONOUS, "asynchronous", "asynchronous checkpoints", write_beside)                                 \
  X(SS_MEASURE_TO_DISKS, "to-disks", "checkpoints on the disks of the nodes", write_to_disks)                          \
  X(SS_MEASURE_TO_STORAGE, "to-storage", "checkpoints on the storage of all", write_to_storage)                        \
  X(SS_MEASURE_BEST_INTERVAL, "best-interval", "checkpoints at the best interval", keep_best)                          \
  X(SS_MEASURE_HOURLY, "hourly", "a checkpoint every hour", keep_hourly)                                               \
  X(SS_MEASURE_NONE_SLOW, "none-slow", "no GPU becomes slow", none_slow)                                               \
  X(SS_MEASURE_FIND_SLOW, "find-slow", "slow GPUs are taken out after 10 minutes", find_slow)                          \
  X(SS_MEASURE_LEAVE_SLOW, "leave-slow", "nobody looks for slow GPUs", leave_slow)                                     \
  X(SS_MEASURE_NO_SLOW_NICS, "no-slow-nics", "no NIC becomes slow", no_slow_nics)                                      \
  X(SS_MEASURE_FIND_NICS, "find-nics", "slow NICs are taken out after 10 minutes", find_slow_nics)                     \
  X(SS_MEASURE_LEAVE_NICS, "leave-nics", "nobody looks for slow NICs", leave_slow_nics)                                \
  X(SS_MEASURE_NO_SLOW_CABLES, "no-slow-cables", "no cable becomes slow", no_slow_cables)                              \
  X(SS_MEASURE_FIND_CABLES, "find-cables", "slow cables are switched off after 10 minutes", find_slow_cables)          \
  X(SS_MEASURE_LEAVE_CABLES, "leave-cables", "nobody looks for slow cables", leave_slow_cables)                        \
  X(SS_MEASURE_NO_SLOW_SWITCHES, "no-slow-switch", "no switch becomes slow", no_slow_switches)                         \
  X(SS_MEASURE_FIND_SWITCHES, "find-switches", "slow switches are switched off after 10 minutes", find_slow_switches)  \
  X(SS_MEASURE_LEAVE_SWITCHES, "leave-switches", "nobody looks for slow switches", leave_slow_switches)

typedef enum ss_measure {
#define SS_MEASURE_ID(id, key, label, function) id,
  SS_MEASURE_LIST(SS_MEASURE_ID)
#undef SS_MEASURE_ID
      SS_MEASURES
} ss_measure;

const char *ss_measure_key(ss_measure measure);
const char *ss_measure_label(ss_measure measure);

/* Takes a measure; returns whether anything is different then. */
bool ss_measure_take(ss_measure measure, ss_workload *workload, ss_machine *machine);

#endif
