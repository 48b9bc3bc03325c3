/* libFuzzer harness: any bytes as a description of a machine, of the kind that they look like. What is accepted is
 * consistent. */
#include <stdint.h>
#include <string.h>

#include "sim/import/cluster/own_cluster.h"
#include "sim/io/io.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
  return status == SS_OK ? ss_own_finish(draft, error) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[PATH_ROOM];
  ss_error error = {.code = SS_OK};
  ss_own_draft draft = {.notes = 0};
  write_input("cluster", data, size, path);
  const ss_status status = take(&draft, path, &error);
  (void)remove(path);
  SS_ASSERT(status == error.code);
  if (status == SS_OK) {
    SS_ASSERT(draft.hosts.count <= draft.places && draft.node.gpus >= 0 &&
              strlen(draft.link_speed) < SS_LINK_SPEED_SIZE);
    for (int64_t i = 0; i < draft.hosts.count; ++i) SS_ASSERT(draft.place[i] >= 0 && draft.place[i] < draft.places);
  }
  ss_own_free(&draft);
  return 0;
}
