/* The monitor: what the links carry, and the log that the critical path is found from. There is none on private links.
 */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_MONITOR_H
#define STEPSIM_SIM_ENGINE_OBSERVE_MONITOR_H

#include "sim/engine/core/stage_replica.h"
#include "sim/engine/observe/critical_path.h"
#include "sim/engine/observe/usage.h"

typedef struct ss_monitor {
  ss_world *world;
  ss_observer observer, co_scheduled; /* of the job, and of what another job carries on the same links */
  ss_usage usage; /* of links, of kinds of flows, of the runs of stage replicas, and of flows that go together */
  int64_t first_run, first_together; /* rows of the last two */
  ss_carried_together *together;     /* what these carried last; owned */
  ss_critical_path_log path;
} ss_monitor;

/* What there is to listen to: links of the machine, kinds of flows over spared links, and flows that go together, as
 * many as there may be of these. */
typedef struct ss_monitor_rows {
  int64_t links, kinds, together;
} ss_monitor_rows;

/* A monitor of a world, and of the links that a job beside it uses, to which it listens from now on. SS_ERROR_MEMORY.
 * Free in any case. */
ss_status ss_monitor_open(ss_monitor *monitor, ss_world *world, ss_monitor_rows rows);
void ss_monitor_free(ss_monitor *monitor);

/* The links that are looked at: those of the machine, and how many each one stands for ([links], see ss_usage_view). */
typedef struct ss_monitor_links {
  const ss_fabric *fabric;
  const int64_t *alike;
} ss_monitor_links;

/* Fills in links and path of the result, and tells the writer of links. SS_ERROR_MEMORY, or what that returns. */
ss_status ss_monitor_conclude(ss_monitor *monitor, ss_monitor_links links, ss_error *error);

#endif
