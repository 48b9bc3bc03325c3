/* Where the parts of the model lie. */
#ifndef STEPSIM_MODEL_SCHEDULE_PARTS_H
#define STEPSIM_MODEL_SCHEDULE_PARTS_H

#include "model/schedule/row.h"

/* Round the stages: stage s, chunk c is part c P + s. The layout of one chunk per stage and of interleaved chunks
 * (arXiv 2104.04473 section 2.2). */
extern const ss_part_layout ss_parts_round;

/* Down the stages with the first chunk and back up with the second: stage s has parts s and 2 P - 1 - s (arXiv
 * 2405.15362 section 3). */
extern const ss_part_layout ss_parts_v;

#endif
