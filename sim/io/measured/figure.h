/* Reading what is published of a run. */
#ifndef STEPSIM_SIM_IO_MEASURED_FIGURE_H
#define STEPSIM_SIM_IO_MEASURED_FIGURE_H

#include "model/measured/measured.h"
#include "sim/io/value.h"
#include "sim/io/xml/document.h"

/* The figure of a point of runs and its time, from its attributes in the order of SS_RUN_FIGURE_LIST: one of them, or
 * interruptions with the days that they are counted in. GPU-hours are the time on one GPU. SS_ERROR_INPUT. */
ss_status ss_measured_figure_read(const ss_document *document, const ss_value values[SS_RUN_FIGURES],
                                  ss_measured_point *point, ss_error *error);

/* Whether that figure is a limit, from its attribute: that of the time is the other way round where more of the figure
 * is less time. SS_ERROR_INPUT. */
ss_status ss_measured_limit_read(const ss_value *value, ss_measured_point *point, ss_error *error);

#endif
