/* Where the parts of the model lie when they go round the stages: stage s, chunk c is part c P + s. */
#ifndef STEPSIM_MODEL_SCHEDULE_PARTS_H
#define STEPSIM_MODEL_SCHEDULE_PARTS_H

#include "model/schedule/row.h"

/* The layout of one chunk per stage and of interleaved chunks (arXiv 2104.04473 section 2.2). */
extern const ss_part_layout ss_parts_round;

#endif
