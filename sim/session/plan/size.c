#include "sim/session/plan/size.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "model/run/price.h"
#include "sim/session/plan/make.h"

/* What the run comes to on one number of GPUs. Refusals are part of that. */
static ss_status plan_size(const ss_run_phases *phases, ss_plan_size *size, ss_error *error)
{
  ss_plan plan;
  const ss_status status = ss_plan_make(phases, &plan, error);
  if (status == SS_OK) {
    size->mean = plan.mean;
    size->bill = plan.bill;
    (void)snprintf(size->strategy, sizeof size->strategy, "%s", ss_plan_longest(&plan)->strategy);
  }
  free(plan.phase);
  return status;
}

static ss_status check_budget(const ss_options *options, const ss_run_phases *phases, ss_error *error)
{
  const ss_machine *machine = &phases->phase[0]->session.machine;
  if (options->choice.budget == 0.0 || ss_price_is_known(machine)) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--budget", 0,
                      "the cost of %s is not known; allowed: with gpu-price or gpu-hour-price", machine->name);
}

/* Tries a number of GPUs; the phases are those of the best so far. */
static ss_status try_size(const ss_session *base, const ss_options *options, ss_plan_sizes *sizes, int64_t i,
                          ss_run_phases *best, ss_error *error)
{
  ss_run_phases phases;
  ss_plan_size *size = &sizes->size[i];
  *size = (ss_plan_size){.gpus = options->choice.gpus[i]};
  ss_status status = ss_run_phases_open(&phases, base, options, size->gpus, error);
  if (status == SS_OK) status = check_budget(options, &phases, error);
  if (status == SS_OK) status = plan_size(&phases, size, error);
  if (status == SS_ERROR_INPUT) ss_error_text(error, size->refusal);
  sizes->count = i + 1;
  if (ss_plan_sizes_best(sizes) == i) {
    const ss_run_phases worse = *best;
    *best = phases;
    phases = worse;
  }
  ss_run_phases_close(&phases);
  return status == SS_ERROR_INPUT ? SS_OK : status;
}

/* Why there is no best one: the refusal of the first, or what the cheapest costs. */
static ss_status refuse(const ss_plan_sizes *sizes, ss_error *error)
{
  double least = INFINITY;
  for (int64_t i = 0; i < sizes->count; ++i)
    if (sizes->size[i].refusal[0] == '\0') least = fmin(least, ss_bill_dollars(&sizes->size[i].bill));
  if (isinf(least)) return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "%s", sizes->size[0].refusal);
  return ss_error_set(error, SS_ERROR_INPUT, "--budget", 0,
                      "\"%.6g\": is less than the run costs on any of these numbers of GPUs; allowed: from %.6g",
                      sizes->budget_dollars, least);
}

ss_status ss_plan_best_size(const ss_session *base, const ss_options *options, ss_plan_sizes *sizes,
                            ss_run_phases *phases, ss_error *error)
{
  const ss_choice_options *choice = &options->choice;
  *phases = (ss_run_phases){.count = 0};
  *sizes = (ss_plan_sizes){.size = calloc((size_t)choice->gpus_count, sizeof *sizes->size),
                           .objective = choice->objective,
                           .budget_dollars = choice->budget};
  if (sizes->size == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for numbers of GPUs");
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < choice->gpus_count; ++i)
    status = try_size(base, options, sizes, i, phases, error);
  return status == SS_OK && ss_plan_sizes_best(sizes) < 0 ? refuse(sizes, error) : status;
}
