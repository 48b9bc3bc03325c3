/* Zero bubble (arXiv 2401.10241 section 3): backward is split, and weight passes fill the gaps. P - stage (ZB-H1) or
 * 2 (P - stage) - 1 (ZB-H2) forward passes, then one backward and one forward in turn. A weight pass follows a backward
 * pass when P (H1) or 2 P - 1 (H2) micro-batches are held. */
#ifndef STEPSIM_MODEL_SCHEDULE_ZERO_BUBBLE_H
#define STEPSIM_MODEL_SCHEDULE_ZERO_BUBBLE_H

#include "model/schedule/row.h"

extern const ss_schedule ss_zero_bubble_1, ss_zero_bubble_2;

#endif
