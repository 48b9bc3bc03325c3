/* results: what a database holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/result/record.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/terminal.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/store/store.h"

typedef struct listing {
  ss_record *record; /* [count] with texts of their own; owned */
  int64_t count, capacity;
} listing;

static ss_status see(void *context, const ss_store_row *row, ss_error *error)
{
  listing *l = context;
  if (l->count == l->capacity) {
    const int64_t capacity = l->capacity > 0 ? 2 * l->capacity : 64;
    ss_record *record = realloc(l->record, (size_t)capacity * sizeof *record);
    if (record == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a list of results");
    l->record = record;
    l->capacity = capacity;
  }
  if (ss_record_copy(&row->record, &l->record[l->count++]) == SS_OK) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a result");
}

static ss_status read_all(const char *path, listing *l, ss_error *error)
{
  ss_store *store;
  ss_status status = ss_store_open(path, false, &store, error);
  if (status == SS_OK) status = ss_store_list(store, see, l, error);
  ss_store_close(store);
  return status;
}

static ss_status report(const listing *l, const ss_options *all, ss_error *error)
{
  const ss_output_options *options = &all->output;
  ss_status status = SS_OK;
  const bool table = !ss_option_is_standard_output(options->json) && !ss_option_is_standard_output(options->csv);
  if (options->json != NULL) status = ss_report_results_json(options->json, l->record, l->count, error);
  if (status == SS_OK && options->csv != NULL) status = ss_report_results_csv(options->csv, l->record, l->count, error);
  if (table) ss_report_results_text(stdout, l->record, l->count, ss_terminal_columns(&all->common));
  return status;
}

int ss_command_results(const ss_options *options)
{
  ss_error error = {0};
  listing l = {.count = 0};
  ss_status status = ss_outputs_check(&options->output, options->argument, 1, &error);
  if (status == SS_OK) status = read_all(options->argument[0], &l, &error);
  if (status == SS_OK) status = report(&l, options, &error);
  for (int64_t i = 0; i < l.count; ++i) ss_record_free(&l.record[i]);
  free(l.record);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
