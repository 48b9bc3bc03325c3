/* Figures of one iteration. */
#ifndef STEPSIM_SIM_FIGURE_RUN_RUN_H
#define STEPSIM_SIM_FIGURE_RUN_RUN_H

#include "sim/figure/figure.h"
#include "sim/figure/run/report.h"

/* The name of the figure of better machines, which are only worth a replay for it. */
#define SS_RUN_FIGURE_UPGRADES "what-if"

/* What is drawn of it. */
ss_subject ss_run_subject(const ss_run_report *report);

#endif
