/* Works a job out: its placement, the blocks of its chunks, its groups, and what follows from them. */
#ifndef STEPSIM_MODEL_PLAN_JOB_SETUP_H
#define STEPSIM_MODEL_PLAN_JOB_SETUP_H

#include "model/base/error.h"
#include "model/plan/job.h"

/* Works a job out. Workload, machine and rank file are borrowed. SS_ERROR_INPUT when they do not fit together,
 * SS_ERROR_MEMORY. Release with ss_job_free, which is safe after an error, too. */
ss_status ss_job_init(ss_job *job, const ss_workload *workload, const ss_machine *machine, ss_job_options options,
                      ss_error *error);

/* Has all kernels of a job, but not one that is estimate_only, take so many times as long as before. Of what the job
 * owns nothing changes, so that it may be a copy which borrows that. */
void ss_job_stretch_kernels(ss_job *job, double factor);

/* The same with collectives of layers that share NICs with no others, which is for links to show. */
void ss_job_leave_nics(ss_job *job);

/* Releases what a job owns. Safe for a zeroed job. */
void ss_job_free(ss_job *job);

/* Works a job that is estimate_only out again, for what its workload says now - of the same model, not refused - and
 * another split of a domain (NULL: the workload's): as ss_job_init does, but faster. Errors as from there; the job can
 * then only be freed. */
ss_status ss_job_update(ss_job *job, const ss_coordinates *inside, ss_error *error);

/* The same where nothing but the split has changed. */
ss_status ss_job_move(ss_job *job, const ss_coordinates *inside, ss_error *error);

#endif
