/* Pipelines of 1F1B whose waits have a formula that is exact: nothing but messages moves between the passes of a stage,
 * and these it sends itself. */
#ifndef STEPSIM_MODEL_ESTIMATE_PLAIN_PIPELINE_H
#define STEPSIM_MODEL_ESTIMATE_PLAIN_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/estimate/exposure.h"
#include "model/estimate/stage_times.h"
#include "model/plan/job.h"

/* Whether a job is one: several stages of one chunk each in the order of 1F1B, whose messages go between passes, whose
 * passes are launched at once and do not run in pairs, and which gather and reduce only at both ends of an iteration.
 */
bool ss_plain_pipeline_is(const ss_job *job);

/* The longest of some chains of passes, each of which waits for the one before, in seconds: no such pipeline is done
 * earlier. The passes of a stage take the on_s of its time. A stage t with the turn T_t, n = P - 1 - t stages after it
 * and M micro-batches has a chain that goes down to it, to the end and back with the first micro-batch, then through
 * its turns, and with the last micro-batch to the end and back to the first stage: of M T_t + sum_{s<t} T_s +
 * 2 sum_{s>t} T_s - n T_t seconds; with M < n + 2, it can go to the end only once. */
double ss_plain_pipeline_least_s(const ss_job *job, const ss_stage_runs *runs);

/* The courses of the first stage of each run, `course` [runs->count]; those of runs like the one before are left out.
 * The first pass of a stage may wait for its weights, and its last one runs beside its reductions: each is gone through
 * by itself, as what it takes longer is part of the longest chain. False where other chains could be longer than those
 * of ss_plain_pipeline_least_s: where some stage has more to do in its warm-up than its first micro-batch behind it,
 * n max_{r<=s} f_r > sum_{r>s} T_r, or the same with its backward passes at the end. Aborts when memory is out. */
bool ss_plain_pipeline_courses(const ss_job *job, const ss_stage_runs *runs, ss_course *course);

#endif
