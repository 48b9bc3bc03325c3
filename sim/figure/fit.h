/* Figures of a fit. */
#ifndef STEPSIM_SIM_FIGURE_FIT_H
#define STEPSIM_SIM_FIGURE_FIT_H

#include "sim/figure/figure.h"
#include "sim/report/report.h"

/* What is drawn of a fit; the report is borrowed. */
ss_subject ss_fit_subject(const ss_fit_report *report);

#endif
