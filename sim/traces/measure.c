#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/rules.h"
#include "sim/traces/bytes.h"
#include "sim/traces/launch_layers.h"
#include "sim/traces/names.h"
#include "sim/traces/steps.h"
#include "sim/traces/traces.h"

enum { FIRST_BYTES = 64, DEVICES_MAX = 4096 };

/* What two readings of a trace have found. */
typedef struct measuring {
  const ss_measurement_request *request;
  ss_measurement *measurement;
  ss_kernel_names names;
  ss_trace_steps gpu_steps, host_steps;
  ss_layer_ranges layers; /* of the GPU, by stream */
  ss_launch_layers launches;
  ss_work_log log;
  int64_t device[DEVICES_MAX]; /* [measurement->devices] that have kernels, and how many */
  int64_t kernels[DEVICES_MAX];
  bool has_window; /* of the second reading: what is outside is left out */
  ss_window window;
} measuring;

/* Counts a kernel of a GPU. */
static void count_kernel(measuring *m, int64_t device)
{
  ss_measurement *measurement = m->measurement;
  int64_t i = 0;
  while (i < measurement->devices && m->device[i] != device) ++i;
  if (i == DEVICES_MAX) return;
  if (i == measurement->devices) m->device[measurement->devices++] = device;
  ++m->kernels[i];
}

/* The GPU that is measured: the one that was asked for, else the first one. */
static ss_status choose_device(measuring *m, ss_error *error)
{
  ss_measurement *measurement = m->measurement;
  int64_t first = 0;
  for (int64_t i = 1; i < measurement->devices; ++i)
    if (m->device[i] < m->device[first]) first = i;
  if (measurement->devices == 0)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                        "has no kernels of a GPU; allowed: a trace with CUDA activities");
  measurement->device = m->request->device >= 0 ? m->request->device : m->device[first];
  for (int64_t i = 0; i < measurement->devices; ++i)
    if (m->device[i] == measurement->device) measurement->records = m->kernels[i];
  if (measurement->records > 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "has no kernels of device %lld; the first one is %lld",
                      (long long)measurement->device, (long long)m->device[first]);
}

/* An annotation: of a layer, or else perhaps of a step. */
static ss_status take_range(const measuring *m, const ss_trace_item *item, ss_layer_ranges *layers,
                            ss_trace_steps *steps, ss_error *error)
{
  const ss_window window = {item->start_s, item->end_s};
  const int64_t layer = ss_rules_number(m->request->rules, SS_RULE_LAYER, item->name);
  if (layer >= 0) return ss_layer_ranges_add(layers, (ss_layer_range){item->stream, layer, window}, error);
  const int64_t number = ss_rules_number(m->request->rules, SS_RULE_STEP, item->name);
  return number >= 0 ? ss_trace_steps_add(steps, number, window, error) : SS_OK;
}

/* The first reading: steps, layers, launches, and how many kernels there are. */
static ss_status survey(void *self, const ss_trace_item *item, ss_error *error)
{
  measuring *m = self;
  switch (item->kind) {
  case SS_ITEM_KERNEL:
    if (!item->is_wait) count_kernel(m, item->device);
    return SS_OK;
  case SS_ITEM_GPU_RANGE: return take_range(m, item, &m->layers, &m->gpu_steps, error);
  case SS_ITEM_HOST_RANGE: return take_range(m, item, &m->launches.layers, &m->host_steps, error);
  case SS_ITEM_LAUNCH:
  case SS_ITEM_FORWARD:
  case SS_ITEM_BACKWARD: break;
  }
  return ss_launch_layers_add(&m->launches, item, error);
}

/* The class of a collective, from what describes its group, else from how large it is. */
static ss_kernel_class class_of_group(const measuring *m, const ss_trace_item *item)
{
  const ss_kernel_class told = ss_rules_class(m->request->rules, SS_RULE_GROUP, item->group);
  return told != SS_CLASS_COUNT ? told : ss_job_groups_class(&m->request->groups, item->ranks);
}

static ss_kernel_class class_of(measuring *m, const ss_trace_item *item)
{
  ss_kernel_class kind = item->class_of;
  if (kind == SS_CLASS_COUNT) kind = ss_kernel_names_class(&m->names, item->name, item->end_s - item->start_s);
  return kind == SS_CLASS_COLLECTIVE ? class_of_group(m, item) : kind;
}

/* The layer of a kernel: as the trace says, as its launch tells, else as it runs within an annotation of the GPU. */
static int64_t layer_of(const measuring *m, const ss_trace_item *item)
{
  const int64_t launched = item->layer != SS_NO_INDEX ? item->layer : ss_launch_layers_find(&m->launches, item->link);
  return launched != SS_NO_INDEX ? launched : ss_layer_ranges_find(&m->layers, item->stream, item->start_s);
}

/* The second reading: the kernels of the iteration. */
static ss_status collect(void *self, const ss_trace_item *item, ss_error *error)
{
  measuring *m = self;
  if (item->kind != SS_ITEM_KERNEL || item->device != m->measurement->device) return SS_OK;
  if (m->has_window && (item->end_s <= m->window.start_s || item->start_s >= m->window.end_s)) return SS_OK;
  const ss_work_interval work = {.start_s = item->start_s,
                                 .end_s = item->end_s > item->start_s ? item->end_s : item->start_s,
                                 .kind = class_of(m, item),
                                 .layer = layer_of(m, item),
                                 .is_kernel = !item->is_wait};
  return ss_work_log_add(&m->log, &work, error);
}

static ss_status choose_step(measuring *m, ss_error *error)
{
  ss_trace_steps *steps = m->gpu_steps.count > 0 ? &m->gpu_steps : &m->host_steps;
  if (steps->count == 0) return SS_OK;
  ss_trace_step chosen;
  ss_trace_steps_join(steps);
  const ss_status status = ss_trace_steps_choose(steps, m->request->step, &chosen, m->measurement, error);
  m->measurement->found = SS_FOUND_STEP;
  m->has_window = true;
  m->window = chosen.window;
  return status;
}

static ss_status choose_repeat(measuring *m, ss_error *error)
{
  ss_trace_steps repeats = {.count = 0};
  ss_trace_step chosen;
  ss_measurement *measurement = m->measurement;
  ss_status status = ss_trace_steps_repeats(&repeats, &m->log, error);
  m->window = ss_work_log_window(&m->log);
  measurement->shortest_s = measurement->median_s = measurement->longest_s = m->window.end_s - m->window.start_s;
  measurement->steps = 1;
  if (status == SS_OK && repeats.count > 0) {
    measurement->found = SS_FOUND_REPEAT;
    status = ss_trace_steps_choose(&repeats, m->request->step, &chosen, measurement, error);
    if (status == SS_OK) m->window = chosen.window;
  } else if (status == SS_OK && m->request->step >= 0) {
    status = ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "names no steps, and none repeats; allowed: without --step");
  }
  ss_trace_steps_free(&repeats);
  return status;
}

/* What is left out of an iteration would count as idle. */
static ss_status check_whole(const ss_trace_sink *sink, ss_error *error)
{
  if (sink->shown_micro_batches >= sink->micro_batches) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "has %lld of %lld micro-batches; allowed: all of them, as run --trace-micro-batches all writes",
                      (long long)sink->shown_micro_batches, (long long)sink->micro_batches);
}

static ss_status measure(measuring *m, const ss_trace_reader *reader, const char *path, ss_error *error)
{
  ss_trace_sink sink = {.self = m, .take = survey, .rules = m->request->rules, .rank = -1};
  ss_status status = reader->read(path, &sink, error);
  if (status == SS_OK) status = check_whole(&sink, error);
  if (status == SS_OK) status = choose_device(m, error);
  m->measurement->rank = sink.devices_are_ranks ? m->measurement->device : sink.rank;
  m->measurement->by_dependencies = sink.by_dependencies;
  const bool has_ranges = sink.layers_by_range || m->layers.count + m->launches.layers.count > 0;
  m->measurement->layers_by_range = !ss_launch_layers_join(&m->launches) && has_ranges;
  m->measurement->world_size = sink.world_size > 0 ? sink.world_size : 0;
  if (status == SS_OK) status = choose_step(m, error);
  if (status != SS_OK) return status;
  ss_layer_ranges_sort(&m->layers);
  sink.take = collect;
  status = reader->read(path, &sink, error);
  if (status != SS_OK) return status;
  ss_work_log_sort(&m->log);
  if (!m->has_window) status = choose_repeat(m, error);
  if (status != SS_OK) return status;
  ss_profile_of(&m->log, m->window, &m->measurement->profile);
  if (!(m->measurement->profile.iteration_s > 0.0))
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                        "has an iteration of 0 s; allowed: kernels that take some time");
  ss_kernel_names_unknown(&m->names, m->measurement->unknown);
  return SS_OK;
}

/* The format of a file, which its first bytes tell. */
static ss_status find_reader(const char *path, const ss_trace_reader **reader, ss_error *error)
{
  static const ss_trace_reader *const readers[] = {&ss_chrome_reader, &ss_nsight_reader, &ss_chakra_reader};
  unsigned char first[FIRST_BYTES];
  size_t count = 0;
  ss_bytes bytes;
  ss_status status = ss_bytes_open(&bytes, path, error);
  if (status == SS_OK) status = ss_bytes_read(&bytes, first, sizeof first, &count, error);
  ss_bytes_close(&bytes);
  *reader = NULL;
  for (size_t i = 0; i < sizeof readers / sizeof readers[0] && *reader == NULL; ++i)
    if (readers[i]->begins(first, count)) *reader = readers[i];
  if (status != SS_OK || *reader != NULL) return status;
  return ss_error_set(
      error, SS_ERROR_INPUT, path, 0,
      "is no trace; allowed: JSON of PyTorch's profiler or of stepsim run --trace, the SQLite export of "
      "Nsight Systems, or an execution trace of Chakra");
}

ss_status ss_trace_measure(const char *path, const ss_measurement_request *request, ss_measurement *measurement,
                           ss_error *error)
{
  const ss_trace_reader *reader = NULL;
  measuring *m = calloc(1, sizeof *m);
  if (m == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a trace");
  *measurement = (ss_measurement){.rank = -1, .step = -1};
  m->request = request;
  m->measurement = measurement;
  ss_status status = ss_kernel_names_init(&m->names, request->rules, error);
  if (status == SS_OK) status = find_reader(path, &reader, error);
  if (status == SS_OK && reader != NULL) status = measure(m, reader, path, error);
  if (status == SS_ERROR_INPUT && error != NULL && error->file[0] == '\0')
    (void)snprintf(error->file, sizeof error->file, "%s", path);
  ss_kernel_names_free(&m->names);
  ss_trace_steps_free(&m->gpu_steps);
  ss_trace_steps_free(&m->host_steps);
  ss_layer_ranges_free(&m->layers);
  ss_launch_layers_free(&m->launches);
  ss_work_log_free(&m->log);
  free(m);
  return status;
}
