#include "sim/cli/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/cli/iteration.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/options/option_values.h"
#include "sim/report/report.h"

#define WORKLOAD "workload"

/* The options of B, and the files that it has instead. */
typedef struct changed {
  ss_options options;
  char workload[SS_PATH_SIZE], platform[SS_PATH_SIZE];
} changed;

/* The value of a setting of that name; NULL of another one. */
static const char *value_of(const char *setting, const char *name)
{
  const size_t length = strlen(name);
  return strncmp(setting, name, length) == 0 && setting[length] == '=' ? setting + length + 1 : NULL;
}

/* Changes what one setting says: a file, or an attribute or property, which goes over what --set says. */
static ss_status change(changed *b, const char *setting, ss_error *error)
{
  ss_common_options *common = &b->options.common;
  const char *workload = value_of(setting, WORKLOAD), *platform = value_of(setting, SS_SWEEP_PLATFORM);
  if (workload != NULL) {
    common->workload = b->workload;
    return ss_shipped_find(SS_SHIPPED_WORKLOADS, workload, b->workload, error);
  }
  if (platform != NULL) {
    common->platform = b->platform;
    return ss_shipped_find(SS_SHIPPED_PLATFORMS, platform, b->platform, error);
  }
  return ss_option_append(SS_AGAINST_OPTION + 2, common->override, &common->override_count, SS_MAX_OVERRIDES, setting,
                          error);
}

/* An error of B names the option, in the place of --set or behind what a file says. */
static ss_status blame(ss_status status, ss_error *error)
{
  const size_t length = strlen(error->message);
  if (status == SS_OK) return status;
  if (strcmp(error->file, SS_OVERRIDE_FILE) == 0)
    (void)snprintf(error->file, sizeof error->file, "%s", SS_AGAINST_OPTION);
  else
    (void)snprintf(error->message + length, sizeof error->message - length, " (of the job with %s)", SS_AGAINST_OPTION);
  return status;
}

/* Behind an error of what is no override, the files that may be changed, too. */
static void add_files(const ss_options *options, ss_error *error)
{
  const size_t length = strlen(error->message);
  for (int64_t i = 0; i < options->run.against_count; ++i) {
    const char *setting = options->run.against[i];
    if (setting[strcspn(setting, ".=")] == '.' || value_of(setting, WORKLOAD) != NULL ||
        value_of(setting, SS_SWEEP_PLATFORM) != NULL)
      continue;
    (void)snprintf(error->message + length, sizeof error->message - length, ", %s=FILE or %s=FILE", WORKLOAD,
                   SS_SWEEP_PLATFORM);
    return;
  }
}

static ss_status open_changed(const ss_options *options, ss_api_iteration **iteration, ss_error *error)
{
  changed *b = calloc(1, sizeof *b);
  *iteration = NULL;
  if (b == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for options");
  b->options = *options;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < options->run.against_count; ++i)
    status = change(b, options->run.against[i], error);
  if (status == SS_OK) status = ss_iteration_open(&b->options, iteration, error);
  free(b);
  if (status == SS_ERROR_INPUT && strcmp(error->file, SS_OVERRIDE_FILE) == 0) add_files(options, error);
  return blame(status, error);
}

static ss_status replay(ss_api_iteration *iteration, const ss_options *options, ss_error *error)
{
  ss_outputs none = {.count = 0};
  return options->command == SS_COMMAND_RUN
             ? ss_api_replay_make(&iteration->replay, &none, (ss_api_replay_extras){.history = false}, options, error)
             : SS_OK;
}

static ss_status check_outputs(const ss_api_iteration *iteration, const ss_options *options, ss_error *error)
{
  ss_outputs outputs;
  const ss_status status =
      ss_outputs_open(&outputs, &options->output, &options->common, &iteration->run.session, error);
  ss_outputs_close(&outputs);
  return status;
}

static ss_status report(const ss_api_iteration *a, const ss_api_iteration *b, const ss_options *options,
                        ss_error *error)
{
  const ss_pair_report pair = {.a = &a->run.prediction,
                               .b = &b->run.prediction,
                               .change = options->run.against,
                               .changes = options->run.against_count};
  const char *json = options->output.json;
  char *text = NULL;
  ss_status status = json != NULL ? ss_report_pair_json_text(&pair, &text, error) : SS_OK;
  if (status == SS_OK && json != NULL) status = ss_report_lines(json, text, error);
  free(text);
  if (status == SS_OK && !ss_option_is_standard_output(json)) ss_report_pair_text(stdout, &pair);
  return status;
}

int ss_pair_predict(const ss_options *options)
{
  ss_api_iteration *a = NULL, *b = NULL;
  ss_error error = {0};
  ss_status status = ss_iteration_open(options, &a, &error);
  if (status == SS_OK) status = open_changed(options, &b, &error);
  if (status == SS_OK) status = check_outputs(a, options, &error);
  if (status == SS_OK) status = replay(a, options, &error);
  if (status == SS_OK) status = blame(replay(b, options, &error), &error);
  if (status == SS_OK) status = report(a, b, options, &error);
  const bool fit = status == SS_OK && ss_prediction_fits(&a->run.prediction) && ss_prediction_fits(&b->run.prediction);
  ss_api_iteration_destroy(a);
  ss_api_iteration_destroy(b);
  if (status != SS_OK) return ss_fail(&error);
  return fit ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}
