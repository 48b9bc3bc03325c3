/* A replay in a process of its own, which sends back what came of it. */
#ifndef STEPSIM_SIM_ENGINE_CHILD_H
#define STEPSIM_SIM_ENGINE_CHILD_H

#include "sim/engine/play.h"

/* Calls `answer` in a process of its own, where all is as it is here, and receives the outcome, and the history where
 * options ask for one. A process that fails is an outcome, too. */
void ss_child_run(const ss_replay_options *options, void (*answer)(void *self, ss_outcome *out), void *self,
                  ss_outcome *out);

/* Puts a replay together and runs it, in a process of its own. */
void ss_play_in_child(const ss_job *job, const ss_replay_options *options, const ss_known *known, ss_purpose purpose,
                      ss_outcome *out);

#endif
