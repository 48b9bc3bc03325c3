/* What a live task takes that nothing touches but its own collectives: found once, before the first event. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_SETTLE_H
#define STEPSIM_SIM_ENGINE_SETUP_SETTLE_H

#include "sim/engine/core/step.h"

/* A task and where it is met. */
typedef struct ss_task_place {
  ss_block_kind kind;
  ss_pass pass;
  const ss_task *task;
} ss_task_place;

/* Adds such a task to the end of a run: its collectives take their computed time, and slow its kernel down. */
void ss_settle_task(const ss_job *job, ss_task_place at, ss_step *run);

/* Adds what a run takes to another one, but for what it moves. */
void ss_settle_run(const ss_step *added, ss_step *run);

#endif
