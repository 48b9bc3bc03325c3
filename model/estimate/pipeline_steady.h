/* Turns (or rounds of several chunks) in which all stages of a pipeline do what they did before are skipped. */
#ifndef STEPSIM_MODEL_ESTIMATE_PIPELINE_STEADY_H
#define STEPSIM_MODEL_ESTIMATE_PIPELINE_STEADY_H

#include "model/estimate/pipeline.h"

/* When all stages have done `beat` turns (rounds) at least, and have some to do: looks whether they are, seen from the
 * clock of the first one, where they were when they were noted. Then all repeats, and is skipped as long as the orders
 * of work allow. True when something is skipped. Nothing is where activations are offloaded, which come back from long
 * ago, or gradients, which pile up. */
bool ss_pipeline_skip(ss_pipeline_state *pipeline, int64_t beat);

/* Where nothing has been skipped at a beat, stages are noted anew now and then, so that periods of any length are found
 * (R. P. Brent, BIT 20, 1980, finds the cycles of a function so). From then on margins are counted. */
void ss_pipeline_note_beat(ss_pipeline_state *pipeline, int64_t beat);

/* The same at a beat when some stage has nothing left to repeat (ss_pipeline_can_repeat): nothing is skipped, and what
 * is noted then says nothing of the time after. */
void ss_pipeline_pass_beat(ss_pipeline_state *pipeline, int64_t beat);

/* Whether the orders of work of all stages let another beat be like the last one. Where chunks do not take turns in
 * rounds, and it is false, it stays so until a stage comes to other turns, which are no repetition of these. */
bool ss_pipeline_can_repeat(const ss_pipeline_state *pipeline);

/* The parts of that for one stage. */

/* How often it can repeat a lap, by its order of work and its streams. */
int64_t ss_pipeline_repeats(const ss_pipeline_state *pipeline, const ss_walk *walk, const ss_lap *lap);

/* Skips so many repetitions of a lap. */
void ss_pipeline_repeat(const ss_pipeline_state *pipeline, ss_piped_stage *stage, const ss_lap *lap, int64_t times);

#endif
