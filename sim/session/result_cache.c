#include "sim/session/result_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "sim/report/report.h"

ss_status ss_result_cache_open(ss_result_cache *cache, const char *path, ss_error *error)
{
  *cache = (ss_result_cache){.path = path};
  if (path == NULL) return SS_OK;
  const ss_status status = ss_digest_program(&cache->program, error);
  return status == SS_OK ? ss_store_open(path, true, &cache->store, error) : status;
}

void ss_result_cache_close(ss_result_cache *cache)
{
  ss_store_close(cache->store);
  cache->store = NULL;
}

bool ss_result_cache_keeps(const ss_result_cache *cache)
{
  return cache->store != NULL;
}

/* Digests: of all that a question depends on, and of its inputs alone. */
typedef struct keys {
  ss_key key, inputs;
} keys;

static void add_question(ss_digest *digest, const ss_question *question)
{
  ss_digest_add_text(digest, question->kind);
  for (int i = 0; i < SS_QUESTION_NUMBERS; ++i) ss_digest_add_real(digest, question->number[i]);
}

/* The machine with its topology, the workload, and the files that they name. */
static ss_status add_inputs(ss_result_cache *cache, ss_digest *digest, const ss_question *question, ss_error *error)
{
  const char *platform = question->machine->file;
  ss_key named[SS_WORKLOAD_FILES] = {{{0}}}, routes = {{0}};
  ss_status status = SS_OK;
  if (strcmp(cache->platform, platform) != 0) {
    status = ss_digest_file(platform, &cache->topology, error);
    if (status == SS_OK) (void)snprintf(cache->platform, sizeof cache->platform, "%s", platform);
  }
  for (int i = 0; status == SS_OK && i < SS_WORKLOAD_FILES; ++i) {
    const char *file = ss_workload_file(question->workload, i);
    if (file[0] != '\0') status = ss_digest_file(file, &named[i], error);
  }
  if (status == SS_OK && question->machine->routes[0] != '\0')
    status = ss_digest_file(question->machine->routes, &routes, error);
  ss_digest_add_workload(digest, question->workload);
  ss_digest_add_machine(digest, question->machine);
  ss_digest_add_bytes(digest, cache->topology.byte, sizeof cache->topology.byte);
  for (int i = 0; i < SS_WORKLOAD_FILES; ++i) ss_digest_add_bytes(digest, named[i].byte, sizeof named[i].byte);
  ss_digest_add_bytes(digest, routes.byte, sizeof routes.byte);
  return status;
}

static ss_status find_keys(ss_result_cache *cache, const ss_question *question, keys *found, ss_error *error)
{
  ss_digest *digest = ss_digest_create();
  if (digest == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a digest");
  const ss_status status = add_inputs(cache, digest, question, error);
  found->inputs = ss_digest_key(digest);
  add_question(digest, question);
  ss_digest_add_text(digest, SS_VERSION);
  ss_digest_add_bytes(digest, cache->program.byte, sizeof cache->program.byte);
  found->key = ss_digest_key(digest);
  ss_digest_destroy(digest);
  return status;
}

ss_status ss_result_cache_find(ss_result_cache *cache, const ss_question *question, void **outcome, size_t *size,
                               ss_error *error)
{
  keys found;
  *outcome = NULL;
  *size = 0;
  if (cache->store == NULL) return SS_OK;
  ss_status status = find_keys(cache, question, &found, error);
  if (status == SS_OK) status = ss_store_find(cache->store, &found.key, outcome, size, error);
  ++cache->asked;
  cache->taken += *outcome != NULL;
  if (*size > 0) return status;
  free(*outcome);
  *outcome = NULL;
  return status;
}

ss_status ss_result_cache_miss(ss_result_cache *cache)
{
  ++cache->asked;
  return SS_OK;
}

ss_status ss_result_cache_keep(ss_result_cache *cache, const ss_question *question, ss_record record,
                               const void *outcome, size_t size, ss_error *error)
{
  keys found;
  char program[SS_KEY_TEXT_SIZE], inputs[SS_KEY_TEXT_SIZE], topology[SS_KEY_TEXT_SIZE];
  if (cache->store == NULL) return SS_OK;
  const ss_status status = find_keys(cache, question, &found, error);
  if (status != SS_OK) return status;
  ss_key_text(&cache->program, program);
  ss_key_text(&found.inputs, inputs);
  ss_key_text(&cache->topology, topology);
  record.kind = question->kind;
  record.workload = question->workload->model.name;
  record.platform = question->machine->name;
  record.kernels = ss_kernels_word(ss_calibration_of(question->machine).kernels);
  record.version = SS_VERSION;
  record.program = program;
  record.inputs = inputs;
  record.topology = topology;
  const ss_store_row row = {.key = found.key, .record = record, .outcome = outcome, .size = size};
  return ss_store_keep(cache->store, &row, error);
}

ss_status ss_result_cache_describe(ss_record *record, const ss_kept_strategies *kept, ss_error *error)
{
  const ss_status status = ss_report_fill_record(kept, record);
  return status == SS_OK ? SS_OK : ss_error_set(error, status, NULL, 0, "out of memory for a record");
}

void ss_result_cache_tell(const ss_result_cache *cache, bool quiet, const char *results)
{
  if (cache->path == NULL || quiet) return;
  (void)fprintf(stderr, "stepsim: %" PRId64 " of %" PRId64 " %s taken from %s\n", cache->taken, cache->asked, results,
                cache->path);
}
