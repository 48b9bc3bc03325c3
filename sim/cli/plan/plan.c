/* plan: from an iteration to a run. */
#include <stdio.h>

#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/drawings.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/inputs.h"
#include "sim/figure/plan.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/plan/planning.h"

static ss_status report(const ss_options *options, const ss_planning *planning, ss_error *error)
{
  const ss_output_options *output = &options->output;
  const ss_plan *plan = &planning->plan;
  const ss_plan_sizes *sizes = &planning->sizes;
  ss_status status = output->json != NULL ? ss_report_plan_json(output->json, plan, sizes, error) : SS_OK;
  if (status == SS_OK && output->csv != NULL) status = ss_report_plan_csv(output->csv, plan, sizes, error);
  const ss_plan_report all = {plan, sizes};
  const ss_subject subject = ss_plan_subject(&all);
  if (status == SS_OK) status = ss_drawings_write(output, &subject, error);
  if (status == SS_OK && !ss_option_is_standard_output(output->json) && !ss_option_is_standard_output(output->csv))
    ss_report_plan_text(stdout, plan, sizes);
  return status;
}

int ss_command_plan(const ss_options *options)
{
  ss_planning planning = {.options = options};
  ss_outputs outputs = {.count = 0};
  ss_error error = {0};
  const ss_subject drawn = ss_plan_subject(NULL);
  ss_status status = ss_drawings_check(&options->output, &drawn, &error);
  if (status == SS_OK) status = ss_inputs_session(&options->common, &planning.base, &error);
  if (status == SS_OK) status = ss_planning_open(&planning, options, &error);
  if (status == SS_OK)
    status = ss_outputs_open(&outputs, &options->output, &options->common, &planning.phases.phase[0]->session, &error);
  if (status == SS_OK) status = ss_planning_make(&planning, &error);
  ss_outputs_close(&outputs);
  if (status == SS_OK) status = report(options, &planning, &error);
  ss_planning_close(&planning);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
