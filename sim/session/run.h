/* One iteration, predicted: the closed form and the replays that `run` makes. */
#ifndef STEPSIM_SIM_SESSION_RUN_H
#define STEPSIM_SIM_SESSION_RUN_H

#include "model/result/history.h"
#include "model/result/link_writer.h"
#include "model/result/timeline.h"
#include "sim/session/co_scheduled_job.h"
#include "sim/session/trials.h"

typedef struct ss_run {
  ss_session session;
  ss_co_scheduled_job co_scheduled;
  const ss_job *co_scheduled_job; /* or NULL */
  ss_variants variants;
  ss_route_summary routes; /* where the platform has its own */
  ss_prediction prediction;
} ss_run;

/* Writers that the first replay feeds; borrowed. */
typedef struct ss_run_writers {
  ss_timeline *timelines; /* [timeline_count] */
  int64_t timeline_count;
  ss_link_writer *links; /* or NULL */
  ss_history *history;   /* filled in; or NULL */
  bool upgrades;         /* better machines are replayed, too, where that does not take long */
} ss_run_writers;

/* Works out the session, which has begun, and the closed form. Refuses what the options ask of replays where it makes
 * no sense. The run must stay where it is; release it in any case. Errors as from ss_session_complete. */
ss_status ss_run_open(ss_run *run, const ss_options *options, ss_error *error);
void ss_run_close(ss_run *run);

/* Replays it: the first process of a job has the first replay to itself, all share the others. Errors as from ss_replay
 * and ss_crew_run. */
ss_status ss_run_simulate(ss_run *run, const ss_options *options, const ss_run_writers *writers, ss_error *error);

#endif
