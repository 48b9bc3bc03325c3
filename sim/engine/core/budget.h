/* What a replay may take of this machine: wall-clock time and memory. */
#ifndef STEPSIM_SIM_ENGINE_CORE_BUDGET_H
#define STEPSIM_SIM_ENGINE_CORE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"

/* Zeroed: no limits. All replays that share a budget share its clock; the memory is that of each process. */
typedef struct ss_budget {
  double max_s, max_bytes; /* 0: any */
  double start_s;          /* of the monotonic clock */
} ss_budget;

/* A budget whose clock starts now. */
ss_budget ss_budget_from_now(double max_s, double max_bytes);

/* Whether this is one of the rounds in which to look: to look costs microseconds. */
bool ss_budget_is_due(int64_t round);

/* Whether its time is over. */
bool ss_budget_is_late(const ss_budget *budget);

/* SS_ERROR_BUDGET where it is used up; the message says how much, and that `share` of the iteration is done. */
ss_status ss_budget_check(const ss_budget *budget, double share, ss_error *error);

#endif
