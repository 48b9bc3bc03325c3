/* Turns (or rounds of several chunks) in which all stages of a pipeline do what they did before are skipped. */
#ifndef STEPSIM_MODEL_ESTIMATE_PIPELINE_STEADY_H
#define STEPSIM_MODEL_ESTIMATE_PIPELINE_STEADY_H

#include "model/estimate/pipeline.h"

/* When all stages have done `beat` turns (rounds) at least, and have some to do: looks whether they are, seen from the
 * clock of the first one, where they were when they were noted. Then all repeats, and is skipped as long as the orders
 * of work allow. They are noted anew now and then, so that periods of any length are found (R. P. Brent, BIT 20, 1980,
 * finds the cycles of a function so). Offloaded activations are not skipped: they come back from long ago. */
void ss_pipeline_skip(ss_pipeline_state *pipeline, int64_t beat);

#endif
