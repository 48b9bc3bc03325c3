/* Cables of the fabric that carry something of a job, in groups that carry about the same. */
#ifndef STEPSIM_SIM_SESSION_PLAN_CARRIERS_H
#define STEPSIM_SIM_SESSION_PLAN_CARRIERS_H

#include "model/fabric/fabric.h"
#include "model/fabric/slow_links.h"
#include "model/plan/job.h"
#include "model/result/history.h"
#include "model/run/slow.h"

/* Cables of a level, those between the same two ends as one. */
typedef struct ss_carrier_group {
  int level;        /* of ss_fabric_parts */
  int64_t link;     /* of the one that stands for them */
  double bundles;   /* how many they are */
  int64_t from, to; /* NICs whose route crosses the link; by routes only */
} ss_carrier_group;

typedef struct ss_carriers {
  ss_carrier_group group[SS_FABRIC_LEVELS]; /* [count] level by level */
  int count;
} ss_carriers;

/* The groups of what links carried in a replay. On each level the direction counts in which more links carried
 * something. Groups are SS_SLOW_ROLES at most, or one on each of many levels; the link in the middle of each, by what
 * it carried, stands for the others. SS_ERROR_MEMORY. */
ss_status ss_carriers_of_history(const ss_fabric *fabric, const ss_history *history, ss_carriers *carriers,
                                 ss_error *error);

/* A group for each level that a route from the first NIC of a job to another one crosses, of the share of its cables
 * that the GPUs of the job are of the machine's. */
void ss_carriers_of_routes(const ss_fabric *fabric, const ss_job *job, ss_carriers *carriers);

/* Whether there is a way between the two NICs of a group without these links. SS_ERROR_MEMORY. */
ss_status ss_carriers_have_other_way(const ss_machine *machine, const ss_carrier_group *group, ss_slow_links *links,
                                     bool *other_way, ss_error *error);

#endif
