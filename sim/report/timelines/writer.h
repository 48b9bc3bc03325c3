/* What tests may look at inside a timeline that ss_timeline_create filled. */
#ifndef STEPSIM_SIM_REPORT_TIMELINES_WRITER_H
#define STEPSIM_SIM_REPORT_TIMELINES_WRITER_H

#include <stdint.h>

#include "model/result/timeline.h"

/* The most events that were ever held back to be put in order; what the memory of a writer depends on. */
int64_t ss_timeline_peak_events(const ss_timeline *timeline);

#endif
