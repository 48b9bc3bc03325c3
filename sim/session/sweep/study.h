/* A sweep: inputs, what is varied, and what the points come to. */
#ifndef STEPSIM_SIM_SESSION_SWEEP_STUDY_H
#define STEPSIM_SIM_SESSION_SWEEP_STUDY_H

#include "sim/report/report.h"
#include "sim/session/result_cache.h"
#include "sim/session/sweep/point.h"

typedef struct ss_study {
  const ss_options *options;
  ss_session base; /* inputs, with what --set changes; begun by the caller */
  ss_sweep sweep;
  ss_point_plan plan;
} ss_study;

/* Reads the axes of a study whose inputs have begun, and refuses what is wrong at every point. It must stay where it
 * is, like the options; close it in any case. Errors as from ss_sweep_init and ss_point_check. */
ss_status ss_study_prepare(ss_study *study, const ss_options *options, ss_error *error);
void ss_study_close(ss_study *study);

/* Works all points out, on all cores, those that are kept aside, and finds where the time turns. Errors as from
 * ss_crew_run. */
ss_status ss_study_run(ss_study *study, ss_result_cache *cache, ss_error *error);

/* What is said of it, in lines of any length. All is borrowed. */
ss_sweep_report ss_study_report(const ss_study *study);

#endif
