/* How slow a job of a plan is with slow cables and switches. */
#ifndef STEPSIM_SIM_SESSION_PLAN_SLOW_FABRIC_H
#define STEPSIM_SIM_SESSION_PLAN_SLOW_FABRIC_H

#include "model/result/history.h"
#include "model/run/slow.h"
#include "sim/session/plan/slowed.h"

/* Lists the places of the fabric that become slow: cables between switches, or of a torus, by platform.slow-cable-rate,
 * and switches by platform.slow-switch-rate; none where the rates are 0. Cables of NICs are not among them, as NICs
 * have theirs (slow-nic-rate).
 *
 * With --replay, `history` is that of a replay of the job. Cables of a level that carry something are put into
 * SS_SLOW_ROLES groups at most that carry about the same, and the one in the middle of each stands for all: the job is
 * replayed with this cable slow, and with it dead, and with the switch above it. Else cables and switches have the
 * share that the GPUs of the job are of the machine's, on levels that routes between its NICs cross; the job is as slow
 * as with a fabric that is (ss_plan_slowed_by_fabric), and with half of it where a part is switched off, since another
 * one carries for two. A cable between two routers is one of as many as it has links.
 *
 * What is switched off, but would leave messages without a way or the job slower than it is, stays. Errors as of
 * ss_plan_slowed_speed. */
ss_status ss_plan_slow_fabric(const ss_slowed_job *slowed, const ss_history *history, ss_slow_fabric *fabric,
                              ss_error *error);

#endif
