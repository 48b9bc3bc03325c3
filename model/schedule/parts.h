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

/* Two copies of the model, one down the stages, the other up: stage s has parts s and P - 1 - s, first that of the copy
 * that begins on its half of the pipeline (DualPipe, arXiv 2412.19437 section 3.2.1). Takes an even P. */
extern const ss_part_layout ss_parts_both_ways;

#endif
