/* Figures of what a search has found. */
#ifndef STEPSIM_SIM_FIGURE_SEARCH_SEARCH_H
#define STEPSIM_SIM_FIGURE_SEARCH_SEARCH_H

#include "sim/figure/figure.h"
#include "sim/report/report.h"

/* What is drawn of a search; the report is borrowed. */
ss_subject ss_search_subject(const ss_search_report *report);

#endif
