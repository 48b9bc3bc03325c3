/* All stages of a pipeline on their way through an iteration, each with its streams (model/estimate/walk.h), and the
 * messages between them. */
#ifndef STEPSIM_MODEL_ESTIMATE_PIPELINE_WALK_H
#define STEPSIM_MODEL_ESTIMATE_PIPELINE_WALK_H

#include "model/estimate/exposure.h"
#include "model/plan/job.h"

/* The courses of all stages, `course` [stages]. Every stage goes through its order of work; a pass starts when the one
 * before has been sent on and its own message is there, so that a wait for other stages hides what is gathered and
 * reduced meanwhile. That is what a replay does where nobody shares links, but for kernels that messages slow down:
 * here those of the sender, by what all of a message costs. Turns (or rounds, with several chunks) in which all stages
 * do what they did before are skipped. Aborts when memory is out, as a search could not go on. */
void ss_pipeline_walk(const ss_job *job, ss_course *course);

#endif
