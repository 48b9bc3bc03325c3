/* Options of the library: those of the command line, by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/spelling.h"
#include "sim/api/api.h"
#include "sim/options/option_checks.h"
#include "sim/session/used.h"

/* The options that each function takes: those that say what is predicted, and the
 * files of what a replay goes through. */
static const char *const *names_of(ss_command command)
{
  static const char *const of_estimate[] = {"cost", NULL};
  static const char *const of_replay[] = {
      "cost",   "flows",  "fold",  "seed",        "max-seconds",         "max-memory",
      "beside", "trials", "trace", "trace-ranks", "trace-micro-batches", "links",
      NULL};
  static const char *const of_search[] = {"cost",   "gpus",   "budget", "tensor", "knobs",       "objective",  "top",
                                          "pareto", "replay", "flows",  "fold",   "max-seconds", "max-memory", NULL};
  static const char *const of_sweep[] = {"vary",   "cost",   "best",        "fewer",      "gpus",
                                         "budget", "tensor", "knobs",       "objective",  "replay",
                                         "flows",  "fold",   "max-seconds", "max-memory", NULL};
  static const char *const of_plan[] = {
      "cost",  "trials",    "seed",   "simgrid-trials", "best", "gpus",        "budget",     "tensor",
      "knobs", "objective", "replay", "flows",          "fold", "max-seconds", "max-memory", NULL};
  switch (command) {
  case SS_COMMAND_PLAN: return of_plan;
  case SS_COMMAND_SEARCH: return of_search;
  case SS_COMMAND_RUN: return of_replay;
  case SS_COMMAND_SWEEP: return of_sweep;
  default: return of_estimate;
  }
}

static ss_status refuse(const char *option, ss_command command, ss_error *error)
{
  const char *const *names = names_of(command);
  char list[SS_MESSAGE_SIZE / 2];
  size_t used = 0;
  for (int i = 0; names[i] != NULL && used < sizeof list; ++i)
    used += (size_t)snprintf(list + used, sizeof list - used, " %s", names[i]);
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "\"%.64s\": unknown option%s; allowed:%s", option,
                      ss_hint_of(option, names).text, list);
}

/* The row of an option; -1 where the function does not take it. */
static int find(const ss_api_question *question, const char *option, size_t length)
{
  const char *const *names = names_of(question->options.command);
  int allowed = 0;
  while (names[allowed] != NULL && !ss_spells(option, length, names[allowed])) ++allowed;
  for (int i = 0; names[allowed] != NULL && i < question->table.count; ++i) {
    const ss_option *row = question->table.option[i];
    if ((row->commands & SS_ON(question->options.command)) != 0 && strcmp(row->name, names[allowed]) == 0) return i;
  }
  return -1;
}

/* Reads "NAME=VALUE" or "NAME", which it may write into. */
static ss_status read(ss_api_question *question, char *text, ss_error *error)
{
  char *equals = strchr(text, '=');
  const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
  const int row = find(question, text, length);
  text[length] = '\0';
  if (row < 0) return refuse(text, question->options.command, error);
  const char *argument = question->table.option[row]->argument;
  if (argument == NULL && equals != NULL)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "\"%s\": takes no value; allowed: %s", text, text);
  if (argument != NULL && equals == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "\"%s\": needs a value; allowed: %s=%s", text, text, argument);
  if (equals != NULL && strcmp(equals + 1, "-") == 0)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "\"%s\": \"-\" is not a file; allowed: %s=%s", text, text,
                        argument);
  return ss_option_table_set(&question->table, row, &question->options, equals != NULL ? equals + 1 : NULL, error);
}

static ss_status read_all(ss_api_question *question, const char *const *options, ss_error *error)
{
  static const char *const none[] = {NULL};
  int64_t count = 0;
  if (options == NULL) options = none;
  while (options[count] != NULL) ++count;
  question->text = calloc((size_t)count + 1, sizeof *question->text);
  if (question->text == NULL) return ss_api_refuse_memory("options", error);
  ss_status status = SS_OK;
  while (status == SS_OK && question->count < count) {
    char *text = strdup(options[question->count]);
    question->text[question->count++] = text;
    status = text != NULL ? read(question, text, error) : ss_api_refuse_memory("options", error);
  }
  return status == SS_OK ? ss_options_check(&question->options, &question->table, error) : status;
}

/* Refuses what is set of the machine and only replays have, where there is none. */
static ss_status check_machine(const stepsim_job *job, const ss_options *options, ss_error *error)
{
  const bool replays = options->command == SS_COMMAND_RUN || options->search.replay > 0 || options->sweep.replay > 0;
  return replays ? SS_OK : ss_used_without_replay(&job->machine.of, "a replay", error);
}

ss_status ss_api_question_create(const stepsim_job *job, ss_command command, const char *const *options,
                                 ss_api_question **question, ss_error *error)
{
  ss_api_question *made = calloc(1, sizeof *made);
  *question = NULL;
  if (made == NULL) return ss_api_refuse_memory("options", error);
  ss_options_init(&made->options);
  ss_option_table_init(&made->table);
  made->options.command = command;
  made->options.common.quiet = true;
  made->options.common.stop = job->stop;
  made->options.common.workload = job->workload.file;
  made->options.common.platform = job->machine.of.file;
  ss_status status = read_all(made, options, error);
  if (status == SS_OK) status = check_machine(job, &made->options, error);
  if (status == SS_OK)
    *question = made;
  else
    ss_api_question_destroy(made);
  return status;
}

void ss_api_question_destroy(ss_api_question *question)
{
  if (question == NULL) return;
  for (int64_t i = 0; i < question->count; ++i) free(question->text[i]);
  free(question->text);
  free(question);
}
