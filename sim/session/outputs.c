#include "sim/session/outputs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/input/workload.h"
#include "sim/report/report.h"

/* The folder that a path is in, and what follows it. */
static const char *split_path(const char *path, char folder[SS_PATH_SIZE])
{
  (void)snprintf(folder, SS_PATH_SIZE, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash == NULL) {
    (void)snprintf(folder, SS_PATH_SIZE, ".");
    return path;
  }
  slash[slash == folder] = '\0';
  return strrchr(path, '/') + 1;
}

static bool same_node(const char *a, const char *b)
{
  struct stat of_a, of_b;
  return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && !S_ISCHR(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

/* Whether both names lead to the same file, or would once it exists. */
static bool same_file(const char *a, const char *b)
{
  char folder_a[SS_PATH_SIZE], folder_b[SS_PATH_SIZE];
  if (same_node(a, b)) return true;
  return strcmp(split_path(a, folder_a), split_path(b, folder_b)) == 0 && same_node(folder_a, folder_b);
}

static ss_status check_distinct(const char *path, const char *const *others, int64_t count, ss_error *error)
{
  for (int64_t i = 0; i < count; ++i)
    if (others[i][0] != '\0' && same_file(path, others[i]))
      return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                          "cannot write \"%s\": is the same file as \"%s\"; allowed: a file of its own", path,
                          others[i]);
  return SS_OK;
}

/* An existing path must be a writable file; otherwise its folder must be writable. Returns an errno, or 0. */
static int write_problem(const char *path)
{
  struct stat existing;
  char folder[SS_PATH_SIZE];
  if (path[0] == '\0') return ENOENT;
  if (strlen(path) >= SS_PATH_SIZE) return ENAMETOOLONG;
  (void)split_path(path, folder);
  if (stat(path, &existing) == 0 && S_ISDIR(existing.st_mode)) return EISDIR;
  const bool in_place = stat(path, &existing) == 0 && !S_ISREG(existing.st_mode);
  return access(in_place ? path : folder, W_OK) == 0 ? 0 : errno;
}

static ss_status check_writable(const char *path, ss_error *error)
{
  const int problem = write_problem(path);
  if (problem == 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "cannot write \"%s\": %s", path, strerror(problem));
}

enum { MAX_INPUTS = 3 + SS_WORKLOAD_FILES, MAX_OUTPUTS = SS_MAX_TRACES + 12 };

/* The paths of all outputs but standard output. */
static int64_t list_paths(const ss_output_options *options, const char *paths[MAX_OUTPUTS])
{
  const char *const files[] = {options->json,      options->csv,    options->db,       options->links,
                               options->plot.path, options->save,   options->file,     options->residuals,
                               options->nodes,     options->routes, options->measured, options->report};
  int64_t count = 0;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    if (files[i] != NULL && strcmp(files[i], "-") != 0) paths[count++] = files[i];
  for (int64_t i = 0; i < options->trace_count; ++i) paths[count++] = options->trace[i];
  return count;
}

ss_status ss_outputs_check(const ss_output_options *options, const char *const *input, int64_t inputs, ss_error *error)
{
  const char *known[MAX_INPUTS + MAX_OUTPUTS], *paths[MAX_OUTPUTS];
  const int64_t count = list_paths(options, paths);
  SS_ASSERT(inputs <= MAX_INPUTS);
  for (int64_t i = 0; i < inputs; ++i) known[i] = input[i];
  for (int64_t i = 0; i < count; ++i) {
    ss_status status = check_distinct(paths[i], known, inputs + i, error);
    if (status == SS_OK) status = check_writable(paths[i], error);
    if (status != SS_OK) return status;
    known[inputs + i] = paths[i];
  }
  return SS_OK;
}

ss_status ss_outputs_check_input(const ss_output_options *options, const char *input, ss_error *error)
{
  const char *paths[MAX_OUTPUTS];
  const int64_t count = list_paths(options, paths);
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < count; ++i) status = check_distinct(paths[i], &input, 1, error);
  return status;
}

/* Execution traces are files of their own, all of which can be written. `known` [count] are the other files. */
static ss_status check_chakra(const ss_output_options *options, const ss_session *session, const char *const *known,
                              int64_t count, ss_error *error)
{
  const int64_t gpus = options->chakra != NULL ? ss_workload_gpus(&session->workload) : -1;
  ss_status status = SS_OK;
  for (int64_t rank = -1; status == SS_OK && rank < gpus; ++rank) {
    char path[SS_PATH_SIZE];
    if (rank >= 0 && !ss_report_chakra_has(&session->job, &options->chakra_ranks, rank)) continue;
    status = ss_report_chakra_path(options->chakra, rank, path, error);
    if (status == SS_OK) status = check_distinct(path, known, count, error);
    if (status == SS_OK) status = check_writable(path, error);
  }
  return status;
}

static ss_status check_selection(const ss_selection *selection, const char *option, int64_t limit, ss_error *error)
{
  for (int64_t i = 0; i < selection->count; ++i)
    if (selection->range[i].last >= limit && selection->range[i].last != SS_SELECTION_END)
      return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "%s: %lld does not exist; allowed: 0 to %lld", option,
                          (long long)selection->range[i].last, (long long)limit - 1);
  return SS_OK;
}

static ss_status open_writers(ss_outputs *outputs, const ss_output_options *options, ss_error *error)
{
  for (; outputs->count < options->trace_count; outputs->count++) {
    ss_timeline *timeline = &outputs->timeline[outputs->count];
    const ss_status status = ss_timeline_create(options->trace[outputs->count], timeline, error);
    if (status != SS_OK) return status;
    timeline->ranks = outputs->choice.ranks;
    timeline->micro_batches = outputs->choice.micro_batches;
  }
  return options->links != NULL ? ss_link_writer_create(options->links, &outputs->links, error) : SS_OK;
}

ss_status ss_outputs_open(ss_outputs *outputs, const ss_output_options *options, const ss_common_options *inputs,
                          const ss_session *session, ss_error *error)
{
  *outputs = (ss_outputs){0};
  const char *paths[MAX_INPUTS + MAX_OUTPUTS] = {inputs->workload, inputs->platform, session->machine.routes};
  for (int i = 0; i < SS_WORKLOAD_FILES; ++i) paths[3 + i] = ss_workload_file(&session->workload, i);
  ss_status status = ss_outputs_check(options, paths, MAX_INPUTS, error);
  const int64_t known = MAX_INPUTS + list_paths(options, paths + MAX_INPUTS);
  if (status == SS_OK)
    status = check_selection(&options->trace_ranks, "--trace-ranks", ss_workload_gpus(&session->workload), error);
  if (status == SS_OK)
    status = check_selection(&options->chakra_ranks, "--chakra-ranks", ss_workload_gpus(&session->workload), error);
  if (status == SS_OK) status = check_chakra(options, session, paths, known, error);
  if (status == SS_OK)
    status = check_selection(&options->trace_micro_batches, "--trace-micro-batches", session->job.micro_batches, error);
  if (status == SS_OK && options->trace_count > 0) status = ss_trace_choose(options, session, &outputs->choice, error);
  if (status == SS_OK) status = open_writers(outputs, options, error);
  if (status == SS_ERROR_OUTPUT) status = error->code = SS_ERROR_INPUT; /* found out before anything ran */
  return status;
}

void ss_outputs_say(const ss_outputs *outputs, const ss_output_options *options, const ss_session *session)
{
  for (int64_t i = 0; i < outputs->count; ++i)
    ss_trace_choice_say(&outputs->choice, session, options->trace[i],
                        ss_timeline_bytes(&outputs->timeline[i], outputs->choice.slices, outputs->choice.loads));
}

void ss_outputs_close(ss_outputs *outputs)
{
  for (int64_t i = 0; i < outputs->count; ++i) ss_timeline_destroy(&outputs->timeline[i]);
  ss_link_writer_destroy(&outputs->links);
  *outputs = (ss_outputs){0};
}
