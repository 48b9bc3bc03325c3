#include "sim/cli/measured/calibration_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fabric/counts.h"
#include "model/input/workload.h"
#include "sim/io/io.h"
#include "sim/io/shipped.h"

/* The name of a file without folders. */
static const char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Collectives. */

/* The collectives that training uses: broadcast and reduce in products of panels, send/receive between stages. */
static const struct {
  ss_nccl_test test;
  ss_collective kind;
} collectives[] = {{SS_NCCL_ALL_REDUCE, SS_ALL_REDUCE},
                   {SS_NCCL_ALL_GATHER, SS_ALL_GATHER},
                   {SS_NCCL_REDUCE_SCATTER, SS_REDUCE_SCATTER},
                   {SS_NCCL_ALLTOALL, SS_ALL_TO_ALL},
                   {SS_NCCL_SENDRECV, SS_SEND_RECEIVE},
                   {SS_NCCL_BROADCAST, SS_BROADCAST},
                   {SS_NCCL_REDUCE, SS_REDUCE}};

/* The domains of the platform that a run is on, and its GPUs on each; false where hosts do not fill domains evenly. */
static bool place(const ss_calibration_inputs *inputs, const ss_nccl_run *run, int64_t *nodes, int64_t *gpus)
{
  const int64_t of_host = run->ranks / run->hosts, domain = inputs->machine->domain_size;
  *nodes = run->hosts;
  *gpus = of_host;
  if (of_host >= domain || domain % of_host != 0) return of_host <= domain;
  *gpus = run->ranks < domain ? run->ranks : domain;
  *nodes = run->ranks / *gpus;
  return *nodes * *gpus == run->ranks;
}

/* The rows of a run that can be used. */
static ss_status add_rows(ss_calibration_inputs *inputs, const ss_source *source, const ss_nccl_run *run, int64_t nodes,
                          int64_t gpus, ss_error *error)
{
  const double least = inputs->options->measurement.least_bytes;
  int64_t small = 0, wrong = 0;
  for (int64_t i = 0; i < run->rows; ++i) {
    const ss_nccl_row *row = &run->row[i];
    const bool is_small = (double)row->bytes < least;
    small += is_small;
    wrong += !is_small && (row->wrong || !(row->out_s > 0.0));
    if (is_small || row->wrong || !(row->out_s > 0.0)) continue;
    ss_measured_point *point = ss_calibration_point(inputs, row->line, row->out_s, 1.0, error);
    if (point == NULL) return error->code;
    point->nodes = nodes;
    point->gpus_per_node = gpus;
    point->volume_bytes = (double)row->bytes;
    (void)snprintf(point->id, sizeof point->id, "%" PRId64 "x%" PRId64 " %" PRId64, nodes, gpus, row->bytes);
  }
  ss_status status = SS_OK;
  if (small > 0)
    status = ss_calibration_note(inputs, error, "%s:%d: %" PRId64 " size%s below %.0f bytes not used (--least-bytes).",
                                 source->path, run->line, small, ss_count_plural(small), least);
  if (status == SS_OK && wrong > 0)
    status = ss_calibration_note(inputs, error, "%s:%d: %" PRId64 " size%s with wrong values or no time not used.",
                                 source->path, run->line, wrong, ss_count_plural(wrong));
  return status;
}

/* The rate of a GPU that no ring exceeds: that of NVLink or, over several domains, of all NICs of one. */
static double ring_limit(const ss_machine *machine, int64_t nodes)
{
  return nodes == 1 ? machine->nvlink_bytes_per_s : (double)machine->nics_per_domain * machine->fabric_bytes_per_s;
}

/* Switches that reduce do what no ring could; in other collectives they have nothing to do. */
static ss_status note_switches(ss_calibration_inputs *inputs, const ss_source *source, const ss_nccl_run *run,
                               int64_t nodes, ss_error *error)
{
  const ss_machine *machine = inputs->machine;
  const double limit = ring_limit(machine, nodes);
  const bool by_ring =
      run->test == SS_NCCL_ALL_REDUCE || run->test == SS_NCCL_ALL_GATHER || run->test == SS_NCCL_REDUCE_SCATTER;
  double best = 0.0;
  for (int64_t i = 0; i < run->rows; ++i) best = fmax(best, run->row[i].busbw);
  if (!by_ring || best <= limit || machine->nvlink_reduces != 0) return SS_OK;
  return ss_calibration_note(inputs, error,
                             "%s:%d: %.0f GB/s are more than the %.0f GB/s of the links: switches have reduced (NVLink "
                             "SHARP), which the platform has only with --set platform.nvlink-reduces=1.",
                             source->path, run->line, 1e-9 * best, 1e-9 * limit);
}

/* What the log does not say outright. */
static ss_status note_run(ss_calibration_inputs *inputs, const ss_source *source, const ss_nccl_run *run,
                          ss_error *error)
{
  ss_status status = SS_OK;
  if (run->guessed)
    status = ss_calibration_note(inputs, error, "%s:%d: taken for %s, as columns and bandwidths are its.", source->path,
                                 run->line, ss_nccl_test_name(run->test));
  if (status == SS_OK && run->unlisted > 0)
    status = ss_calibration_note(inputs, error, "%s:%d: %" PRId64 " of %" PRId64 " devices are not in the log.",
                                 source->path, run->line, run->unlisted, run->ranks);
  return status;
}

static ss_status add_run(ss_calibration_inputs *inputs, const ss_source *source, const ss_nccl_run *run,
                         ss_error *error)
{
  int64_t nodes, gpus;
  size_t kind = 0;
  const size_t kinds = sizeof collectives / sizeof collectives[0];
  while (kind < kinds && collectives[kind].test != run->test) ++kind;
  if (kind == kinds)
    return ss_calibration_note(inputs, error, "%s:%d: %s is left out: nothing in training uses it.", source->path,
                               run->line, ss_nccl_test_name(run->test));
  if (!place(inputs, run, &nodes, &gpus))
    return ss_error_set(error, SS_ERROR_INPUT, source->path, run->line,
                        "%" PRId64 " ranks on %" PRId64 " hosts do not fill domains of %" PRId64
                        " GPUs evenly; allowed: whole domains, or a part of one",
                        run->ranks, run->hosts, inputs->machine->domain_size);
  ss_measured_group *group = ss_calibration_group(inputs, SS_MEASURED_COLLECTIVES, source->path, run->line, error);
  if (group == NULL) return error->code;
  group->collective = collectives[kind].kind;
  (void)snprintf(group->id, sizeof group->id, "%s %" PRId64 "x%" PRId64 " (%.40s:%d)", ss_nccl_test_name(run->test),
                 nodes, gpus, name_of(source->path), run->line);
  (void)snprintf(group->title, sizeof group->title, "nccl-tests, %s on %" PRId64 " domains of %" PRId64 " %.80s",
                 ss_nccl_test_name(run->test), nodes, gpus, run->device);
  (void)snprintf(group->source, sizeof group->source, "%.200s", source->path);
  ss_status status = add_rows(inputs, source, run, nodes, gpus, error);
  if (status == SS_OK) status = note_switches(inputs, source, run, nodes, error);
  return status == SS_OK ? note_run(inputs, source, run, error) : status;
}

ss_status ss_calibration_read_nccl(ss_calibration_inputs *inputs, const ss_source *source, ss_error *error)
{
  ss_nccl_log log;
  ss_status status = ss_nccl_log_read(source, &log, error);
  for (int64_t i = 0; status == SS_OK && i < log.runs; ++i) status = add_run(inputs, source, &log.run[i], error);
  if (status == SS_OK && log.foreign > 0)
    status = ss_calibration_note(inputs, error,
                                 "%s: lines that are not of nccl-tests: %" PRId64 ", such as line %d, \"%s\".",
                                 source->path, log.foreign, log.foreign_line, log.foreign_text);
  ss_nccl_log_free(&log);
  return status;
}

/* Iterations. */

_Static_assert((int)SS_WARMUP_FIFTH == (int)SS_STEP_WARMUP_FIFTH, "options and reader have one default");

/* Refuses a row in the words of what refused it. */
static ss_status blame(const ss_source *source, const ss_timed_step *step, ss_status status, ss_error *error)
{
  char text[SS_ERROR_TEXT_SIZE];
  if (status == SS_OK) return status;
  ss_error_text(error, text);
  return ss_error_set(error, status, source->path, step->line, "%s", text);
}

/* Where the workload of a row is: what it names, beside its table or shipped, or --workload. */
static ss_status find_workload(const ss_calibration_inputs *inputs, const ss_source *source, const ss_timed_step *step,
                               char path[SS_PATH_SIZE], ss_error *error)
{
  const char *name = step->workload[0] != '\0' ? step->workload : inputs->options->measurement.workload;
  if (name == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, source->path, step->line,
                        "names no workload; allowed: a column workload, or --workload NAME");
  const char *slash = strrchr(source->path, '/');
  char beside[2 * SS_PATH_SIZE];
  (void)snprintf(beside, sizeof beside, "%.*s%s", slash != NULL ? (int)(slash + 1 - source->path) : 0, source->path,
                 name);
  const bool own = step->workload[0] != '\0', relative = own && name[0] != '/' && strchr(name, '/') != NULL;
  const ss_status status =
      ss_shipped_find(SS_SHIPPED_WORKLOADS, relative && strlen(beside) < SS_PATH_SIZE ? beside : name, path, error);
  return own ? blame(source, step, status, error) : status;
}

/* The data parallelism that follows from the GPUs of a row, which has none of its own, or has that one. */
static ss_status take_gpus(const ss_source *source, const ss_timed_step *step, ss_workload *workload, ss_error *error)
{
  bool has_dp = false;
  for (int64_t i = 0; i < step->settings; ++i) has_dp = has_dp || strcmp(step->setting[i].name, "parallelism.dp") == 0;
  if (step->gpus == 0) return SS_OK;
  const int64_t gpus = ss_workload_gpus(workload), of_replica = gpus / workload->parallelism.dp;
  if (!has_dp && step->gpus % of_replica == 0) workload->parallelism.dp = step->gpus / of_replica;
  if (step->gpus == ss_workload_gpus(workload)) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, source->path, step->line,
                      "%" PRId64 " GPUs are not what its strategy has, %" PRId64 " for a replica%s; allowed: as many",
                      step->gpus, of_replica, has_dp ? " times dp" : "");
}

static ss_status make_workload(const ss_calibration_inputs *inputs, const ss_source *source, const ss_timed_step *step,
                               ss_workload *workload, ss_error *error)
{
  char path[SS_PATH_SIZE], text[SS_STEP_NAME_SIZE + SS_STEP_VALUE_SIZE + 1];
  const ss_common_options *common = &inputs->options->common;
  ss_status status = find_workload(inputs, source, step, path, error);
  if (status == SS_OK) status = ss_workload_load(path, workload, error);
  for (int64_t i = 0; status == SS_OK && i < common->override_count; ++i)
    if (strncmp(common->override[i], "platform.", 9) != 0)
      status = ss_override(common->override[i], workload, NULL, error);
  for (int64_t i = 0; status == SS_OK && i < step->settings; ++i) {
    (void)snprintf(text, sizeof text, "%s=%s", step->setting[i].name, step->setting[i].value);
    status = ss_override(text, workload, NULL, error);
    if (status != SS_OK) return blame(source, step, status, error);
  }
  return status == SS_OK ? take_gpus(source, step, workload, error) : status;
}

/* Every row is a group of its own, which can be left out. */
static ss_status add_step(ss_calibration_inputs *inputs, const ss_source *source, const ss_timed_step *step,
                          ss_error *error)
{
  ss_measured_group *group = ss_calibration_group(inputs, SS_MEASURED_ITERATIONS, source->path, step->line, error);
  if (group == NULL) return error->code;
  ss_measured_point *point = ss_calibration_point(inputs, step->line, step->seconds, step->weight, error);
  if (point == NULL) return error->code;
  point->workload = malloc(sizeof *point->workload);
  if (point->workload == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a workload");
  const ss_status status = make_workload(inputs, source, step, point->workload, error);
  if (status != SS_OK) return status;
  const ss_workload *workload = point->workload;
  group = &inputs->measured.group[point->group];
  (void)snprintf(group->id, sizeof group->id, "%.60s:%d", name_of(source->path), step->line);
  (void)snprintf(point->id, sizeof point->id, "%d", step->line);
  (void)snprintf(group->title, sizeof group->title, "%.100s on %" PRId64 " GPUs", workload->model.name,
                 ss_workload_gpus(workload));
  (void)snprintf(group->source, sizeof group->source, "%.200s", source->path);
  return SS_OK;
}

ss_status ss_calibration_read_log(ss_calibration_inputs *inputs, const ss_source *source, ss_error *error)
{
  ss_timed_steps steps;
  ss_status status = ss_step_log_read(source, inputs->options->measurement.warmup, &steps, error);
  if (status == SS_OK) status = add_step(inputs, source, &steps.step[0], error);
  if (status == SS_OK)
    status = ss_calibration_note(inputs, error,
                                 "%s: the median of %" PRId64 " times, without the first %" PRId64
                                 " (--warmup); %" PRId64 " other lines.",
                                 source->path, steps.step[0].of, steps.step[0].left_out, steps.foreign);
  ss_timed_steps_free(&steps);
  return status;
}

ss_status ss_calibration_read_table(ss_calibration_inputs *inputs, const ss_source *source, ss_error *error)
{
  ss_timed_steps steps;
  ss_status status = ss_step_table_read(source, &steps, error);
  for (int64_t i = 0; status == SS_OK && i < steps.count; ++i) status = add_step(inputs, source, &steps.step[i], error);
  ss_timed_steps_free(&steps);
  return status;
}
