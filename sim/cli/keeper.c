#include "sim/cli/keeper.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/report.h"

ss_status ss_keeper_open(ss_keeper *keeper, const ss_options *options, ss_error *error)
{
  *keeper = (ss_keeper){.path = options->db};
  if (options->db == NULL) return SS_OK;
  const ss_status status = ss_digest_program(&keeper->program, error);
  return status == SS_OK ? ss_store_open(options->db, true, &keeper->store, error) : status;
}

void ss_keeper_close(ss_keeper *keeper)
{
  ss_store_close(keeper->store);
  keeper->store = NULL;
}

bool ss_keeper_keeps(const ss_keeper *keeper)
{
  return keeper->store != NULL;
}

/* What a question depends on, by parts. */
typedef struct keys {
  ss_key key, inputs;
} keys;

static void add_question(ss_digest *digest, const ss_question *question)
{
  ss_digest_add_text(digest, question->kind);
  for (int i = 0; i < SS_QUESTION_NUMBERS; ++i) ss_digest_add_real(digest, question->number[i]);
}

/* The machine with its topology, and the workload with the ranks of its rank file. */
static ss_status add_inputs(ss_keeper *keeper, ss_digest *digest, const ss_question *question, ss_error *error)
{
  const char *platform = question->machine->file, *ranks = question->workload->placement.ranks;
  ss_key placement = {{0}};
  ss_status status = SS_OK;
  if (strcmp(keeper->platform, platform) != 0) {
    status = ss_digest_file(platform, &keeper->topology, error);
    if (status == SS_OK) (void)snprintf(keeper->platform, sizeof keeper->platform, "%s", platform);
  }
  if (status == SS_OK && ranks[0] != '\0') status = ss_digest_file(ranks, &placement, error);
  ss_digest_add_workload(digest, question->workload);
  ss_digest_add_machine(digest, question->machine);
  ss_digest_add_bytes(digest, keeper->topology.byte, sizeof keeper->topology.byte);
  ss_digest_add_bytes(digest, placement.byte, sizeof placement.byte);
  return status;
}

static ss_status find_keys(ss_keeper *keeper, const ss_question *question, keys *found, ss_error *error)
{
  ss_digest *digest = ss_digest_create();
  if (digest == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a digest");
  const ss_status status = add_inputs(keeper, digest, question, error);
  found->inputs = ss_digest_key(digest);
  add_question(digest, question);
  ss_digest_add_text(digest, SS_VERSION);
  ss_digest_add_bytes(digest, keeper->program.byte, sizeof keeper->program.byte);
  found->key = ss_digest_key(digest);
  ss_digest_destroy(digest);
  return status;
}

ss_status ss_keeper_find(ss_keeper *keeper, const ss_question *question, void **outcome, size_t *size, ss_error *error)
{
  keys found;
  *outcome = NULL;
  *size = 0;
  if (keeper->store == NULL) return SS_OK;
  ss_status status = find_keys(keeper, question, &found, error);
  if (status == SS_OK) status = ss_store_find(keeper->store, &found.key, outcome, size, error);
  ++keeper->asked;
  keeper->taken += *outcome != NULL;
  if (*size > 0) return status;
  free(*outcome);
  *outcome = NULL;
  return status;
}

ss_status ss_keeper_miss(ss_keeper *keeper)
{
  ++keeper->asked;
  return SS_OK;
}

ss_status ss_keeper_keep(ss_keeper *keeper, const ss_question *question, ss_record record, const void *outcome,
                         size_t size, ss_error *error)
{
  keys found;
  char program[SS_KEY_TEXT_SIZE], inputs[SS_KEY_TEXT_SIZE], topology[SS_KEY_TEXT_SIZE];
  if (keeper->store == NULL) return SS_OK;
  const ss_status status = find_keys(keeper, question, &found, error);
  if (status != SS_OK) return status;
  ss_key_text(&keeper->program, program);
  ss_key_text(&found.inputs, inputs);
  ss_key_text(&keeper->topology, topology);
  record.kind = question->kind;
  record.workload = question->workload->model.name;
  record.platform = question->machine->name;
  record.version = SS_VERSION;
  record.program = program;
  record.inputs = inputs;
  record.topology = topology;
  const ss_store_row row = {.key = found.key, .record = record, .outcome = outcome, .size = size};
  return ss_store_keep(keeper->store, &row, error);
}

ss_status ss_keeper_describe(ss_record *record, const ss_strategy *strategy, int64_t count, bool named,
                             ss_knob_set knobs, ss_error *error)
{
  if (count > 0) {
    record->estimate_s = strategy->estimate.iteration_s;
    if (strategy->simulated) record->simulation_s = strategy->simulation.iteration_s;
    record->memory_bytes = strategy->memory.total_bytes;
    record->fits = strategy->memory.fits;
  }
  record->parts = ss_report_strategies(strategy, count, named, knobs);
  return record->parts != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a record");
}

void ss_keeper_tell(const ss_keeper *keeper, const ss_options *options, const char *results)
{
  if (keeper->path == NULL || options->quiet) return;
  (void)fprintf(stderr, "stepsim: %" PRId64 " of %" PRId64 " %s taken from %s\n", keeper->taken, keeper->asked, results,
                keeper->path);
}
