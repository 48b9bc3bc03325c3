/* What the figures of one iteration are drawn from. */
#ifndef STEPSIM_SIM_FIGURE_RUN_REPORT_H
#define STEPSIM_SIM_FIGURE_RUN_REPORT_H

#include "model/estimate/upgrade.h"
#include "model/result/history.h"
#include "model/result/prediction.h"

/* What `run` has found; all borrowed. */
typedef struct ss_run_report {
  const ss_prediction *prediction; /* simulated */
  const ss_job *job;
  const ss_history *history;
  double upgraded_s[SS_UPGRADES]; /* the closed form on better machines */
  const double *replayed_s;       /* [SS_UPGRADES] the replay on them; NULL: there is none */
} ss_run_report;

#endif
