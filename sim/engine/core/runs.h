/* Runs: kernels and computed collectives in one go, which nothing can interrupt. */
#ifndef STEPSIM_SIM_ENGINE_CORE_RUNS_H
#define STEPSIM_SIM_ENGINE_CORE_RUNS_H

#include "sim/engine/core/stage_replica.h"

/* Adds what a piece of work has taken to the parts of an iteration. */
void ss_breakdown_add(ss_breakdown *parts, const ss_duration *duration);

/* Starts a run now, which perturbation makes longer by `perturbed_s`; the replica waits for its end. */
void ss_run_start(ss_world *world, ss_stage_replica *replica, ss_step *step, double perturbed_s);

/* What a step of the block at `position` takes beyond its nominal time. */
double ss_run_excess_s(const ss_world *world, const ss_stage_replica *replica, int64_t position, const ss_step *step);

/* Whether it has legs, of which each replica draws what they take. */
bool ss_run_is_drawn(const ss_world *world, const ss_step *step);

/* Accounts for such a run of a replica, from the block at `position` on. Returns when it ends. */
double ss_run_draw(ss_world *world, ss_stage_replica *replica, const ss_step *step, int64_t position, double begin_s);

/* Lets a replica wait until a run that has been drawn ends. */
void ss_run_wait(ss_world *world, ss_stage_replica *replica, double end_s);

/* Starts all blocks of the current pass in one go; the replica waits for its kernels. */
void ss_pass_start(ss_world *world, ss_stage_replica *replica);

#endif
