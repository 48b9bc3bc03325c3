/* What the columns need to know of a sweep. */
#ifndef STEPSIM_SIM_REPORT_SWEEP_LISTING_H
#define STEPSIM_SIM_REPORT_SWEEP_LISTING_H

#include <jansson.h>

#include "sim/report/report.h"
#include "sim/report/strategies/listing.h"

/* The listing, with the unit of its times and the parts and strategies that its text shows. */
ss_listing ss_sweep_listing(const ss_sweep_report *report);

/* The line of a point, without a strategy where the point is refused. */
ss_line ss_sweep_line(const ss_listing *listing, const ss_sweep_point *point);

/* The point with the least of the objective, which is time where nobody says, by its replay where there is one: of
 * those that fit, or else of all; -1 where all are refused. `first`: with this value of the first axis only, unless it
 * is -1. */
int64_t ss_sweep_best_point(const ss_sweep_report *report, int64_t first);

/* What that point is called: "The fastest", "The cheapest"; static text. */
const char *ss_sweep_best_name(const ss_sweep_report *report);

/* What the platforms of the points say of their constants, as ss_calibration_tell; and as a JSON array with an object
 * of each. Points that are refused do not count. */
void ss_sweep_tell_calibration(FILE *stream, const ss_sweep *sweep, void (*tell)(FILE *stream, const char *sentence));
json_t *ss_sweep_calibration_json(const ss_sweep *sweep, bool *complete);

#endif
