/* What reports say of platforms whose constants are not fitted. */
#ifndef STEPSIM_SIM_REPORT_CALIBRATION_H
#define STEPSIM_SIM_REPORT_CALIBRATION_H

#include <jansson.h>
#include <stdio.h>

#include "model/input/calibration.h"

/* A platform and what it says of its constants. The name is borrowed. */
typedef struct ss_calibrated {
  const char *platform;
  ss_calibration calibration;
} ss_calibrated;

/* Adds a platform to a list, which has room for it, unless it is there already. Returns the new count. */
int64_t ss_calibrated_add(ss_calibrated *list, int64_t count, const char *platform, const ss_calibration *calibration);

/* Has `tell` write a sentence about those that are not fitted in the same way, with whose idealised machines they are
 * and what that has meant elsewhere, and one more if others are fitted. Nothing if all are fitted. `list` [count], each
 * once */
void ss_calibration_tell(FILE *stream, const ss_calibrated *list, int64_t count,
                         void (*tell)(FILE *stream, const char *sentence));

/* Tells it as lines of text; and writes one of them. */
void ss_calibration_print(FILE *stream, const ss_calibrated *list, int64_t count);
void ss_calibration_print_sentence(FILE *stream, const char *sentence);

/* The same of one platform as a JSON object: kernels ("fitted", "given" or "default"), collective_starts, fitted_to (or
 * null), idealised (or null), and, if it is not fitted, the errors of others by GPU. */
json_t *ss_calibration_json(const ss_calibration *calibration, bool *complete);

#endif
