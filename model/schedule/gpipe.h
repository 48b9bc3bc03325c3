/* GPipe (arXiv 1811.06965): all forward passes, then all backward passes, in order. */
#ifndef STEPSIM_MODEL_SCHEDULE_GPIPE_H
#define STEPSIM_MODEL_SCHEDULE_GPIPE_H

#include <stdint.h>

#include "model/schedule/row.h"

extern const ss_schedule ss_gpipe;

/* How deep a stage goes that runs all forward passes first (`depth` of a row). */
ss_in_flight ss_gpipe_depth(const ss_pipeline_shape *shape, int64_t stage);

#endif
