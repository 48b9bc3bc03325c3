/* Execution traces of Chakra: a file for each rank, and one of the groups that their collectives name. */
#include <inttypes.h>
#include <stdio.h>

#include "model/graph/chakra.h"
#include "sim/report/json.h"
#include "sim/report/output.h"
#include "sim/report/report.h"

typedef struct writing {
  const char *prefix;
  const ss_job *job;
  json_t *groups; /* ranks by name, as the workload layer of ASTRA-sim reads them */
  bool complete;
  ss_output output;
  int64_t rank;
  double elapsed_s;
} writing;

static void write_message(ss_output *output, const ss_wire_message *message)
{
  ss_wire_message length;
  length.count = 0;
  length.full = false;
  ss_wire_put_varint(&length, message->count);
  ss_output_write(output, (const char *)length.byte, length.count);
  ss_output_write(output, (const char *)message->byte, message->count);
}

static void list_group(writing *w, const ss_rank_group *group)
{
  char name[24];
  (void)snprintf(name, sizeof name, "%" PRId64, group->name);
  if (json_object_get(w->groups, name) != NULL) return;
  json_t *ranks = json_array();
  for (int64_t i = 0; i < group->count; ++i) ss_json_append(ranks, json_integer(group->rank[i]), &w->complete);
  ss_json_add(w->groups, name, ranks, &w->complete);
}

static ss_status write_node(void *self, const ss_graph_node *node, ss_error *error)
{
  writing *w = self;
  ss_wire_message message;
  (void)error;
  ss_chakra_node(node, w->rank, &w->elapsed_s, &message);
  write_message(&w->output, &message);
  if (node->kind == SS_GRAPH_COLLECTIVE) list_group(w, node->group);
  return SS_OK;
}

ss_status ss_report_chakra_path(const char *prefix, int64_t rank, char path[SS_PATH_SIZE], ss_error *error)
{
  const int length = rank < 0 ? snprintf(path, SS_PATH_SIZE, "%s.groups.json", prefix)
                              : snprintf(path, SS_PATH_SIZE, "%s.%" PRId64 ".et", prefix, rank);
  if (length < SS_PATH_SIZE) return SS_OK;
  return ss_error_set(error, SS_ERROR_OUTPUT, NULL, 0, "--chakra \"%s\": is too long; allowed: a shorter path", prefix);
}

bool ss_report_chakra_has(const ss_job *job, const ss_selection *ranks, int64_t rank)
{
  const ss_placement *placement = &job->placement;
  return ranks->count > 0 ? ss_selection_has(ranks, rank) : rank % (placement->tp * placement->cp * placement->dp) == 0;
}

static int64_t ranks_of(const ss_job *job)
{
  const ss_placement *placement = &job->placement;
  return placement->tp * placement->cp * placement->dp * placement->pp;
}

static ss_status write_rank(writing *w, int64_t rank, ss_error *error)
{
  char path[SS_PATH_SIZE];
  ss_rank_groups groups;
  ss_wire_message metadata;
  ss_status status = ss_report_chakra_path(w->prefix, rank, path, error);
  if (status != SS_OK) return status;
  w->rank = rank;
  w->elapsed_s = 0.0;
  status = ss_rank_groups_init(&groups, w->job, rank, error);
  if (status == SS_OK) status = ss_output_open(&w->output, path, error);
  if (status == SS_OK) {
    const ss_graph_sink sink = {.self = w, .take = write_node};
    ss_chakra_metadata(rank, ranks_of(w->job), &metadata);
    write_message(&w->output, &metadata);
    status = ss_graph_walk(w->job, &groups, &sink, error);
    if (status == SS_OK) status = ss_output_close(&w->output, error);
  }
  ss_output_free(&w->output);
  ss_rank_groups_free(&groups);
  return status;
}

ss_status ss_report_chakra(const char *prefix, const ss_job *job, const ss_selection *ranks, ss_error *error)
{
  writing w = {.prefix = prefix, .job = job, .groups = json_object(), .complete = true};
  char path[SS_PATH_SIZE];
  ss_status status = SS_OK;
  for (int64_t rank = 0; status == SS_OK && rank < ranks_of(job); ++rank)
    if (ss_report_chakra_has(job, ranks, rank)) status = write_rank(&w, rank, error);
  if (status == SS_OK) status = ss_report_chakra_path(prefix, -1, path, error);
  if (status == SS_OK) return ss_json_write(path, w.groups, w.complete, error);
  json_decref(w.groups);
  return status;
}
