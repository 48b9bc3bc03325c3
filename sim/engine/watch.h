/* What is noted while a replay runs: what the links carry, why communication is exposed, and what the critical path is
 * found from. Nothing is noted on private links. */
#ifndef STEPSIM_SIM_ENGINE_WATCH_H
#define STEPSIM_SIM_ENGINE_WATCH_H

#include "sim/engine/path.h"
#include "sim/engine/usage.h"
#include "sim/engine/world.h"

struct ss_watch {
  ss_usage usage;
  ss_path_log path;
};

/* For the first of the jobs on a network. SS_ERROR_MEMORY. Close in any case. */
ss_status ss_watch_open(ss_world *world);
void ss_watch_close(ss_common *common);

/* A flow, or a part of it, is over; the collectives of a run take `bytes` through the NVLink port of each rank. */
void ss_watch_flow(const ss_world *world, const ss_edge *edge, double start_s, double end_s, double bytes);
void ss_watch_run(const ss_world *world, const ss_cell *cell, double duration_s, double bytes);

/* A cell asks for something now. */
ss_asked ss_watch_asks(const ss_world *world, const ss_cell *cell);

/* A transfer is over that `to` may have waited for (NULL: whoever asked for it). */
ss_ending ss_watch_arrived(ss_world *world, ss_transfer *transfer, const ss_cell *to);

/* How a transfer that is over now spent its time: the parts add up to it. */
ss_exposed ss_watch_parts(const ss_world *world, const ss_transfer *transfer);

double ss_exposed_sum(const ss_exposed *parts);

/* Adds `time_s` to what is exposed, in the proportions of `parts`. */
void ss_exposed_add(ss_exposed *exposed, double time_s, const ss_exposed *parts);

/* A wait of a cell for what cell->ended says ends now; what it has spent on collectives of layers until
 * now and is not in its parts yet is told beside. */
void ss_watch_wait(ss_world *world, const ss_cell *cell, double start_s, double calls_until_now_s);

/* Fills in exposed, links and path of the result; `last` is the cell that finished last. SS_ERROR_MEMORY, or what the
 * writer of links returns. */
ss_status ss_watch_conclude(ss_world *world, const ss_cell *last, ss_error *error);

#endif
