/* The numbers of a record by key. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_RECORD_VALUE_H
#define STEPSIM_SIM_REPORT_STRATEGIES_RECORD_VALUE_H

#include "model/result/record.h"

/* The number with this key: a field of the record, or else a member of its first strategy, which is kept as JSON. NaN
 * where it has none. */
double ss_record_value(const ss_record *record, const char *key);

#endif
