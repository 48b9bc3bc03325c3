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

/* The parts of that, for stages that wait for one another: they are looked at together. */

/* Notes in a mark what the time after depends on, but for the clock, and whether two such notes are the same but
 * for how far the data and the write stream are behind. */
void ss_walk_mark_take(const ss_walk *walk, ss_walk_mark *mark);
bool ss_walk_mark_is_same(const ss_walk_mark *a, const ss_walk_mark *b, double tolerance_s);

/* How often a stream can come to be `drift_s` further behind before anything is different: it has been busy by
 * `margin_s` whenever that mattered. */
double ss_walk_drifts(double drift_s, double margin_s, double tolerance_s);

/* Turns of this run, or rounds, that the order of work lets be skipped: of those left, what runs ahead has to be in
 * them as well; and the last micro-batch is another matter where it alone is reduced. */
int64_t ss_walk_turns_ahead(const ss_walk *walk);
int64_t ss_walk_rounds_ahead(const ss_walk *walk);

/* Skips so many times the `turns`, or `rounds`, that led from one mark to another. The clock stands still. */
void ss_walk_skip_turns(ss_walk *walk, const ss_walk_mark *before, const ss_walk_mark *now, int64_t times,
                        int64_t turns);
void ss_walk_skip_rounds(ss_walk *walk, const ss_walk_mark *before, const ss_walk_mark *now, int64_t times,
                         int64_t rounds);

/* Takes walk->round_now anew; what it was is walk->round_before. */
void ss_walk_mark_next(ss_walk *walk);

/* Makes all times of a walk later. */
void ss_walk_delay(ss_walk *walk, double by_s);

#endif
