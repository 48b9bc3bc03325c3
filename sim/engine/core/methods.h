/* How collectives are done: the list of those that a group or data parallelism uses, and which one a collective takes.
 */
#ifndef STEPSIM_SIM_ENGINE_CORE_METHODS_H
#define STEPSIM_SIM_ENGINE_CORE_METHODS_H

#include <stdint.h>

#include "model/plan/job.h"

/* The methods of one group, or of data parallelism. Dispatches are told apart by the experts of their layers; a group
 * that has them has no other collectives, so that there is room for those of all kinds. */
typedef struct ss_method_list {
  int64_t count;
  ss_method method[SS_METHOD_COUNT];
  ss_top_k top_k[SS_METHOD_COUNT];
} ss_method_list;

/* Adds a method unless it is there. */
void ss_method_list_add(ss_method_list *list, ss_method method, ss_top_k top_k);

/* The index of a method in a list; it has to be there. */
int64_t ss_method_list_find(const ss_method_list *list, ss_method method, ss_top_k top_k);

/* How a collective of a layer is done: the `call`-th of a task. */
ss_method ss_method_of_call(const ss_job *job, const ss_task *task, int64_t call);

/* How a data-parallel collective of a stage is done. */
ss_method ss_method_of_data(const ss_job *job, int64_t stage, ss_collective kind, ss_data_group group,
                            double volume_bytes);

/* How the first and the last stage add up the gradient of the table that they share. */
ss_method ss_method_of_tie(const ss_job *job);

#endif
