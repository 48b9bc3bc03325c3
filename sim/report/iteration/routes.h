/* Routes that a platform has of its own. */
#ifndef STEPSIM_SIM_REPORT_ITERATION_ROUTES_H
#define STEPSIM_SIM_REPORT_ITERATION_ROUTES_H

#include <jansson.h>
#include <stdio.h>

#include "model/result/prediction.h"

/* Says below the title of a prediction that replays follow them and the closed form does not; nothing without them. */
void ss_routes_print(FILE *stream, const ss_prediction *prediction);

/* The summary as a JSON object: file, entries, pairs, other_pairs, and destinations, an array with level,
 * direction, busiest, most, mean and most_by_rule of links. Clears `complete` without memory. */
json_t *ss_routes_json(const ss_route_summary *routes, bool *complete);

#endif
