/* How slow a job of a plan is on a machine that is slower. */
#ifndef STEPSIM_SIM_SESSION_PLAN_SLOWED_H
#define STEPSIM_SIM_SESSION_PLAN_SLOWED_H

#include "sim/options/options.h"
#include "sim/session/session.h"

/* A job of a plan, and what its iteration takes otherwise. */
typedef struct ss_slowed_job {
  const ss_session *session;
  const ss_options *options;
  double iteration_s;
} ss_slowed_job;

/* The share of its speed that a job has on another machine: by a replay with --replay, else in closed form. Errors as
 * of ss_job_init and ss_replay. */
ss_status ss_plan_slowed_speed(const ss_slowed_job *slowed, const ss_machine *machine, double *speed, ss_error *error);

/* The share that it has in closed form with so much of the bandwidth of the whole fabric: whoever waits for one slow
 * message waits as for all, but this slows down those too that other parts carry and that nobody waits for. */
ss_status ss_plan_slowed_by_fabric(const ss_slowed_job *slowed, double share, double *speed, ss_error *error);

#endif
