/* search: the best strategies and placements. */
#include <stdio.h>

#include "model/input/workload.h"
#include "sim/api/api.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/drawings.h"
#include "sim/cli/shared/emitted.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/inputs.h"
#include "sim/cli/shared/interrupt.h"
#include "sim/cli/shared/saved_workload.h"
#include "sim/cli/shared/terminal.h"
#include "sim/crew/crew.h"
#include "sim/figure/search/search.h"
#include "sim/report/report.h"
#include "sim/session/used.h"

/* What the command does. */
typedef struct searching {
  const ss_options *options;
  stepsim_search *search;
  ss_outputs outputs;
  ss_result_cache cache;
} searching;

static ss_status write_json(searching *s, ss_error *error)
{
  const ss_status status = ss_api_search_make_json(s->search, s->options, error);
  return status == SS_OK ? ss_report_lines(s->options->output.json, stepsim_search_json(s->search), error) : status;
}

static ss_status report(searching *s, ss_error *error)
{
  const ss_options *options = s->options;
  const ss_search_all *all = &s->search->all;
  ss_search_report found = ss_search_all_report(all, &s->search->session, options);
  found.columns = ss_terminal_columns(&options->common);
  const ss_subject subject = ss_search_subject(&found);
  ss_status status = options->output.json != NULL ? write_json(s, error) : SS_OK;
  if (status == SS_OK) status = ss_drawings_write(&options->output, &subject, error);
  /* Where settings would stand and there are none, the reason is no setting. */
  const bool emitted = options->common.emits && all->search[0].count > 0;
  const bool silent = ss_option_is_standard_output(options->output.json) && !options->common.emits;
  if (!silent && !emitted) ss_report_search_text(options->common.emits ? stderr : stdout, &found);
  return status;
}

/* Keeps the best of a search, if it has found any, as a workload and as settings. */
static ss_status save(const searching *s, ss_error *error)
{
  const ss_search *found = &s->search->all.search[0];
  const ss_session *session = &s->search->session;
  if (found->count == 0) return SS_OK;
  const ss_workload best = ss_search_all_workload(session, &found->top[0]);
  const ss_status status = ss_workload_save(&best, s->options->output.save, s->options, error);
  return status == SS_OK ? ss_emitted_write(session, &best, s->options, error) : status;
}

/* The inputs, checked. */
static ss_status open_search(searching *s, ss_error *error)
{
  const ss_options *options = s->options;
  stepsim_job *job;
  ss_status status = ss_inputs_job(&options->common, &job, error);
  if (status == SS_OK && options->search.replay == 0)
    status = ss_used_without_replay(&job->machine.of, "--replay K", error);
  if (status == SS_OK) status = ss_used_without_trials(&job->machine.of, error);
  if (status == SS_OK) status = ss_api_search_create(job, options, &s->search, error);
  if (status == SS_OK) status = ss_emitted_check(&s->search->session, options, error);
  stepsim_job_destroy(job);
  return status;
}

static ss_status open_outputs(searching *s, ss_error *error)
{
  const ss_output_options *output = &s->options->output;
  const ss_subject drawn = ss_search_subject(NULL);
  ss_status status = ss_drawings_check(output, &drawn, error);
  if (status == SS_OK) status = ss_outputs_open(&s->outputs, output, &s->options->common, &s->search->session, error);
  return status == SS_OK ? ss_result_cache_open(&s->cache, output->db, error) : status;
}

/* Searches, and looks out for Ctrl-C, where no other process would have to hear of it. */
static ss_status run(searching *s, ss_error *error)
{
  ss_options options = *s->options;
  if (ss_crew_is_alone()) options.common.stop = ss_interrupt_catch();
  return ss_api_search_run(s->search, &s->cache, &options, error);
}

int ss_command_search(const ss_options *options)
{
  searching s = {.options = options};
  ss_error error = {0};
  ss_status status = open_search(&s, &error);
  if (status == SS_OK) status = open_outputs(&s, &error);
  if (status == SS_OK) status = run(&s, &error);
  if (status == SS_OK) ss_result_cache_tell(&s.cache, options->common.quiet, "results");
  if (status == SS_OK) status = save(&s, &error);
  if (status == SS_OK) status = report(&s, &error);
  const bool any_fits = status == SS_OK && s.search->all.any_fits;
  stepsim_search_destroy(s.search);
  ss_result_cache_close(&s.cache);
  ss_outputs_close(&s.outputs);
  if (status != SS_OK) return ss_fail(&error);
  return any_fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}
