/* Plans of whole runs, of the library. */
#include <math.h>
#include <stdlib.h>

#include "model/run/bill.h"
#include "sim/api/api.h"
#include "sim/report/report.h"

static ss_status make(const stepsim_job *job, const ss_options *options, stepsim_plan **plan, ss_error *error)
{
  stepsim_plan *made = calloc(1, sizeof *made);
  if (made == NULL) return ss_api_refuse_memory("a plan", error);
  ss_api_job_session(job, &made->planning.base);
  ss_status status = ss_planning_open(&made->planning, options, error);
  if (status == SS_OK) status = ss_planning_make(&made->planning, error);
  if (status == SS_OK) status = ss_api_job_check_stop(job, "plan", error);
  if (status == SS_OK)
    status = ss_report_plan_json_text(&made->planning.plan, &made->planning.sizes, &made->json, error);
  made->planning.options = NULL; /* the caller's */
  if (status == SS_OK)
    *plan = made;
  else
    stepsim_plan_destroy(made);
  return status;
}

stepsim_status stepsim_plan_create(const stepsim_job *job, const char *const *options, stepsim_plan **plan,
                                   stepsim_error *error)
{
  ss_error why = {0};
  ss_api_question *question;
  if (plan != NULL) *plan = NULL;
  if (job == NULL || plan == NULL) return ss_api_misuse(error, "stepsim_plan_create: job or plan is NULL");
  ss_status status = ss_api_question_create(job, SS_COMMAND_PLAN, options, &question, &why);
  if (status == SS_OK) status = make(job, &question->options, plan, &why);
  ss_api_question_destroy(question);
  return ss_api_return(status, &why, error);
}

void stepsim_plan_destroy(stepsim_plan *plan)
{
  if (plan == NULL) return;
  ss_planning_close(&plan->planning);
  free(plan->json);
  free(plan);
}

const char *stepsim_plan_json(const stepsim_plan *plan)
{
  return plan != NULL ? plan->json : NULL;
}

double stepsim_plan_total_s(const stepsim_plan *plan)
{
  return plan != NULL ? plan->planning.plan.mean.total_s : NAN;
}

double stepsim_plan_work_s(const stepsim_plan *plan)
{
  return plan != NULL ? plan->planning.plan.mean.work_s : NAN;
}

double stepsim_plan_energy_j(const stepsim_plan *plan)
{
  const bool is_known = plan != NULL && ss_bill_known_of(plan->planning.plan.machine).energy;
  return is_known ? plan->planning.plan.bill.energy_j : NAN;
}

double stepsim_plan_dollars(const stepsim_plan *plan)
{
  const bool is_known = plan != NULL && ss_bill_known_of(plan->planning.plan.machine).dollars;
  return is_known ? ss_bill_dollars(&plan->planning.plan.bill) : NAN;
}
