/* The documents of the sequences of an iteration, drawn: how much more or less than the average attention computes in
 * each micro-batch. */
#ifndef STEPSIM_SIM_ENGINE_PERTURBATION_DOCUMENT_DRAWS_H
#define STEPSIM_SIM_ENGINE_PERTURBATION_DOCUMENT_DRAWS_H

#include <stdint.h>

#include "model/plan/job.h"

typedef struct ss_document_draws ss_document_draws;

/* Draws every sequence of the global batch by itself, from its seed and number: replica r has the r-th part of them, in
 * order. NULL where micro-batches are alike. SS_ERROR_MEMORY. Destroy in any case. */
ss_status ss_document_draws_create(ss_document_draws **draws, const ss_job *job, uint64_t seed);
void ss_document_draws_destroy(ss_document_draws *draws);

/* What attention computes in a micro-batch of a replica, relative to the mean over all that can be drawn; layers of
 * another window have another factor. */
double ss_document_draws_factor(const ss_document_draws *draws, int64_t replica, int64_t micro_batch,
                                ss_block_kind kind);

#endif
