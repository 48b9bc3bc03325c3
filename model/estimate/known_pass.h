/* Passes beside which nothing but data-parallel collectives moves, and which no host launches. */
#ifndef STEPSIM_MODEL_ESTIMATE_KNOWN_PASS_H
#define STEPSIM_MODEL_ESTIMATE_KNOWN_PASS_H

#include "model/estimate/walk.h"

/* Runs a pass of a way, with or without the reductions behind its blocks. Where the data stream is as it was, seen from
 * the compute stream, when a pass of the same way was last worked out, it takes what that took; what is there already
 * does not matter. */
void ss_known_pass_run(ss_walk *walk, const ss_way *way, bool reducing);

#endif
