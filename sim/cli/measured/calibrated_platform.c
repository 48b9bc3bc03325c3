#include "sim/cli/measured/calibrated_platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/cli/shared/comment.h"
#include "sim/io/io.h"
#include "sim/report/report.h"

/* What is written. */
typedef struct writing {
  const ss_options *options;
  const ss_fit *fit;
} writing;

static bool is_of_kernels(const ss_fit_constant *constant)
{
  const size_t index = (size_t)(constant->property - ss_machine_properties());
  return index == SS_PROPERTY_matrix_sustained || index == SS_PROPERTY_vector_hbm_share;
}

void ss_calibrated_name_source(const ss_options *options, const ss_fit *fit, char text[SS_FITTED_TO_SIZE])
{
  bool any = false;
  for (int64_t i = 0; i < fit->plan->constants; ++i) any = any || is_of_kernels(&fit->plan->constant[i]);
  text[0] = '\0';
  size_t used = 0;
  for (int64_t i = 1; any && i < options->argument_count && used < SS_FITTED_TO_SIZE; ++i)
    used += (size_t)snprintf(text + used, SS_FITTED_TO_SIZE - used, "%s%s",
                             i > 1 ? ", " : "own measurements: ", options->argument[i]);
}

/* A line of the errors, in %. */
static void print_errors(FILE *stream, const char *name, const ss_error_summary *start, const ss_error_summary *fitted)
{
  char line[SS_MESSAGE_SIZE];
  if (start->count == 0) return;
  (void)snprintf(line, sizeof line, "%s: mean error %.1f %% before, %.1f %% with the constants (%" PRId64 " times).",
                 name, 100.0 * start->mean_absolute, 100.0 * fitted->mean_absolute, start->count);
  ss_comment_wrap(stream, line);
}

static void print_comment(FILE *stream, const void *what)
{
  const writing *w = what;
  const ss_fit *fit = w->fit;
  char line[SS_MESSAGE_SIZE], start[SS_QUANTITY_SIZE], fitted[SS_QUANTITY_SIZE];
  (void)fputs("\n  Fitted to measurements of this machine by stepsim calibrate.\n", stream);
  for (int64_t i = 0; i < fit->plan->constants; ++i) {
    const ss_property *row = fit->plan->constant[i].property;
    ss_quantity_format(fit->values[SS_FIT_START].of[i], row->unit, start);
    ss_quantity_format(fit->values[SS_FIT_FITTED].of[i], row->unit, fitted);
    (void)snprintf(line, sizeof line, "%s %s, in place of %s: fitted.", row->name, fitted, start);
    ss_comment_wrap(stream, line);
  }
  for (int64_t i = 0; i < fit->points->measured->groups; ++i)
    print_errors(stream, fit->points->measured->group[i].id, &fit->group[SS_FIT_START][i],
                 &fit->group[SS_FIT_FITTED][i]);
  if (fit->crossed)
    print_errors(stream, "Each of them left out of the fit", &fit->whole[SS_FIT_START], &fit->left_whole);
  ss_comment_made_by(stream, w->options);
  ss_comment_wrap(stream, "All else is of the platform it began with, whose comments follow.");
}

/* What changes in the file. `value` has room for the values [changes][SS_QUANTITY_SIZE]. */
typedef struct changes {
  ss_platform_change change[SS_FIT_CONSTANTS + SS_MAX_OVERRIDES + 2];
  char value[SS_FIT_CONSTANTS][SS_QUANTITY_SIZE], name[SS_MAX_OVERRIDES][SS_NAME_SIZE];
  char *routes; /* owned */
  int64_t count;
} changes;

/* The file of routes, from any folder. */
static void add_routes(changes *all, const ss_machine *machine)
{
  all->routes = machine->routes[0] != '\0' ? realpath(machine->routes, NULL) : NULL;
  if (all->routes != NULL) all->change[all->count++] = (ss_platform_change){"routes", all->routes};
}

static void collect(changes *all, const writing *w, const ss_machine *machine, const char *fitted_to)
{
  const ss_common_options *common = &w->options->common;
  static const char prefix[] = "platform.";
  for (int64_t i = 0; i < common->override_count; ++i) {
    const char *text = common->override[i];
    const char *equals = strchr(text, '=');
    if (strncmp(text, prefix, sizeof prefix - 1) != 0 || equals == NULL) continue;
    text += sizeof prefix - 1;
    (void)snprintf(all->name[i], SS_NAME_SIZE, "%.*s", (int)(equals - text), text);
    for (size_t k = 0; all->name[i][k] != '\0'; ++k)
      if (all->name[i][k] == '_') all->name[i][k] = '-';
    all->change[all->count++] = (ss_platform_change){all->name[i], equals + 1};
  }
  for (int64_t i = 0; i < w->fit->plan->constants; ++i) {
    const ss_property *row = w->fit->plan->constant[i].property;
    ss_quantity_format(w->fit->values[SS_FIT_FITTED].of[i], row->unit, all->value[i]);
    all->change[all->count++] = (ss_platform_change){row->name, all->value[i]};
  }
  if (fitted_to[0] != '\0') all->change[all->count++] = (ss_platform_change){"fitted-to", fitted_to};
  add_routes(all, machine);
}

static ss_status choose_name(const ss_options *options, const ss_machine *machine, char name[SS_NAME_SIZE],
                             ss_error *error)
{
  const char *given = options->measurement.name;
  const int length =
      given != NULL ? snprintf(name, SS_NAME_SIZE, "%s", given) : snprintf(name, SS_NAME_SIZE, "%s-own", machine->name);
  if (length < SS_NAME_SIZE) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--name", 0, "would be %d characters long; allowed: at most %d", length,
                      SS_NAME_SIZE - 1);
}

ss_status ss_calibrated_platform_write(const ss_options *options, const ss_machine *machine, const ss_fit *fit,
                                       const char *fitted_to, ss_error *error)
{
  const writing w = {.options = options, .fit = fit};
  char name[SS_NAME_SIZE], *text = NULL;
  if (options->output.file == NULL) return SS_OK;
  changes *all = calloc(1, sizeof *all);
  char *comment = ss_comment_make(print_comment, &w);
  if (all == NULL || comment == NULL) {
    free(all);
    free(comment);
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a platform");
  }
  collect(all, &w, machine, fitted_to);
  const ss_platform_edit edit = {.name = name, .comment = comment, .change = all->change, .changes = all->count};
  ss_status status = choose_name(options, machine, name, error);
  if (status == SS_OK) status = ss_platform_rewrite(options->argument[0], &edit, &text, error);
  if (status == SS_OK) status = ss_report_bytes(options->output.file, text, error);
  free(text);
  free(comment);
  free(all->routes);
  free(all);
  return status;
}
