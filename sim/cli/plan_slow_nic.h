/* How slow a job of a plan is with a slow NIC. */
#ifndef STEPSIM_SIM_CLI_PLAN_SLOW_NIC_H
#define STEPSIM_SIM_CLI_PLAN_SLOW_NIC_H

#include "sim/options/options.h"
#include "sim/session/session.h"

/* The share of its speed that a job, which takes `iteration_s` otherwise, has while a NIC has platform.slow-nic-speed
 * of its bandwidth. With --replay that is a replay in which the NIC of the first rank is so slow, or the next of its
 * domain that link-speed does not have. Else it is the closed form with a fabric that is: whoever waits for one slow
 * message waits as for all, but this slows down those too that other NICs carry and that nobody waits for. 1 where NICs
 * do not become slow. Errors as of ss_job_init and ss_replay. */
ss_status ss_plan_nic_speed(const ss_session *session, const ss_options *options, double iteration_s, double *speed,
                            ss_error *error);

#endif
