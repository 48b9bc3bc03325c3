/* Beats in which every stage of a pipeline goes on at a pace of its own are skipped. */
#ifndef STEPSIM_MODEL_ESTIMATE_PIPELINE_DRIFT_H
#define STEPSIM_MODEL_ESTIMATE_PIPELINE_DRIFT_H

#include "model/estimate/pipeline.h"

/* When all stages have done another beat, and have some to do: looks whether every time on which the time after depends
 * has grown as much as in the beat before, though stages may differ, as where those before a slow one run ahead of it.
 * What a stage waits for is then the later of two times that grow by different amounts: until the other one is later,
 * every beat is like the last (F. Baccelli et al., Synchronization and Linearity, 1992, chapter 3: a max-plus linear
 * system whose stages have cycle times of their own). Skips those; true when there are some. Where nothing moves beside
 * the passes, a stage may wait longer for one message with each beat, and as much shorter for another. Offloaded
 * activations and gradients are not skipped, as in ss_pipeline_skip. */
bool ss_pipeline_skip_drift(ss_pipeline_state *pipeline, int64_t beat);

/* The same at a beat that no other can be like (ss_pipeline_can_repeat). */
void ss_pipeline_pass_drift(ss_pipeline_state *pipeline);

#endif
