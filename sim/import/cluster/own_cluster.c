#include "sim/import/cluster/own_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/cluster/fabric_shape.h"
#include "sim/import/cluster/ib_routes.h"
#include "sim/import/cluster/node_matrix.h"
#include "sim/import/cluster/slurm.h"
#include "sim/import/cluster/slurm_yaml.h"

ss_own_file ss_own_file_of(const char *text)
{
  const char *first = text + strspn(text, " \t\r\n");
  if (*first == '<') return SS_OWN_NCCL;
  if (ss_node_matrix_is(text)) return SS_OWN_MATRIX;
  if (ss_ib_tables_is(text)) return SS_OWN_TABLES;
  if (ss_ib_fabric_is(text)) return SS_OWN_IB;
  return ss_slurm_is(text) || ss_slurm_yaml_is(text) ? SS_OWN_SLURM : SS_OWN_HOSTS;
}

/* Each kind of file once, but those of nodes, which may be of several. */
static ss_status keep_file(ss_own_draft *draft, const char *path, ss_own_file kind, ss_error *error)
{
  const bool again = draft->file[kind][0] != '\0';
  const bool of_node = kind == SS_OWN_NCCL || kind == SS_OWN_MATRIX;
  if (again && !of_node)
    return ss_error_set(error, SS_ERROR_INPUT, path, 0, "is %s, and so is %s; allowed: one", ss_own_file_text(kind),
                        draft->file[kind]);
  if (!again) (void)snprintf(draft->file[kind], SS_PATH_SIZE, "%s", path);
  return SS_OK;
}

ss_status ss_own_take_node(ss_own_draft *draft, const ss_node *node, const char *path, ss_own_file kind,
                           ss_error *error)
{
  const char *other = draft->file[draft->file[SS_OWN_NCCL][0] != '\0' ? SS_OWN_NCCL : SS_OWN_MATRIX];
  ss_node *own = &draft->node;
  const bool differs = own->gpus != node->gpus || own->nics != node->nics ||
                       (own->capability > 0 && node->capability > 0 && own->capability != node->capability) ||
                       (own->nvlinks > 0 && node->nvlinks > 0 && own->nvlinks != node->nvlinks);
  if (own->gpus > 0 && differs)
    return ss_error_set(error, SS_ERROR_INPUT, path, 0,
                        "is a node with %" PRId64 " GPUs, %" PRId64 " NICs and %" PRId64
                        " NVLinks each, %s one with %" PRId64 ", %" PRId64 " and %" PRId64
                        ": two kinds of node; allowed: one kind, of which a platform consists",
                        node->gpus, node->nics, node->nvlinks, other, own->gpus, own->nics, own->nvlinks);
  ss_status status = keep_file(draft, path, kind, error);
  if (status == SS_OK && own->gpus == 0 && node->nics_left_out > 0)
    status = ss_own_note(draft, error,
                         "%s: %" PRId64 " NICs are not of the fabric: not behind the PCIe switch of a GPU, or slower.",
                         path, node->nics_left_out);
  if (own->gpus == 0) {
    *own = *node;
    return status;
  }
  if (own->capability == 0) own->capability = node->capability;
  if (own->nvlinks == 0) own->nvlinks = node->nvlinks;
  if (!(own->nic_bytes_per_s > 0.0)) own->nic_bytes_per_s = node->nic_bytes_per_s;
  return status;
}

static ss_status take_matrix(ss_own_draft *draft, const ss_source *source, ss_error *error)
{
  ss_node node;
  const ss_status status = ss_node_matrix_read(source, &node, error);
  return status == SS_OK ? ss_own_take_node(draft, &node, source->path, SS_OWN_MATRIX, error) : status;
}

/* A leaf or block of `group`: its nodes get places one after the other. */
static ss_status place_nodes(ss_own_draft *draft, const ss_slurm_group *group, const ss_printed *printed, int64_t first,
                             ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t k = 0; status == SS_OK && k < group->nodes.count; ++k) {
    status = ss_names_add(&draft->hosts, group->nodes.name[k], printed, error);
    if (status == SS_OK) draft->place[draft->hosts.count - 1] = first + k;
  }
  return status;
}

static ss_status place_groups(ss_own_draft *draft, const ss_slurm *slurm, const ss_source *source, ss_error *error)
{
  const ss_printed printed = {.source = source};
  int64_t nodes = 0, leaves = 0;
  for (int64_t i = 0; i < slurm->count; ++i) {
    nodes += slurm->group[i].nodes.count;
    if (slurm->group[i].nodes.count > draft->of_leaf) draft->of_leaf = slurm->group[i].nodes.count;
  }
  draft->place = calloc((size_t)nodes + 1, sizeof *draft->place);
  if (draft->place == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for nodes");
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < slurm->count; ++i) {
    const ss_slurm_group *group = &slurm->group[i];
    if (group->nodes.count == 0) continue;
    status = place_nodes(draft, group, &printed, leaves++ * draft->of_leaf, error);
    if (status == SS_OK && group->nodes.count < draft->of_leaf)
      status = ss_own_note(draft, error, "%s:%d: %s has %" PRId64 " nodes, others %" PRId64 ": its places stay empty.",
                           source->path, group->line, group->name, group->nodes.count, draft->of_leaf);
  }
  draft->places = leaves * draft->of_leaf;
  return status;
}

/* Says what Slurm knows and a platform does not, and which switches nothing joins. */
static ss_status note_slurm(ss_own_draft *draft, const ss_slurm *slurm, const char *path, ss_error *error)
{
  int64_t tops = 0, last = 0;
  ss_status status = SS_OK;
  for (int64_t i = 0; i < slurm->count && !slurm->is_blocks; ++i) {
    if (slurm->group[i].parent >= 0) continue;
    ++tops;
    last = i;
  }
  if (slurm->left_out > 0)
    status = ss_own_note(draft, error, "%s: topologies that are not the cluster's default are left out (%" PRId64 ").",
                         path, slurm->left_out);
  if (status == SS_OK && tops > 1)
    status =
        ss_own_note(draft, error, "%s: %" PRId64 " switches have none above them, such as %s: they are joined here.",
                    path, tops, slurm->group[last].name);
  if (status == SS_OK && slurm->has_speeds)
    status = ss_own_note(draft, error, "%s: LinkSpeed has no unit in Slurm, and is left out.", path);
  if (status == SS_OK && slurm->has_sizes)
    status = ss_own_note(draft, error, "%s: BlockSizes, which jobs may ask for, are left out.", path);
  return status;
}

static ss_status take_slurm(ss_own_draft *draft, const ss_source *source, ss_error *error)
{
  ss_slurm slurm;
  ss_status status = keep_file(draft, source->path, SS_OWN_SLURM, error);
  if (status != SS_OK) return status;
  status =
      ss_slurm_yaml_is(source->text) ? ss_slurm_yaml_read(source, &slurm, error) : ss_slurm_read(source, &slurm, error);
  if (status == SS_OK) status = note_slurm(draft, &slurm, source->path, error);
  if (status == SS_OK && draft->places == 0) { /* cables say more than switches do */
    status = place_groups(draft, &slurm, source, error);
    draft->levels = slurm.levels;
  }
  if (status == SS_OK && slurm.is_blocks) {
    draft->block = draft->of_leaf;
    draft->of_leaf = draft->levels = 0;
  }
  ss_slurm_free(&slurm);
  return status;
}

static ss_status take_ib(ss_own_draft *draft, const ss_source *source, ss_error *error)
{
  ss_status status = keep_file(draft, source->path, SS_OWN_IB, error);
  if (status == SS_OK) status = ss_ib_fabric_read(source, &draft->fabric, error);
  return status == SS_OK ? ss_own_take_fabric(draft, &draft->fabric, source, error) : status;
}

static ss_status take_tables(ss_own_draft *draft, const ss_source *source, ss_error *error)
{
  ss_ib_tables tables;
  ss_status status = keep_file(draft, source->path, SS_OWN_TABLES, error);
  if (status != SS_OK) return status;
  status = ss_ib_tables_read(source, &tables, error);
  if (status == SS_OK) status = ss_own_take_routes(draft, &tables, source, error);
  ss_ib_tables_free(&tables);
  return status;
}

/* "node001 slots=8", "node001:8", a list in brackets, or a name by itself, a line each. Batch systems repeat a host
 * for each of its slots. */
static ss_status take_hosts(ss_own_draft *draft, const ss_source *source, ss_error *error)
{
  ss_printed printed = ss_printed_of(source);
  ss_status status = keep_file(draft, source->path, SS_OWN_HOSTS, error);
  for (char *line = ss_printed_next(&printed); status == SS_OK && line != NULL; line = ss_printed_next(&printed)) {
    char *word[3];
    line[strcspn(line, "#")] = '\0';
    const int count = ss_printed_words(line, word, 2);
    if (count == 0) continue;
    const bool slots = count == 2 && (strncmp(word[1], "slots=", 6) == 0 || strncmp(word[1], "max_slots=", 10) == 0);
    if (count > 2 || (count == 2 && !slots))
      return ss_printed_refuse(&printed, error,
                               "is none of the files of a cluster, or no host; allowed: NAME, NAME slots=N, NAME:N or "
                               "node[001-064,070], a line each");
    word[0][strcspn(word[0], ":")] = '\0';
    const int64_t before = draft->job.count;
    status = ss_names_expand(&draft->job, word[0], &printed, error);
    ss_names_keep_first(&draft->job, before);
  }
  if (status != SS_OK || draft->job.count > 0) return status;
  return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "names no host; allowed: one or more");
}

ss_status ss_own_take(ss_own_draft *draft, const ss_source *source, ss_own_file kind, ss_error *error)
{
  switch (kind) {
  case SS_OWN_MATRIX: return take_matrix(draft, source, error);
  case SS_OWN_IB: return take_ib(draft, source, error);
  case SS_OWN_TABLES: return take_tables(draft, source, error);
  case SS_OWN_SLURM: return take_slurm(draft, source, error);
  case SS_OWN_HOSTS: return take_hosts(draft, source, error);
  case SS_OWN_NCCL:
  case SS_OWN_FILES: break;
  }
  return SS_OK;
}

ss_status ss_own_finish(ss_own_draft *draft, ss_error *error)
{
  const ss_printed printed = {.source = &(ss_source){.path = draft->file[SS_OWN_HOSTS]}};
  for (int64_t i = 0; draft->hosts.count > 0 && i < draft->job.count; ++i)
    if (ss_names_find(&draft->hosts, draft->job.name[i]) < 0)
      return ss_error_set(error, SS_ERROR_INPUT, draft->file[SS_OWN_HOSTS], 0,
                          "%s is in no other file; allowed: nodes of the cluster", draft->job.name[i]);
  if (draft->hosts.count > 0 || draft->job.count == 0) return SS_OK;
  draft->place = calloc((size_t)draft->job.count, sizeof *draft->place);
  if (draft->place == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for nodes");
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < draft->job.count; ++i) {
    draft->place[i] = i;
    status = ss_names_add(&draft->hosts, draft->job.name[i], &printed, error);
  }
  draft->places = draft->job.count;
  return status;
}
