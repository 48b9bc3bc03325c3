/* The critical path: the way back from the end through the log of what replicas waited for. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_CRITICAL_PATH_H
#define STEPSIM_SIM_ENGINE_OBSERVE_CRITICAL_PATH_H

#include "model/result/history.h"
#include "sim/engine/observe/critical_path_log.h"

/* Where a replica is; `gpu` is its first. */
typedef struct ss_critical_path_place {
  int64_t stage, replica, gpu;
} ss_critical_path_place;

typedef struct ss_critical_path_places {
  const void *self;
  ss_critical_path_place (*of)(const void *self, int32_t replica);
  ss_history *history; /* gets the steps of the path, from its end back; or NULL */
} ss_critical_path_places;

/* The end of the path: what the replica that finished last had spent on collectives of layers by then. Nothing before
 * `begin_s` belongs to the path. */
typedef struct ss_critical_path_end {
  int32_t replica;
  double begin_s, end_s, calls_s;
} ss_critical_path_end;

/* Goes back from the end: a replica worked since the end of its last wait; that lasted until a transfer had arrived,
 * which goes back to whatever it depends on, and so on. The parts add up to end_s - begin_s. SS_ERROR_MEMORY, also
 * where memory ended before. */
ss_status ss_critical_path_find(const ss_critical_path_log *log, const ss_critical_path_end *end,
                                const ss_critical_path_places *places, ss_critical_path *out);

#endif
