#include "sim/campaign/campaign.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/random.h"
#include "model/base/statistics.h"
#include "model/run/stalls.h"
#include "sim/campaign/trial.h"

static uint64_t key_of(ss_campaign_part part)
{
  return ss_random_key(ss_random_key((uint64_t)part.seed, (uint64_t)part.trial), (uint64_t)part.phase);
}

/* The trials [trials]; whether there was memory for all of them. */
static bool play_all(const ss_whole_run *run, int64_t phases, int64_t trials, int64_t seed, ss_whole_run_time *time)
{
  bool complete = true;
#pragma omp parallel for schedule(dynamic, 16) reduction(&& : complete)
  for (int64_t trial = 0; trial < trials; ++trial) {
    ss_whole_run_time sum = {0};
    for (int64_t phase = 0; phase < phases; ++phase) {
      ss_whole_run_time one;
      const uint64_t key = key_of((ss_campaign_part){seed, trial, phase});
      complete = ss_campaign_trial(&run[phase], key, &one, NULL) == SS_OK && complete;
      sum = ss_whole_run_time_sum(sum, one);
    }
    time[trial] = sum;
  }
  return complete;
}

static ss_whole_run_time mean_of(const ss_whole_run_time *time, int64_t trials)
{
  const double count = (double)trials;
  ss_whole_run_time mean = {0};
  for (int64_t i = 0; i < trials; ++i) mean = ss_whole_run_time_sum(mean, time[i]);
#define PART_MEAN(field, label, help) mean.field /= count;
  SS_WHOLE_RUN_PART_LIST(PART_MEAN)
#undef PART_MEAN
  mean.total_s /= count;
  mean.interruptions /= count;
  return mean;
}

static ss_quantiles quantiles_of(double *value, int64_t count)
{
#define QUANTILE_TAKE(field, share, label) .field = ss_percentile(value, count, share),
  return (ss_quantiles){SS_QUANTILE_LIST(QUANTILE_TAKE)};
#undef QUANTILE_TAKE
}

static double deviation(const double *value, int64_t count, double mean)
{
  double squares = 0.0;
  for (int64_t i = 0; i < count; ++i) squares += (value[i] - mean) * (value[i] - mean);
  return count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
}

/* What the means of parts are sure to, in `value` [trials] as room. */
static ss_whole_run_time errors_of(const ss_whole_run_time *time, const ss_campaign *campaign, double *value)
{
  const int64_t trials = campaign->trials;
  ss_whole_run_time error = {0};
#define PART_ERROR(field, label, help)                                                                                 \
  for (int64_t i = 0; i < trials; ++i) value[i] = time[i].field;                                                       \
  error.field = deviation(value, trials, campaign->mean.field) / sqrt((double)trials);
  SS_WHOLE_RUN_PART_LIST(PART_ERROR)
#undef PART_ERROR
  return error;
}

static void summarise(const ss_whole_run_time *time, double *total_s, ss_campaign *campaign)
{
  const int64_t trials = campaign->trials;
  campaign->mean = mean_of(time, trials);
  campaign->error = errors_of(time, campaign, total_s);
  for (int64_t i = 0; i < trials; ++i) total_s[i] = time[i].total_s;
  campaign->std_s = deviation(total_s, trials, campaign->mean.total_s);
  campaign->error.total_s = campaign->std_s / sqrt((double)trials);
  campaign->total_s = quantiles_of(total_s, trials);
}

ss_status ss_campaign_play(const ss_whole_run *run, int64_t phases, int64_t trials, int64_t seed, ss_campaign *campaign,
                           ss_error *error)
{
  ss_whole_run_time *time = malloc((size_t)trials * sizeof *time);
  double *total_s = malloc((size_t)trials * sizeof *total_s);
  ss_status status = SS_OK;
  *campaign = (ss_campaign){.trials = trials, .seed = seed};
  if (time != NULL && total_s != NULL && play_all(run, phases, trials, seed, time))
    summarise(time, total_s, campaign);
  else
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld trials", (long long)trials);
  free(time);
  free(total_s);
  return status;
}

ss_status ss_campaign_outages(const ss_whole_run *run, ss_campaign_part part, double *total_s, ss_outages *outages,
                              ss_error *error)
{
  ss_whole_run_time time;
  const ss_status status = ss_campaign_trial(run, key_of(part), &time, outages);
  *total_s = time.total_s;
  if (status == SS_OK) return SS_OK;
  return ss_error_set(error, status, NULL, 0, "out of memory for the interruptions of a trial");
}

ss_simgrid_campaign ss_campaign_of_simgrid(double *simgrid_s, const double *own_s, int64_t trials)
{
  ss_simgrid_campaign campaign = {.trials = trials};
  for (int64_t i = 0; i < trials; ++i) {
    campaign.mean_s += simgrid_s[i] / (double)trials;
    campaign.own_mean_s += own_s[i] / (double)trials;
    campaign.apart_s = fmax(campaign.apart_s, fabs(simgrid_s[i] - own_s[i]));
  }
  campaign.error_s = deviation(simgrid_s, trials, campaign.mean_s) / sqrt((double)trials);
  campaign.total_s = quantiles_of(simgrid_s, trials);
  return campaign;
}

/* The longest of the stalls of all GPUs: none is longer than x with probability exp(-stalls exp(-x / mean)). */
static double longest_stall_s(double stalls, double mean_s, double uniform)
{
  return fmax(0.0, mean_s * log(stalls / -log(uniform)));
}

ss_status ss_campaign_draw_steps(const ss_machine *machine, int64_t gpus, const ss_breakdown *iteration,
                                 ss_campaign *campaign, ss_error *error)
{
  enum { STEPS = 20000 };
  campaign->uneven = ss_machine_has_uneven_iterations(machine);
  if (!campaign->uneven) return SS_OK;
  const ss_log_normal noise = ss_log_normal_of(machine->iteration_noise);
  const double stalls = ss_stalls_of(machine, (double)gpus, iteration);
  double *step = malloc(STEPS * sizeof *step), mean = 0.0;
  if (step == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %d steps", STEPS);
  for (int64_t i = 0; i < STEPS; ++i) {
    const uint64_t key = key_of((ss_campaign_part){campaign->seed, i, -1});
    step[i] = iteration->iteration_s * ss_log_normal_factor(noise, ss_random_normal(key));
    if (stalls > 0.0)
      step[i] += longest_stall_s(stalls, machine->stall_time_s, ss_random_uniform(ss_random_key(key, 1)));
    mean += step[i] / STEPS;
  }
  for (int64_t i = 0; i < STEPS; ++i) step[i] /= mean;
  campaign->step_mean = mean / iteration->iteration_s;
  campaign->step_std = deviation(step, STEPS, 1.0);
  campaign->step = quantiles_of(step, STEPS);
  free(step);
  return SS_OK;
}
