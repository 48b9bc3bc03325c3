/* When a run does not work since something of it broke. */
#ifndef STEPSIM_MODEL_RUN_OUTAGES_H
#define STEPSIM_MODEL_RUN_OUTAGES_H

#include <stdbool.h>
#include <stdint.h>

/* From an interruption until the work goes on from the last checkpoint that was written. */
typedef struct ss_outage {
  double off_s, on_s;
} ss_outage;

/* In the order of time; zeroed is none. */
typedef struct ss_outages {
  ss_outage *item; /* [count] owned */
  int64_t count, room;
} ss_outages;

/* False where there is no memory for it. */
bool ss_outages_add(ss_outages *outages, ss_outage outage);

/* Releases them. */
void ss_outages_free(ss_outages *outages);

#endif
