/* libFuzzer harness: any bytes as a description of a machine, of the kind that they look like; cables and forwarding
 * tables may follow one another, with a line between them. What is accepted is consistent: cables are ports of a tree,
 * and routes are those of its links. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/fabric/forwarding.h"
#include "sim/import/cluster/own_cluster.h"
#include "sim/import/cluster/own_routes.h"
#include "sim/io/io.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char between[] = "\n=\n";

/* The cables of a tree lead from ports of their own to the switches that it has there. */
static void check_tree(const ss_own_draft *draft)
{
  const ss_own_tree *tree = &draft->tree;
  int64_t ups[SS_OWN_LEVELS + 1] = {1, 1};
  SS_ASSERT(tree->levels <= SS_OWN_LEVELS);
  for (int64_t level = 1; level < tree->levels; ++level) ups[level + 1] = ups[level] * tree->up[level];
  for (int64_t i = 0; tree->levels > 1 && i < draft->fabric.links; ++i) {
    const ss_ib_link *link = &draft->fabric.link[i];
    const ss_ib_switch *from = &draft->fabric.at[link->from];
    if (link->tree_port < 0) continue;
    const int64_t level = from->level, up = tree->up[level];
    const int64_t place = from->number / ups[level] / tree->down[level];
    SS_ASSERT(link->tree_port < up * tree->cables[level]);
    SS_ASSERT(draft->fabric.at[link->to].number ==
              from->number % ups[level] + ups[level] * (link->tree_port % up + up * place));
  }
}

/* A machine with the tree takes its routes. */
static void check_routes(ss_own_draft *draft)
{
  char path[PATH_ROOM];
  ss_machine *machine = calloc(1, sizeof *machine);
  ss_forwarding *forwarding = NULL;
  ss_error error = {.code = SS_OK};
  char *text = ss_own_routes_text(draft);
  SS_ASSERT(machine != NULL && text != NULL);
  machine->gpus = draft->places;
  machine->domain_size = 1;
  machine->nics_per_domain = draft->nics;
  machine->rail_domains = draft->rails > 1 ? draft->of_leaf : 0;
  machine->shape.topology = SS_TOPOLOGY_FAT_TREE;
  machine->shape.as.fat_tree = ss_own_tree_shape(draft, draft->places / draft->of_leaf * draft->rails);
  write_input("routes", (const uint8_t *)text, strlen(text), path);
  (void)snprintf(machine->routes, sizeof machine->routes, "%s", path);
  SS_ASSERT(ss_routes_load(machine, &forwarding, &error) == SS_OK && forwarding->count == draft->routes);
  (void)remove(path);
  ss_forwarding_destroy(forwarding);
  free(text);
  free(machine);
}

static ss_status take(ss_own_draft *draft, const char *path, ss_error *error)
{
  ss_source source;
  ss_node node;
  ss_status status = ss_source_read(path, &source, error);
  const ss_own_file kind = status == SS_OK ? ss_own_file_of(source.text) : SS_OWN_FILES;
  if (status == SS_OK && kind == SS_OWN_NCCL) {
    status = ss_nccl_topology_load(path, &node, error);
    if (status == SS_OK) status = ss_own_take_node(draft, &node, path, kind, error);
  } else if (status == SS_OK) {
    status = ss_own_take(draft, &source, kind, error);
  }
  ss_source_free(&source);
  return status;
}

/* Each part of the bytes as a file of its own; paths are borrowed by what is taken. */
static ss_status take_parts(ss_own_draft *draft, const uint8_t *data, size_t size, ss_error *error)
{
  char path[PATH_ROOM], other[PATH_ROOM];
  const uint8_t *gap = memmem(data, size, between, sizeof between - 1);
  const size_t first = gap != NULL ? (size_t)(gap - data) : size;
  write_input("cluster", data, first, path);
  ss_status status = take(draft, path, error);
  (void)remove(path);
  if (status == SS_OK && gap != NULL) {
    write_input("tables", gap + sizeof between - 1, size - first - (sizeof between - 1), other);
    status = take(draft, other, error);
    (void)remove(other);
  }
  return status == SS_OK ? ss_own_finish(draft, error) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  ss_error error = {.code = SS_OK};
  ss_own_draft draft = {.notes = 0};
  const ss_status status = take_parts(&draft, data, size, &error);
  SS_ASSERT(status == error.code);
  if (status == SS_OK) {
    SS_ASSERT(draft.hosts.count <= draft.places && draft.node.gpus >= 0 &&
              strlen(draft.link_speed) < SS_LINK_SPEED_SIZE);
    for (int64_t i = 0; i < draft.hosts.count; ++i) SS_ASSERT(draft.place[i] >= 0 && draft.place[i] < draft.places);
    check_tree(&draft);
    if (draft.routes > 0) check_routes(&draft);
  }
  ss_own_free(&draft);
  return 0;
}
