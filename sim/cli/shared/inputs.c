#include "sim/cli/shared/inputs.h"

#include <stdio.h>
#include <string.h>

/* The first platform that an axis of a sweep has; its path is empty where none does. */
static ss_status find_varied(const ss_sweep_options *sweep, char path[SS_PATH_SIZE], ss_error *error)
{
  ss_status status = SS_OK;
  path[0] = '\0';
  for (int64_t i = 0; status == SS_OK && i < sweep->vary_count; ++i) {
    ss_sweep_axis axis;
    status = ss_sweep_axis_parse(sweep->vary[i], &axis, error);
    for (int64_t j = 0; status == SS_OK && j < axis.names; ++j) {
      const ss_sweep_setting setting = ss_sweep_setting_of(&axis, 0, j);
      if (strcmp(setting.name, SS_SWEEP_PLATFORM) == 0)
        status = ss_shipped_find(SS_SHIPPED_PLATFORMS, setting.value, path, error);
    }
    ss_sweep_axis_free(&axis);
  }
  return status;
}

/* A sweep that varies the platform has no other: what is checked before it runs is checked on the first. */
static ss_status take_varied(ss_options *options, ss_error *error)
{
  char path[SS_PATH_SIZE];
  const ss_status status = find_varied(&options->sweep, path, error);
  if (status != SS_OK) return status;
  if (path[0] != '\0' && options->argument_count > 1)
    return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0,
                        "varies the platform, which the argument PLATFORM fixes; allowed: one of the two");
  if (options->argument_count > 1) return SS_OK;
  (void)snprintf(options->path[1], SS_PATH_SIZE, "%s", path);
  if (path[0] == '\0')
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                        "sweep has no platform; allowed: sweep WORKLOAD PLATFORM, or --vary platform=NAME,...");
  options->argument[options->argument_count++] = options->path[1];
  return SS_OK;
}

ss_status ss_inputs_find(ss_options *options, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < options->argument_count; ++i) {
    const ss_shipped kind = ss_command_names(options->command, i);
    if (kind == SS_SHIPPED_NONE) continue;
    status = ss_shipped_find(kind, options->argument[i], options->path[i], error);
    options->argument[i] = options->path[i];
  }
  if (status == SS_OK && options->command == SS_COMMAND_SWEEP) status = take_varied(options, error);
  if (status != SS_OK || (SS_ON(options->command) & SS_ON_TASKS) == 0) return status;
  options->common.workload = options->argument[0];
  options->common.platform = options->argument_count > 1 ? options->argument[1] : NULL;
  return SS_OK;
}

/* The platform is read behind the workload, whose errors come first. */
static ss_status place(stepsim_job *job, const char *platform, ss_error *error)
{
  stepsim_machine *machine;
  const ss_status status = ss_api_machine_create(platform, &machine, error);
  if (status == SS_OK) (void)stepsim_job_move(job, machine, NULL);
  stepsim_machine_destroy(machine);
  return status;
}

ss_status ss_inputs_job(const ss_common_options *options, stepsim_job **job, ss_error *error)
{
  const bool has_platform = options->platform != NULL;
  ss_status status = ss_api_job_create(options->workload, job, error);
  if (status == SS_OK && has_platform) status = place(*job, options->platform, error);
  for (int64_t i = 0; status == SS_OK && i < options->override_count; ++i)
    status = ss_api_job_set(*job, has_platform ? &(*job)->machine : NULL, options->override[i], error);
  if (status == SS_OK) return SS_OK;
  stepsim_job_destroy(*job);
  *job = NULL;
  return status;
}

ss_status ss_inputs_session(const ss_common_options *options, ss_session *session, ss_error *error)
{
  stepsim_job *job;
  const ss_status status = ss_inputs_job(options, &job, error);
  if (status == SS_OK) ss_api_job_session(job, session);
  stepsim_job_destroy(job);
  return status;
}
