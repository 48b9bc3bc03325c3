/* Turns and rounds of a walk that are like the last one are skipped: what they show is multiplied, not walked through.
 */
#ifndef STEPSIM_MODEL_ESTIMATE_STEADY_STATE_H
#define STEPSIM_MODEL_ESTIMATE_STEADY_STATE_H

#include "model/estimate/walk.h"

/* Before the first of the turns that the walk has come to. */
void ss_steady_start(ss_walk *w);

/* Between two turns: skips those that are like the last one. What a turn shows depends on what was fetched and written
 * before it, seen from its start; when that is the same as a turn earlier, so is all that follows. A data or write
 * stream may also be further behind each time, or less, as long as nothing had to wait for it or found it idle. */
void ss_steady_turns(ss_walk *w);

/* The same between rounds, in which all chunks have their turns with a micro-batch of every stage. */
void ss_steady_rounds(ss_walk *w);

#endif
