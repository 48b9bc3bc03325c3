/* Event-by-event replay of one iteration: every stage replica follows its schedule, every message crosses real links.
 */
#ifndef STEPSIM_SIM_ENGINE_REPLAY_H
#define STEPSIM_SIM_ENGINE_REPLAY_H

#include "model/result/prediction.h"
#include "sim/engine/core/options.h"
#include "sim/engine/trace_size.h"

/* Replays a job. On a network it runs in a child process (sim/engine/apart.h); results come back and traces are written
 * by the child. SS_ERROR_DEADLOCK names the replicas that wait and for what; SS_ERROR_ENGINE when the child stopped
 * early; SS_ERROR_OUTPUT when a trace could not be written; SS_ERROR_MODULE when SimGrid could not be loaded;
 * SS_ERROR_BUDGET; SS_ERROR_MEMORY. */
ss_status ss_replay(const ss_job *job, const ss_replay_options *options, ss_replay_result *result, ss_error *error);

/* The seed of the `trial`-th of several replays, from 0 on: the first one has `seed` itself. */
uint64_t ss_replay_seed(uint64_t seed, int64_t trial);

/* Splits simulation - estimate by cause, for a replay with these options. It takes one cause after the other away from
 * both models; what the difference changes by is that cause's share: first the shared links, then slow GPUs and noise,
 * start-up times, unequal stages, messages beside compute. What is left is due to the order of work. */
ss_status ss_explain(const ss_job *job, const ss_replay_options *options, double simulation_s,
                     ss_explanation *explanation, ss_error *error);

/* Replays the job again with kernels that take SS_SHAKE longer or shorter by chance, after a replay with these options
 * that had this result. Leaves out what would take long (flows by the hundred thousand: noise makes every GPU
 * different, so that nothing is folded), what has no network, and what is noisy anyway. As ss_replay. */
ss_status ss_replay_stability(const ss_job *job, const ss_replay_options *options, const ss_replay_result *result,
                              ss_stability *stability, ss_error *error);

#endif
