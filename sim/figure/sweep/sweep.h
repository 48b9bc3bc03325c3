/* Figures of a sweep. */
#ifndef STEPSIM_SIM_FIGURE_SWEEP_SWEEP_H
#define STEPSIM_SIM_FIGURE_SWEEP_SWEEP_H

#include "sim/figure/figure.h"
#include "sim/report/report.h"

/* What is drawn of a sweep; the report is borrowed. */
ss_subject ss_sweep_subject(const ss_sweep_report *report);

#endif
