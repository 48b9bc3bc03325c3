/* How busy the ports of the GPUs are: a step function per port, one value per point in time. A port whose load changes
 * more often than once in an interval is written at whole intervals, with its mean since it was written last. */
#ifndef STEPSIM_SIM_REPORT_TIMELINES_UTILISATION_H
#define STEPSIM_SIM_REPORT_TIMELINES_UTILISATION_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/report/timelines/format.h"
#include "sim/report/timelines/reorder.h"

typedef struct ss_gauge {
  double fraction;  /* of the capacity, sum over the flows */
  double since_s;   /* when that began */
  double written;   /* what the file says */
  double written_s; /* since when */
  double area_s;    /* of the fraction from then to since_s */
  int32_t flows;
  bool changed, late; /* listed in `changed` or `late` below */
} ss_gauge;

typedef struct ss_utilisation {
  ss_gauge *gauges; /* [ranks * SS_PORT_COUNT] */
  int64_t *changed; /* [changes] gauges that changed at `time_s` and are not written yet */
  int64_t changes;
  double time_s;
  int64_t *late; /* [lates] gauges that wait for the next whole interval */
  int64_t lates;
  double interval_s; /* 0: every change is written */
  double next_s;     /* the whole interval that late gauges wait for */
} ss_utilisation;

/* All ports idle; false when there is no memory. A zeroed value may be freed. */
bool ss_utilisation_init(ss_utilisation *utilisation, int64_t ranks, double interval_s);
void ss_utilisation_free(ss_utilisation *utilisation);

/* Applies a change; those of earlier times must be settled. */
void ss_utilisation_change(ss_utilisation *utilisation, const ss_link_sample *load, double time_s);

/* Writes the changes of times before `time_s`: what ends and begins at one time gives one value, not a dip. */
void ss_utilisation_settle(ss_utilisation *utilisation, double time_s, const ss_trace_format *format, ss_trace *trace);

/* Writes what is left at the end of the trace. */
void ss_utilisation_finish(ss_utilisation *utilisation, double end_s, const ss_trace_format *format, ss_trace *trace);

#endif
