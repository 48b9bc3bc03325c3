/* How large a model is. */
#ifndef STEPSIM_MODEL_ESTIMATE_MODEL_SIZE_H
#define STEPSIM_MODEL_ESTIMATE_MODEL_SIZE_H

#include "model/base/error.h"
#include "model/input/machine.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Parameters: all, with embedding and output layer, and those that a token goes through: of experts its top-k. */
typedef struct ss_model_size {
  double parameters, active;
} ss_model_size;

/* Counts those of a model as one GPU would have it. SS_ERROR_MEMORY. */
ss_status ss_model_size_of(const ss_workload *workload, const ss_machine *machine, ss_model_size *size,
                           ss_error *error);

#endif
