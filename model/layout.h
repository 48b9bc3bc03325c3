/* What every chunk of a job is made of: the part of building a job that knows the order of its blocks. */
#ifndef STEPSIM_MODEL_LAYOUT_H
#define STEPSIM_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"

/* Makes room for the layout of a job whose workload and shape are known, and fills it in. SS_ERROR_MEMORY. Release with
 * ss_layout_free, also after an error. */
ss_status ss_layout_init(ss_job *job);
void ss_layout_free(ss_job *job);

/* Fills it in, again when has_ends has changed. */
void ss_layout_fill(ss_job *job);

/* How often each kind of block occurs in the whole model. */
void ss_layout_count(const ss_job *job, int64_t count[SS_BLOCK_COUNT]);

/* Whether messages between stages, whole on every tensor rank, travel in shares and are gathered where they arrive. */
bool ss_layout_gathers_messages(const ss_workload *workload);

#endif
