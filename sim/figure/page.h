/* Pages: all figures of a command, its main numbers and its data in one file that needs no other. */
#ifndef STEPSIM_SIM_FIGURE_PAGE_H
#define STEPSIM_SIM_FIGURE_PAGE_H

#include "sim/figure/figure.h"

/* Writes a page to `path`, which appears when it is complete. SS_ERROR_MEMORY, SS_ERROR_OUTPUT. */
ss_status ss_page_write(const char *path, const ss_subject *subject, ss_error *error);

#endif
