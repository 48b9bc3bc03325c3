/* What a trace of a GPU says of an iteration. */
#ifndef STEPSIM_MODEL_PROFILE_MEASUREMENT_H
#define STEPSIM_MODEL_PROFILE_MEASUREMENT_H

#include "model/plan/job.h"
#include "model/profile/profile.h"
#include "model/profile/rules.h"

/* How the iteration was found in the trace: X(enumerator, "what it is"); all but the first have a number. */
#define SS_FOUND_LIST(X)                                                                                               \
  X(SS_FOUND_ALL, "all of it, as it names no steps and nothing repeats")                                               \
  X(SS_FOUND_REPEAT, "repeat")                                                                                         \
  X(SS_FOUND_STEP, "step")

typedef enum ss_found {
#define SS_FOUND_ID(id, text) id,
  SS_FOUND_LIST(SS_FOUND_ID)
#undef SS_FOUND_ID
} ss_found;

enum { SS_UNKNOWN_KERNELS = 3, SS_UNKNOWN_NAME_SIZE = 96 };

/* Kernels that no rule knows. */
typedef struct ss_unknown_kernel {
  char name[SS_UNKNOWN_NAME_SIZE]; /* its beginning */
  double sum_s;
} ss_unknown_kernel;

typedef struct ss_measurement {
  int64_t rank, world_size; /* -1, 0: the trace does not say */
  int64_t device, devices;  /* that was read, of so many in the file */
  int64_t records;          /* kernels of the whole trace */
  bool by_dependencies;     /* the trace has no times: work starts when what it depends on has ended */
  bool layers_by_range;     /* layers have what was launched, or ran, within their annotations, and no backward that a
                             * thread of autograd launched elsewhere */
  ss_found found;
  int64_t step;                                  /* its number, or that of the repeat; -1: all of it */
  int64_t steps;                                 /* iterations in the trace */
  double shortest_s, median_s, longest_s;        /* of them */
  ss_unknown_kernel unknown[SS_UNKNOWN_KERNELS]; /* the longest ones of the whole trace; the sum is 0 where none is */
  ss_profile profile;
} ss_measurement;

/* How the ranks of a group lie: so many, and so far apart. 0: unknown. */
typedef struct ss_group_shape {
  int64_t size, stride;
} ss_group_shape;

enum { SS_JOB_GROUPS = 8 };

/* The groups of ranks of a job, of two ranks or more. */
typedef struct ss_job_groups {
  int64_t count;
  ss_kernel_class kind[SS_JOB_GROUPS];
  ss_group_shape shape[SS_JOB_GROUPS];
} ss_job_groups;

ss_job_groups ss_job_groups_of(const ss_job *job);

/* The class of a collective whose group nothing but its size and stride tells: that of the only groups of the job that
 * are like that; SS_CLASS_COLLECTIVE where there are none, or of several classes. */
ss_kernel_class ss_job_groups_class(const ss_job_groups *groups, ss_group_shape like);

/* What to look for in a trace. */
typedef struct ss_measurement_request {
  const ss_rules *rules;
  ss_job_groups groups; /* of the job that was measured */
  int64_t step, device; /* -1: the median one, the first one */
} ss_measurement_request;

#endif
