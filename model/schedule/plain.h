/* Methods of a row for a schedule that does nothing special: micro-batches in any number, gaps that nothing fills. */
#ifndef STEPSIM_MODEL_SCHEDULE_PLAIN_H
#define STEPSIM_MODEL_SCHEDULE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/schedule/row.h"

/* Takes any number of micro-batches. */
bool ss_plain_takes(const ss_pipeline_shape *shape);

/* Forward and backward of one chunk: (f + b) / v, arXiv 2104.04473 section 2.2. */
double ss_plain_fill_s(const ss_pipeline_shape *shape, const double *pass_s);

/* All of `after_s`: the stage has nothing to do meanwhile. */
double ss_plain_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double *pass_s, double after_s);

#endif
