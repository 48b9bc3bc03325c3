/* Who waits for a slow part of a machine, as a sentence. */
#ifndef STEPSIM_MODEL_PLAN_BLAME_H
#define STEPSIM_MODEL_PLAN_BLAME_H

#include "model/input/slow_parts.h"
#include "model/plan/job.h"

/* Fills in part->sentence, once its cost is known, or leaves it empty where there is no memory: "GPUs 0-3 wait for GPU
 * 5 (0.85 of its speed): +1.41 s". Those that wait for a GPU are the ranks that it shares layers with (tensor, context
 * and expert parallel), which do in every layer; where there are none the other stages of its copy of the model, else
 * all others. All others wait for these in turn. */
void ss_blame_tell(const ss_job *job, ss_slow_part *part);

/* Writes GPU numbers as people do, "GPUs 1-64, 70" or "GPU 5", of those that are marked in `is_one` [gpus]; long lists
 * end with how many more there are. */
void ss_blame_gpus(const bool *is_one, int64_t gpus, char *text, size_t size);

#endif
