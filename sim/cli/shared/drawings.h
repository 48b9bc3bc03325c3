/* The page and the plot that a command draws. */
#ifndef STEPSIM_SIM_CLI_SHARED_DRAWINGS_H
#define STEPSIM_SIM_CLI_SHARED_DRAWINGS_H

#include "sim/figure/figure.h"
#include "sim/options/output_options.h"

/* Whether anything is drawn. */
bool ss_drawings_wanted(const ss_output_options *options);

/* Refuses plots that cannot be drawn, before anything is computed; the report of the subject may be NULL.
 * SS_ERROR_INPUT. */
ss_status ss_drawings_check(const ss_output_options *options, const ss_subject *subject, ss_error *error);

/* Draws what is asked for. Errors as from ss_page_write and ss_plot_write. */
ss_status ss_drawings_write(const ss_output_options *options, const ss_subject *subject, ss_error *error);

#endif
