/* Runs played event by event: what breaks when, by chance, many times. */
#ifndef STEPSIM_SIM_CAMPAIGN_CAMPAIGN_H
#define STEPSIM_SIM_CAMPAIGN_CAMPAIGN_H

#include "model/base/error.h"
#include "model/input/machine.h"
#include "model/run/campaign.h"

/* Plays the phases of a run [phases] one after the other, `trials` times, from a seed. The result is the same on any
 * number of threads: a trial draws from numbers of its own. SS_ERROR_MEMORY. */
ss_status ss_campaign_play(const ss_whole_run *run, int64_t phases, int64_t trials, int64_t seed, ss_campaign *campaign,
                           ss_error *error);

/* Draws steps of a job on so many GPUs, from an iteration that has neither: a factor of iteration-noise, and all wait
 * for the longest stall, of the stalls that GPUs have at stall-rate. Nothing where steps of the machine are alike.
 * SS_ERROR_MEMORY. */
ss_status ss_campaign_draw_steps(const ss_machine *machine, int64_t gpus, const ss_breakdown *iteration,
                                 ss_campaign *campaign, ss_error *error);

#endif
