/* One trial of a run. */
#ifndef STEPSIM_SIM_CAMPAIGN_TRIAL_H
#define STEPSIM_SIM_CAMPAIGN_TRIAL_H

#include <stdint.h>

#include "model/base/error.h"
#include "model/run/outages.h"
#include "model/run/whole_run.h"

/* Plays a phase once, with the numbers of a key, and lists its interruptions with what follows until the work goes on;
 * `outages` of NULL: does not. SS_ERROR_MEMORY, without a message. */
ss_status ss_campaign_trial(const ss_whole_run *run, uint64_t key, ss_whole_run_time *time, ss_outages *outages);

#endif
