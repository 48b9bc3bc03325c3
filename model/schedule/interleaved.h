/* Interleaved 1F1B (arXiv 2104.04473 section 2.2.2), in the order of Megatron-LM: micro-batches in groups of P, chunk
 * after chunk; warm-up of 2 (P - stage - 1) + (v - 1) P passes, of all when M is P. M is a multiple of P. With v = 1 it
 * is 1F1B, for any M. */
#ifndef STEPSIM_MODEL_SCHEDULE_INTERLEAVED_H
#define STEPSIM_MODEL_SCHEDULE_INTERLEAVED_H

#include "model/schedule/row.h"

extern const ss_schedule ss_interleaved;

#endif
