#include "sim/import/dialects/megatron_replicas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/files/settings.h"

/* A script may have fewer GPUs than its strategy needs, for whoever starts it to give more. */
static ss_status note_gpus(const ss_sheet *s, int64_t gpus, int64_t ranks, ss_error *error)
{
  char text[SS_TEXT_SIZE];
  (void)snprintf(text, sizeof text, "%" PRId64 " GPUs of its nodes, which are no multiple of %" PRId64 " of a replica",
                 gpus, ranks);
  return ss_import_note(s->import, SS_NOTE_UNREAD, text, error);
}

/* So many copies of what is sharded; an import shares them out where no file has the replicas. */
static ss_status read_copies(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const int64_t copies = ss_sheet_given(s, SS_VALUE_REPLICATE, 1), holders = w->parallelism.dp * w->parallelism.cp;
  if (copies == 1) return SS_OK;
  if (w->line[SS_AT_parallelism_dp] == SS_LINE_CHOSEN) {
    s->import->shard_copies = copies;
    return SS_OK;
  }
  if (holders % copies != 0)
    return ss_sheet_refuse_number(s, SS_VALUE_REPLICATE,
                                  "does not divide the replicas, with their context-parallel ranks; allowed: a number "
                                  "that does",
                                  error);
  ss_sheet_set(s, SS_AT_parallelism_shard_size, holders / copies, SS_VALUE_REPLICATE);
  return SS_OK;
}

/* Whether a program starts one process for each GPU of a node. */
static bool has_starter(const ss_sheet *s)
{
  static const char *const starters[] = {"nproc-per-node", "nproc_per_node", "deepspeed.num-gpus"};
  const ss_setting_row *row = s->value_row[SS_VALUE_GPUS_OF_NODE];
  for (size_t i = 0; row != NULL && i < sizeof starters / sizeof starters[0]; ++i)
    if (strcmp(starters[i], row->key) == 0) return true;
  return false;
}

/* Such a program is on one node where nobody says: torch/distributed/run.py of PyTorch, and
 * deepspeed/launcher/runner.py without a file of hosts. */
static int64_t nodes_of(const ss_sheet *s)
{
  const bool has_hosts = ss_settings_find(s->settings, "deepspeed.hostfile") != NULL ||
                         ss_settings_find(s->settings, "deepspeed.H") != NULL;
  const bool is_said = s->value_row[SS_VALUE_NODES] != NULL;
  return ss_sheet_given(s, SS_VALUE_NODES, has_starter(s) && !is_said && !has_hosts ? 1 : 0);
}

/* GPUs that a job has, with the value that says it; 0: nobody does. One process of Slurm on a node is one that starts
 * others. */
static int64_t gpus_of(const ss_sheet *s, ss_sheet_value *from)
{
  const int64_t nodes = nodes_of(s), of_node = ss_sheet_given(s, SS_VALUE_GPUS_OF_NODE, 0);
  const int64_t tasks = ss_sheet_given(s, SS_VALUE_TASKS_OF_NODE, 0);
  *from = s->value[SS_VALUE_NODES] > 0.0 ? SS_VALUE_NODES : SS_VALUE_GPUS_OF_NODE;
  if (has_starter(s) || (nodes > 0 && of_node > 0)) return nodes * of_node;
  if (nodes > 0 && tasks > 1) return nodes * tasks;
  *from = SS_VALUE_PROCESSES;
  return tasks != 1 ? ss_sheet_given(s, SS_VALUE_PROCESSES, 0) : 0;
}

ss_status ss_megatron_read_replicas(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const int64_t ranks = w->parallelism.tp * w->parallelism.pp * w->parallelism.cp;
  ss_sheet_value from;
  const int64_t gpus = gpus_of(s, &from);
  ss_status status = SS_OK;
  if (gpus > 0 && gpus % ranks == 0)
    ss_sheet_set(s, SS_AT_parallelism_dp, gpus / ranks, from);
  else if (gpus > 0)
    status = note_gpus(s, gpus, ranks, error);
  return status == SS_OK ? read_copies(s, error) : status;
}

/* Nodes are as large as they can be, up to what one has. */
void ss_megatron_write_replicas(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  const int64_t gpus = ss_workload_gpus(w), size = w->parallelism.shard_size;
  const int64_t segment = w->placement.segment; /* GPUs of a domain that are used */
  int64_t node = s->nodes.gpus < gpus ? s->nodes.gpus : gpus;
  if (segment != SS_DERIVED && segment < node) node = segment;
  while (gpus % node != 0) --node;
  const int64_t nodes = gpus / node;
  s->value[SS_VALUE_NODES] = (double)nodes;
  s->value[SS_VALUE_GPUS_OF_NODE] = (double)node;
  if (size == SS_DERIVED) return;
  const int64_t copies = w->parallelism.dp * w->parallelism.cp / size;
  s->value[SS_VALUE_REPLICATE] = (double)copies;
}
