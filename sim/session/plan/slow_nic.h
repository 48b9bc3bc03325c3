/* How slow a job of a plan is with a slow NIC. */
#ifndef STEPSIM_SIM_SESSION_PLAN_SLOW_NIC_H
#define STEPSIM_SIM_SESSION_PLAN_SLOW_NIC_H

#include "sim/session/plan/slowed.h"

/* The share of its speed that a job has while a NIC has platform.slow-nic-speed of its bandwidth. With --replay that is
 * a replay in which the NIC of the first rank is so slow, or the next of its domain that link-speed does not have. Else
 * it is the closed form with a fabric that is (ss_plan_slowed_by_fabric). 1 where NICs do not become slow. Errors as of
 * ss_plan_slowed_speed. */
ss_status ss_plan_nic_speed(const ss_slowed_job *slowed, double *speed, ss_error *error);

#endif
