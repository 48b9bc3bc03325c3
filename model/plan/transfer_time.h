/* How long stages and replicas of a job take to exchange what they have, each on links that it shares with its like:
 * data-parallel collectives, messages between stages, and the gradient of a table that stages share. */
#ifndef STEPSIM_MODEL_PLAN_TRANSFER_TIME_H
#define STEPSIM_MODEL_PLAN_TRANSFER_TIME_H

#include <stdbool.h>

#include "model/plan/job.h"
#include "model/plan/stage_ops.h"

/* Start-up and transfer of a data-parallel collective over `span`, of `volume_bytes` in all. */
ss_comm_time ss_job_data_time(const ss_job *job, ss_collective kind, ss_span span, double volume_bytes);

/* What the operation takes that was looked at last, of one stage, start and group: start and group decide the
 * collective, and blocks that follow one another mostly have the same volume. Zeroed, none. */
typedef struct ss_op_time {
  bool known;
  double volume_bytes, time_s;
  double nic_s, flow_s; /* of that, moving bytes between domains, and divided by its flows behind the fullest NIC */
  double nvlink_takes_s, nvlink_yields_s; /* that a collective beside it which fills NVLink loses, and that it loses */
} ss_op_time;

/* Works out what a data-parallel operation of a stage takes. */
ss_op_time ss_job_op_time(const ss_job *job, int64_t stage, const ss_stage_op *op);

/* The same, kept in `last`, which is of the same stage, start and group. */
static inline const ss_op_time *ss_op_time_of(ss_op_time *last, const ss_job *job, int64_t stage, const ss_stage_op *op)
{
  if (!last->known || last->volume_bytes != op->volume_bytes) *last = ss_job_op_time(job, stage, op);
  return last;
}

/* Start-up and transfer of a message between two stages, inside a domain or across, on links of its own. */
ss_comm_time ss_job_message_time(const ss_job *job, bool across_domains, ss_cargo cargo);

/* Seconds of such a message beside those that other ranks of its stage send through the same NIC; of a mean one where
 * the cost model has those (arXiv 2410.00273). */
double ss_job_hop_s(const ss_job *job, bool across_domains, ss_cargo cargo);

/* Of one across domains, how long NICs move its bytes. */
double ss_job_hop_nic_s(const ss_job *job, ss_cargo cargo);

/* How the ranks that add up the gradient of a shared table lie over domains, those of the slowest exchange. */
ss_span ss_job_tied_span(const ss_job *job);

/* Start-up and transfer of the all-reduce of tied_bytes over `span`. */
ss_comm_time ss_job_tied_time(const ss_job *job, ss_span span);

#endif
