/* Runs played event by event: what breaks when, by chance, many times. */
#ifndef STEPSIM_SIM_CAMPAIGN_CAMPAIGN_H
#define STEPSIM_SIM_CAMPAIGN_CAMPAIGN_H

#include "model/base/error.h"
#include "model/input/machine.h"
#include "model/run/campaign.h"
#include "model/run/outages.h"

/* Plays the phases of a run [phases] one after the other, `trials` times, from a seed. The result is the same on any
 * number of threads: a trial draws from numbers of its own. SS_ERROR_MEMORY. */
ss_status ss_campaign_play(const ss_whole_run *run, int64_t phases, int64_t trials, int64_t seed, ss_campaign *campaign,
                           ss_error *error);

/* A phase of a trial, both from 0 on. */
typedef struct ss_campaign_part {
  int64_t seed, trial, phase;
} ss_campaign_part;

/* Plays one alone of which `run` is the phase: how long it takes, and when it stands. `outages` is the caller's to free
 * in any case. SS_ERROR_MEMORY. */
ss_status ss_campaign_outages(const ss_whole_run *run, ss_campaign_part part, double *total_s, ss_outages *outages,
                              ss_error *error);

/* What trials on SimGrid came to that took simgrid_s [trials] there and own_s [trials] here. Sorts them. */
ss_simgrid_campaign ss_campaign_of_simgrid(double *simgrid_s, const double *own_s, int64_t trials);

/* Draws steps of a job on so many GPUs, from an iteration that has neither: a factor of iteration-noise, and all wait
 * for the longest stall, of the stalls that GPUs have at stall-rate. Nothing where steps of the machine are alike.
 * SS_ERROR_MEMORY. */
ss_status ss_campaign_draw_steps(const ss_machine *machine, int64_t gpus, const ss_breakdown *iteration,
                                 ss_campaign *campaign, ss_error *error);

#endif
