/* How long the tasks of a job's blocks take: kernels, the collectives beside them, and what each costs the other. */
#ifndef STEPSIM_MODEL_PLAN_TASK_TIME_H
#define STEPSIM_MODEL_PLAN_TASK_TIME_H

#include <stdint.h>

#include "model/plan/job.h"

/* The duration of a task in seconds, scaled (ss_job_scale), with collectives over the slowest group of their kind, on
 * links of their own. */
ss_duration ss_job_task_duration(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task);

/* The same for one piece of its kernel, stretched (ss_job), or for all of it without overlap. */
ss_duration ss_job_kernel_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task);

/* The same for one piece of one of its collectives over `span`. */
ss_comm_time ss_job_call_piece(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task, int64_t call,
                               ss_span span);

/* Whether the host waits for the GPU before it launches a task. */
bool ss_job_waits_at(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task);

/* How the host launches a task, which starts once all of it is launched; of jobs whose host launches kernels. */
ss_launches ss_job_launches(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task);

/* Bytes of the volume of one piece of a collective. */
double ss_task_call_bytes(const ss_task *task, int64_t call);

/* Those of them that the cost model charges over `span`. */
double ss_job_call_bytes(const ss_job *job, const ss_task *task, int64_t call, ss_span span);

/* Those that leave the busiest NVLink port (ss_collective_port_bytes). */
double ss_job_call_port_bytes(const ss_job *job, const ss_task *task, int64_t call, ss_span span);

/* The share of a start-up that one piece of a collective pays, in (0, 1]. */
double ss_task_call_starts(const ss_task *task);

/* How a collective of a task is done over `span`. What runs as the steps of a ring beside its kernel is one, whatever
 * else would be faster. */
ss_method ss_job_call_method(const ss_job *job, const ss_task *task, int64_t call, ss_span span);

/* Nothing; and `a` with `b` behind it. */
ss_turn_time ss_turn_time_none(void);
ss_turn_time ss_turn_time_then(const ss_turn_time *a, const ss_turn_time *b);

/* Fills in job->cuts in the same way. */
void ss_job_cut_blocks(ss_job *job);

/* Fills in job->pass, job->slowed_s and job->links from the tasks of the blocks and the spans of the groups. */
void ss_job_time_blocks(ss_job *job);

#endif
