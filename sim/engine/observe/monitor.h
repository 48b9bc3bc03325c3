/* What is noted while a replay runs: what the links carry, why communication is exposed, and what the critical path is
 * found from. Nothing is noted on private links. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_MONITOR_H
#define STEPSIM_SIM_ENGINE_OBSERVE_MONITOR_H

#include "sim/engine/core/world.h"
#include "sim/engine/observe/critical_path.h"
#include "sim/engine/observe/usage.h"

struct ss_monitor {
  ss_usage usage;
  ss_critical_path_log path;
};

/* For the first of the jobs on a network. SS_ERROR_MEMORY. Close in any case. */
ss_status ss_monitor_open(ss_world *world);
void ss_monitor_close(ss_common *common);

/* A flow, or a part of it, is over; the collectives of a run take `bytes` through the NVLink port of each rank. */
void ss_monitor_flow(const ss_world *world, const ss_flow *flow, double start_s, double end_s, double bytes);
void ss_monitor_run(const ss_world *world, const ss_stage_replica *replica, double duration_s, double bytes);

/* A replica asks for something now. */
ss_asked ss_monitor_asks(const ss_world *world, const ss_stage_replica *replica);

/* A transfer is over that `to` may have waited for (NULL: whoever asked for it). */
ss_ending ss_monitor_arrived(ss_world *world, ss_transfer *transfer, const ss_stage_replica *to);

/* How a transfer that is over now spent its time: the parts add up to it. */
ss_exposed ss_monitor_parts(const ss_world *world, const ss_transfer *transfer);

double ss_exposed_sum(const ss_exposed *parts);

/* Adds `time_s` to what is exposed, in the proportions of `parts`. */
void ss_exposed_add(ss_exposed *exposed, double time_s, const ss_exposed *parts);

/* A wait of a replica for what replica->ended says ends now; what it has spent on collectives of layers until
 * now and is not in its parts yet is told co_scheduled. */
void ss_monitor_wait(ss_world *world, const ss_stage_replica *replica, double start_s, double calls_until_now_s);

/* Fills in exposed, links and path of the result; `last` is the replica that finished last. SS_ERROR_MEMORY, or what
 * the writer of links returns. */
ss_status ss_monitor_conclude(ss_world *world, const ss_stage_replica *last, ss_error *error);

#endif
