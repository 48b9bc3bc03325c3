/* What every chunk of a job is made of: the part of building a job that knows the order of its blocks. */
#ifndef STEPSIM_MODEL_PLAN_LAYOUT_H
#define STEPSIM_MODEL_PLAN_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"

/* Makes room for layouts of up to so many chunks over all stages, of up to so many copies of the model, and fills in
 * that of a job whose shape is known. SS_ERROR_MEMORY. Release with ss_layout_free, also after an error. */
ss_status ss_layout_init(ss_job *job, int64_t chunks_max, int64_t copies_max);
void ss_layout_free(ss_job *job);

/* Fills it in again, where what it depends on has changed. */
void ss_layout_fill(ss_job *job);

/* The blocks of the whole model, once. */
ss_block_counts ss_layout_count(const ss_job *job);

/* Whether two chunks, given by their slots (ss_job_slot), have the same blocks in the same order. */
bool ss_layout_has_same_blocks(const ss_job *job, int64_t slot, int64_t other);

/* Whether messages between stages, whole on every tensor rank, travel in shares and are gathered where they arrive. */
bool ss_layout_gathers_messages(const ss_workload *workload);

#endif
