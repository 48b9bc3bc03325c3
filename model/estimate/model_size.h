/* How large a model is. */
#ifndef STEPSIM_MODEL_ESTIMATE_MODEL_SIZE_H
#define STEPSIM_MODEL_ESTIMATE_MODEL_SIZE_H

#include "model/base/error.h"
#include "model/input/machine.h"
#include "model/plan/job.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Parameters: all, with embedding and output layer, those that a token goes through, of experts its top-k, and those
 * that are trained. */
typedef struct ss_model_size {
  double parameters, active, trained;
} ss_model_size;

/* Counts those of a model as one GPU would have it. SS_ERROR_MEMORY. */
ss_status ss_model_size_of(const ss_workload *workload, const ss_machine *machine, ss_model_size *size,
                           ss_error *error);

/* The same of the model of a job, which may have it already; zero without memory. */
ss_model_size ss_model_size_of_job(const ss_job *job);

#endif
