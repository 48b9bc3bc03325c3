/* Lists of results that were kept. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/json.h"
#include "sim/report/output.h"
#include "sim/report/report.h"
#include "sim/report/strategy.h"

/* Widths of the columns of text. */
typedef struct widths {
  int kind, workload, platform, label;
} widths;

static void widen(int *width, const char *text)
{
  const int length = (int)strlen(text);
  if (length > *width) *width = length;
}

static widths widths_of(const ss_record *record, int64_t count)
{
  widths w = {.kind = 4, .workload = 8, .platform = 8, .label = 0};
  for (int64_t i = 0; i < count; ++i) {
    widen(&w.kind, record[i].kind);
    widen(&w.workload, record[i].workload);
    widen(&w.platform, record[i].platform);
    widen(&w.label, record[i].label);
  }
  return w;
}

static void print_time(FILE *stream, double time_s)
{
  if (isnan(time_s))
    (void)fprintf(stream, "%14s", "-");
  else if (time_s < 1.0)
    (void)fprintf(stream, "%11.3f ms", 1e3 * time_s);
  else
    (void)fprintf(stream, "%12.4f s", time_s);
}

static void print_record(FILE *stream, const widths *w, const ss_record *record)
{
  (void)fprintf(stream, "%-*s  %-*s  %-*s", w->kind, record->kind, w->workload, record->workload, w->platform,
                record->platform);
  if (record->gpus >= 0)
    (void)fprintf(stream, "%8" PRId64, record->gpus);
  else
    (void)fprintf(stream, "%8s", "-");
  print_time(stream, record->estimate_s);
  print_time(stream, record->simulation_s);
  if (isnan(record->memory_bytes))
    (void)fprintf(stream, "%13s", "-");
  else
    (void)fprintf(stream, "%9.2f GiB", record->memory_bytes / SS_GIB);
  const char *fits = record->fits > 0 ? "yes" : "no";
  (void)fprintf(stream, "  %-4s  %-*s", record->fits >= 0 ? fits : "-", record->refusal[0] != '\0' ? w->label : 0,
                record->label);
  (void)fprintf(stream, "%s%s\n", record->refusal[0] != '\0' ? "  " : "", record->refusal);
}

void ss_report_results_text(FILE *stream, const ss_record *record, int64_t count)
{
  const widths w = widths_of(record, count);
  if (count == 0) {
    (void)fprintf(stream, "no results\n");
    return;
  }
  (void)fprintf(stream, "%-*s  %-*s  %-*s%8s%14s%14s%13s  %s  what\n", w.kind, "kind", w.workload, "workload",
                w.platform, "platform", "GPUs", "closed form", "replay", "memory", "fits");
  for (int64_t i = 0; i < count; ++i) print_record(stream, &w, &record[i]);
}

static void add_text(json_t *object, const char *name, const char *text, bool *complete)
{
  if (text[0] != '\0') ss_json_add(object, name, json_string(text), complete);
}

/* What is JSON already, and must be since the program wrote it. */
static void add_document(json_t *object, const char *name, const char *text, bool *complete)
{
  if (text[0] != '\0') ss_json_add(object, name, json_loads(text, 0, NULL), complete);
}

static json_t *record_json(const ss_record *record, bool *complete)
{
  json_t *object = json_object();
#define JSON_TEXT(field, name, meaning)     add_text(object, name, record->field, complete);
#define JSON_DOCUMENT(field, name, meaning) add_document(object, name, record->field, complete);
#define JSON_COUNT(field, name, meaning)                                                                               \
  if (record->field >= 0) ss_json_add(object, name, json_integer(record->field), complete);
#define JSON_REAL(field, name, meaning)                                                                                \
  if (!isnan(record->field)) ss_json_add_real(object, name, record->field, complete);
  SS_RECORD_TEXTS(JSON_TEXT)
  SS_RECORD_COUNTS(JSON_COUNT)
  SS_RECORD_REALS(JSON_REAL)
  SS_RECORD_DOCUMENTS(JSON_DOCUMENT)
#undef JSON_TEXT
#undef JSON_DOCUMENT
#undef JSON_COUNT
#undef JSON_REAL
  return object;
}

ss_status ss_report_results_json(const char *path, const ss_record *record, int64_t count, ss_error *error)
{
  bool complete = true;
  json_t *array = json_array();
  for (int64_t i = 0; i < count; ++i) ss_json_append(array, record_json(&record[i], &complete), &complete);
  return ss_json_write(path, array, complete, error);
}

static void print_row(ss_output *output, const ss_record *record)
{
  const char *separator = "";
#define CSV_TEXT(field, name, meaning)                                                                                 \
  ss_output_print(output, "%s", separator);                                                                            \
  ss_output_print_field(output, record->field);                                                                        \
  separator = ",";
#define CSV_COUNT(field, name, meaning)                                                                                \
  ss_output_print(output, ",");                                                                                        \
  if (record->field >= 0) ss_output_print(output, "%" PRId64, record->field);
#define CSV_REAL(field, name, meaning)                                                                                 \
  ss_output_print(output, ",");                                                                                        \
  if (!isnan(record->field)) ss_output_print(output, "%.17g", record->field);
  SS_RECORD_TEXTS(CSV_TEXT)
  SS_RECORD_COUNTS(CSV_COUNT)
  SS_RECORD_REALS(CSV_REAL)
#undef CSV_TEXT
#undef CSV_COUNT
#undef CSV_REAL
  ss_output_print(output, "\n");
}

ss_status ss_report_results_csv(const char *path, const ss_record *record, int64_t count, ss_error *error)
{
  ss_output output = {0};
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
#define CSV_NAME(field, name, meaning) "," name
  const char *header = SS_RECORD_TEXTS(CSV_NAME) SS_RECORD_COUNTS(CSV_NAME) SS_RECORD_REALS(CSV_NAME);
#undef CSV_NAME
  ss_output_print(&output, "%s\n", header + 1);
  for (int64_t i = 0; i < count; ++i) print_row(&output, &record[i]);
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}

static json_t *strategy_json(const ss_strategy *strategy, bool named, ss_knob_set knobs, bool *complete)
{
  json_t *object = json_object();
  if (named) ss_json_add_candidate(object, &strategy->candidate, knobs, complete);
  ss_json_add(object, "estimate", ss_json_breakdown(&strategy->estimate, complete), complete);
  if (strategy->simulated)
    ss_json_add(object, "simulation", ss_json_breakdown(&strategy->simulation, complete), complete);
  ss_json_add(object, "memory", ss_json_memory(&strategy->memory, complete), complete);
  return object;
}

char *ss_report_strategies(const ss_strategy *strategy, int64_t count, bool named, ss_knob_set knobs)
{
  bool complete = true;
  json_t *array = json_array();
  for (int64_t i = 0; i < count; ++i)
    ss_json_append(array, strategy_json(&strategy[i], named, knobs, &complete), &complete);
  char *text = complete ? json_dumps(array, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(array);
  return text;
}
