/* What will happen at some time, the soonest first. */
#ifndef STEPSIM_SIM_CAMPAIGN_DUE_H
#define STEPSIM_SIM_CAMPAIGN_DUE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ss_due {
  double *at_s; /* [count] a heap; owned */
  int64_t count, room;
} ss_due;

/* False where there is no memory for it. */
bool ss_due_add(ss_due *due, double at_s);

/* When the soonest is; infinite where there is none. */
double ss_due_first_s(const ss_due *due);

/* Drops the soonest; there is one. */
void ss_due_drop(ss_due *due);

/* Releases it; zeroed is fine. */
void ss_due_free(ss_due *due);

#endif
