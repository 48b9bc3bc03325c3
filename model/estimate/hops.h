/* Messages between stages as the closed form charges them. */
#ifndef STEPSIM_MODEL_ESTIMATE_HOPS_H
#define STEPSIM_MODEL_ESTIMATE_HOPS_H

#include "model/plan/job.h"

/* One message. */
typedef struct ss_stage_hop {
  double time_s;
  double slowed_s; /* that kernels of its sender take longer, where it runs beside them */
  double shared_s; /* that passes lose to it on NICs: its sender's, and its receiver's if it comes beside them */
  double nic_s;    /* of its time, moving bytes on NICs, where it may meet others */
} ss_stage_hop;

/* All messages of a job: inside a domain and across domains. With mean messages (ss_cost_traits) both are the mean one,
 * and every pass is charged one. */
typedef struct ss_stage_hops {
  bool mean;
  ss_stage_hop inside[SS_CARGOS], across[SS_CARGOS]; /* by what they carry; 0 where none does */
} ss_stage_hops;

ss_stage_hops ss_stage_hops_of(const ss_job *job);

/* The message from one stage to another, either way; NULL where that is the same, as it takes no time. */
const ss_stage_hop *ss_stage_hop_between(const ss_stage_hops *hops, const ss_job *job, ss_cargo cargo, int64_t from,
                                         int64_t to);

#endif
