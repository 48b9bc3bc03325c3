/* The phases of a run, each with inputs and a job of its own. */
#ifndef STEPSIM_SIM_SESSION_PLAN_PHASES_H
#define STEPSIM_SIM_SESSION_PLAN_PHASES_H

#include "model/result/history.h"
#include "model/run/plan.h"
#include "sim/options/options.h"
#include "sim/session/session.h"

enum { SS_PHASES_MAX = 16 };

/* A phase as it is asked for, and worked out. */
typedef struct ss_run_phase {
  char settings[SS_TEXT_SIZE];
  char strategy[SS_TEXT_SIZE]; /* that a search found; empty where nobody searched */
  double tokens;
  double replica_speed;       /* share of its speed that the job has with a replica less */
  double nic_speed;           /* and with a slow NIC (platform.slow-nic-speed) */
  ss_slow_fabric slow_fabric; /* and with slow cables and switches */
  ss_session session;
  ss_prediction prediction;
  ss_breakdown iteration; /* by closed form or, with --replay, by the replay, whose history is filled then */
  ss_history history;
} ss_run_phase;

typedef struct ss_run_phases {
  ss_run_phase *phase[SS_PHASES_MAX]; /* [count] they stay where they are; owned */
  int64_t count;
} ss_run_phases;

/* Cuts the run of inputs that have begun, `base`, into its phases, and works out the job of each: with the strategy of
 * the workload or, with --best strategy and with --gpus, the best one for that phase on its GPUs. `gpus` is one of
 * --gpus; 0: those of the workload. SS_ERROR_INPUT where no tokens are known, a phase cannot be read, its job is
 * refused or nothing fits; otherwise errors as of ss_plan_strategy and ss_replay. Release in any case. */
ss_status ss_run_phases_open(ss_run_phases *phases, const ss_session *base, const ss_options *options, int64_t gpus,
                             ss_error *error);
void ss_run_phases_close(ss_run_phases *phases);

#endif
