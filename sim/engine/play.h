/* A replay in this process: put together, run to its end, and taken apart. */
#ifndef STEPSIM_SIM_ENGINE_PLAY_H
#define STEPSIM_SIM_ENGINE_PLAY_H

#include "sim/engine/core/options.h"
#include "sim/engine/headroom/headroom.h"

/* What came of it. */
typedef struct ss_outcome {
  ss_status status;
  ss_replay_result result;
  ss_error error;
  ss_crowded_links crowded; /* those that were known, and others: with these it has to start again, and has written
                               nothing; owned */
} ss_outcome;

/* Replays a job once in this process; on a network, once in its life. The links that are known to be crowded take part.
 * Statuses are those of ss_replay. */
void ss_play(const ss_job *job, const ss_replay_options *options, const ss_crowded_links *known, ss_outcome *out);

/* The same in a process of its own. */
void ss_play_in_child(const ss_job *job, const ss_replay_options *options, const ss_crowded_links *known,
                      ss_outcome *out);

#endif
