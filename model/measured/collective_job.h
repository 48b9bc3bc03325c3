/* A job that consists of one collective, so that closed form and replay can predict the time of the collective. */
#ifndef STEPSIM_MODEL_MEASURED_COLLECTIVE_JOB_H
#define STEPSIM_MODEL_MEASURED_COLLECTIVE_JOB_H

#include "model/input/workload.h"
#include "model/plan/job.h"

typedef struct ss_collective_case {
  ss_collective kind; /* one that is measured by itself (SS_MEASURED_OP_LIST) */
  int64_t nodes, gpus_per_node;
  double volume_bytes; /* as ss_collective_time has it */
} ss_collective_case;

/* The job with everything it refers to. It points into itself: do not move it. */
typedef struct ss_collective_job {
  ss_collective_case collective;
  ss_workload workload;
  ss_job job;
  int32_t *ranks; /* owned */
} ss_collective_job;

/* Makes the job: data parallelism over the first GPUs of the first domains, whose only message is the collective; the
 * dp_comm_s that its replay exposes is what that takes. The machine is borrowed. SS_ERROR_INPUT if the machine is too
 * small, has smaller domains, or the kind is another one; SS_ERROR_MEMORY. Release with ss_collective_job_free in any
 * case. */
ss_status ss_collective_job_init(ss_collective_job *single, const ss_collective_case *collective,
                                 const ss_machine *machine, ss_cost cost, ss_error *error);

/* Releases the job; zeroed is fine. */
void ss_collective_job_free(ss_collective_job *single);

/* The closed form of the collective, in seconds. */
double ss_collective_job_estimate_s(const ss_collective_job *single);

#endif
