/* Pieces that JSON reports have in common. */
#ifndef STEPSIM_SIM_REPORT_JSON_H
#define STEPSIM_SIM_REPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "model/base/error.h"
#include "model/base/statistics.h"
#include "model/result/prediction.h"

/* Adds a member and keeps in `complete` whether all members so far could be added; takes the value over. A number that
 * JSON does not have becomes null. */
void ss_json_add(json_t *object, const char *key, json_t *value, bool *complete);
void ss_json_add_real(json_t *object, const char *key, double value, bool *complete);

/* The same for the next value of an array. */
void ss_json_append(json_t *array, json_t *value, bool *complete);

/* Objects of their own. */
json_t *ss_json_breakdown(const ss_breakdown *breakdown, bool *complete);
json_t *ss_json_memory(const ss_memory *memory, bool *complete);
json_t *ss_json_error_summary(const ss_error_summary *summary, bool *complete);

/* Makes the text of a document, which it takes over; release with free(). SS_ERROR_MEMORY, also when it is not
 * `complete`. */
ss_status ss_json_text(json_t *document, bool complete, char **text, ss_error *error);

/* Writes a document, which it takes over, to `path` ("-" is standard output). SS_ERROR_MEMORY when it is not
 * `complete`, SS_ERROR_OUTPUT. */
ss_status ss_json_write(const char *path, json_t *document, bool complete, ss_error *error);

#endif
