/* What the operations of a stage (model/plan/stage_ops.h), which run beside its compute, make that wait. The stage is
 * walked through block by block; what repeats is skipped (model/estimate/steady_state.h). */
#ifndef STEPSIM_MODEL_ESTIMATE_STAGE_EXPOSURE_H
#define STEPSIM_MODEL_ESTIMATE_STAGE_EXPOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/estimate/exposure.h"
#include "model/plan/job.h"

/* Of jobs whose passes do not run in pairs: the exposure that one micro-batch adds on a stage, in the steady state of a
 * long iteration, in seconds. Zero unless something moves in every pass; then `tail_s` is how much further the
 * collectives fall behind. */
ss_exposure ss_stage_exposure_of_micro_batch(const ss_job *job, int64_t stage);

/* Of such jobs, the exposure of a whole iteration, in seconds. The stage runs its order of work without waiting for
 * other stages, a block takes job->pass, and the other streams start `lead_s` before compute. These are a
 * data-parallel, a read and a write stream; each does one thing after the other, in the order of the list. A block is
 * read for when the block ss_reads_ahead ahead of it starts; what it has written itself is not read before that has
 * been written. Writes that are left at the end do not count. */
ss_exposure ss_stage_exposure_of_iteration(const ss_job *job, int64_t stage, double lead_s);

#endif
