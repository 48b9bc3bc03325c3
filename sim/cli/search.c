/* search: the best strategies and placements. */
#include <stdio.h>

#include "model/input/workload.h"
#include "sim/cli/commands.h"
#include "sim/cli/drawings.h"
#include "sim/cli/emitted.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/saved_workload.h"
#include "sim/cli/terminal.h"
#include "sim/figure/search.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/search_all.h"
#include "sim/session/used.h"

static ss_status report(const ss_search_all *all, const ss_session *session, const ss_options *options, ss_error *error)
{
  ss_search_report found = ss_search_all_report(all, session, options);
  found.columns = ss_terminal_columns(&options->common);
  const char *json = options->output.json;
  const ss_subject subject = ss_search_subject(&found);
  ss_status status = json != NULL ? ss_report_search_json(json, &found, error) : SS_OK;
  if (status == SS_OK) status = ss_drawings_write(&options->output, &subject, error);
  const bool emitted = options->common.emits && all->search[0].count > 0;
  if (!ss_option_is_standard_output(json) && !emitted) ss_report_search_text(stdout, &found);
  return status;
}

/* Keeps the best of a search, if it has found any, as a workload and as settings. */
static ss_status save(const ss_session *session, const ss_options *options, const ss_search *search, ss_error *error)
{
  if (search->count == 0) return SS_OK;
  const ss_workload best = ss_search_all_workload(session, &search->top[0]);
  const ss_status status = ss_workload_save(&best, options->output.save, options, error);
  return status == SS_OK ? ss_emitted_write(session, &best, options, error) : status;
}

int ss_command_search(const ss_options *options)
{
  ss_session session;
  ss_result_cache cache = {.path = NULL};
  ss_outputs outputs = {.count = 0};
  ss_search_all all = {.count = 0};
  ss_error error = {0};
  ss_status status = ss_session_begin(&session, &options->common, &error);
  if (status == SS_OK && options->search.replay == 0)
    status = ss_used_without_replay(&session.machine, "--replay K", &error);
  if (status == SS_OK) status = ss_used_without_trials(&session.machine, &error);
  if (status == SS_OK) status = ss_search_all_prepare(&session, options, &error);
  const ss_subject drawn = ss_search_subject(NULL);
  if (status == SS_OK) status = ss_drawings_check(&options->output, &drawn, &error);
  if (status == SS_OK) status = ss_outputs_open(&outputs, &options->output, &options->common, &session, &error);
  if (status == SS_OK) status = ss_result_cache_open(&cache, options->output.db, &error);
  if (status == SS_OK) status = ss_search_all_run(&all, &cache, &session, options, &error);
  if (status == SS_OK) ss_result_cache_tell(&cache, options->common.quiet, "results");
  if (status == SS_OK) status = save(&session, options, &all.search[0], &error);
  if (status == SS_OK) status = report(&all, &session, options, &error);
  const bool any_fits = all.any_fits;
  ss_search_all_free(&all);
  ss_result_cache_close(&cache);
  ss_outputs_close(&outputs);
  ss_session_close(&session);
  if (status != SS_OK) return ss_fail(&error);
  return any_fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}
