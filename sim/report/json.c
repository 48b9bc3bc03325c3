#include "sim/report/json.h"

#include <math.h>

#include "sim/report/output.h"

void ss_json_add(json_t *object, const char *key, json_t *value, bool *complete)
{
  if (json_object_set_new(object, key, value) != 0) *complete = false;
}

void ss_json_add_real(json_t *object, const char *key, double value, bool *complete)
{
  /* JSON has no infinity and no NaN. */
  ss_json_add(object, key, isfinite(value) ? json_real(value) : json_null(), complete);
}

void ss_json_append(json_t *array, json_t *value, bool *complete)
{
  if (json_array_append_new(array, value) != 0) *complete = false;
}

json_t *ss_json_breakdown(const ss_breakdown *breakdown, bool *complete)
{
  json_t *object = json_object();
  ss_json_add_real(object, "iteration_s", breakdown->iteration_s, complete);
#define SS_PART_ADD(field, label, help) ss_json_add_real(object, #field, breakdown->field, complete);
  SS_PART_LIST(SS_PART_ADD)
#undef SS_PART_ADD
  return object;
}

json_t *ss_json_memory(const ss_memory *memory, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "stage", json_integer(memory->stage), complete);
#define SS_MEMORY_ADD(field, label) ss_json_add_real(object, #field, memory->field, complete);
  SS_MEMORY_LIST(SS_MEMORY_ADD)
  SS_MEMORY_DETAIL_LIST(SS_MEMORY_ADD)
#undef SS_MEMORY_ADD
  ss_json_add_real(object, "total_bytes", memory->total_bytes, complete);
  ss_json_add_real(object, "capacity_bytes", memory->capacity_bytes, complete);
  ss_json_add_real(object, "reserved_bytes", memory->reserved_bytes, complete);
  ss_json_add_real(object, "offloaded_bytes", memory->offloaded_bytes, complete);
  ss_json_add_real(object, "offload_capacity_bytes", memory->offload_capacity_bytes, complete);
  ss_json_add(object, "fits", json_boolean(memory->fits), complete);
  return object;
}

json_t *ss_json_error_summary(const ss_error_summary *summary, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "count", json_integer(summary->count), complete);
  ss_json_add_real(object, "mean_absolute", summary->mean_absolute, complete);
  ss_json_add_real(object, "bias", summary->bias, complete);
  ss_json_add_real(object, "p90", summary->p90, complete);
  ss_json_add_real(object, "worst", summary->worst, complete);
  return object;
}

#define LAYOUT (JSON_INDENT(2) | JSON_REAL_PRECISION(17))

ss_status ss_json_text(json_t *document, bool complete, char **text, ss_error *error)
{
  *text = complete ? json_dumps(document, LAYOUT) : NULL;
  json_decref(document);
  return *text != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
}

static int write_piece(const char *bytes, size_t size, void *output)
{
  ss_output_write(output, bytes, size);
  return 0;
}

ss_status ss_json_write(const char *path, json_t *document, bool complete, ss_error *error)
{
  ss_output output = {0};
  ss_status status = SS_OK;
  if (!complete) status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  if (status == SS_OK) status = ss_output_open(&output, path, error);
  if (status != SS_OK) goto out;
  if (json_dump_callback(document, write_piece, &output, LAYOUT) != 0) {
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
    goto out;
  }
  ss_output_print(&output, "\n");
  status = ss_output_close(&output, error);
out:
  json_decref(document);
  ss_output_free(&output);
  return status;
}
