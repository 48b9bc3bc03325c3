/* Lists of results that were kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/calibration.h"
#include "sim/report/json.h"
#include "sim/report/output.h"
#include "sim/report/report.h"
#include "sim/report/strategies/listing.h"
#include "sim/report/strategies/record_value.h"

/* Widths of the columns of text. */
typedef struct widths {
  int kind, workload, platform, label;
  bool folded; /* what a result is of has a line of its own below it, as lines would be too long */
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

/* What a result is of, and why it was refused: at the end of the line, or below it. */
static void print_label(FILE *stream, const widths *w, const ss_record *record)
{
  const bool is_refused = record->refusal[0] != '\0';
  if (!w->folded) {
    (void)fprintf(stream, "  %-*s%s%s\n", is_refused ? w->label : 0, record->label, is_refused ? "  " : "",
                  record->refusal);
    return;
  }
  (void)fputs("\n    ", stream);
  ss_table_print_wrapped(stream, record->label, 4);
  if (!is_refused) return;
  (void)fputs("    refused: ", stream);
  ss_table_print_wrapped(stream, record->refusal, 4 + strlen("refused: "));
}

static void print_record(FILE *stream, const widths *w, const ss_listing *listing, const ss_record *record)
{
  const ss_line line = {.listing = listing, .record = record};
  (void)fprintf(stream, "%-*s  %-*s  %-*s", w->kind, record->kind, w->workload, record->workload, w->platform,
                record->platform);
  ss_listing_print(stream, SS_RESULTS_TEXT, &line);
  print_label(stream, w, record);
}

/* Says which platforms are not fitted, and whether others are; records of an old database say nothing. */
static void print_mix(FILE *stream, const ss_record *record, int64_t count)
{
  ss_calibrated *list = malloc((size_t)(count + 1) * sizeof *list);
  int64_t platforms = 0;
  for (int64_t i = 0; list != NULL && i < count; ++i) {
    const ss_calibration calibration = {.kernels = ss_kernels_find(record[i].kernels), .starts = true};
    if (calibration.kernels < SS_KERNELS_COUNT)
      platforms = ss_calibrated_add(list, platforms, record[i].platform, &calibration);
  }
  ss_calibration_print(stream, list, platforms);
  free(list);
}

/* Whether any of the strategies had a price. */
static bool are_costed(const ss_record *record, int64_t count)
{
  for (int64_t i = 0; i < count; ++i)
    if (!isnan(ss_record_value(&record[i], "dollars"))) return true;
  return false;
}

/* A line has its label where it is short enough with all columns. */
static ss_listing lay_out(widths *w, const ss_record *record, int64_t count, int columns)
{
  ss_listing listing = {.chosen = true, .costed = are_costed(record, count)};
  const int used = w->kind + w->workload + w->platform + 4;
  int label = w->label;
  for (int64_t i = 0; i < count; ++i) {
    const int refusal = (int)strlen(record[i].refusal);
    if (refusal > 0 && w->label + 2 + refusal > label) label = w->label + 2 + refusal;
    listing.replayed = listing.replayed || !isnan(record[i].simulation_s);
  }
  (void)ss_listing_narrow(&listing, SS_RESULTS_TEXT, used + 2 + label, columns);
  w->folded = !ss_listing_is_whole(&listing);
  if (w->folded) (void)ss_listing_narrow(&listing, SS_RESULTS_TEXT, used, columns);
  return listing;
}

void ss_report_results_text(FILE *stream, const ss_record *record, int64_t count, int columns)
{
  widths w = widths_of(record, count);
  if (count == 0) {
    (void)fprintf(stream, "no results\n");
    return;
  }
  const ss_listing listing = lay_out(&w, record, count, columns);
  (void)fprintf(stream, "%-*s  %-*s  %-*s", w.kind, "kind", w.workload, "workload", w.platform, "platform");
  ss_listing_print_header(stream, SS_RESULTS_TEXT, &listing);
  (void)fputs(w.folded ? "\n" : "  what\n", stream);
  for (int64_t i = 0; i < count; ++i) print_record(stream, &w, &listing, &record[i]);
  ss_listing_print_basis(stream, SS_RESULTS_TEXT, &listing);
  ss_listing_print_left_out(stream, &listing);
  print_mix(stream, record, count);
}

static void add_text(json_t *object, const char *name, const char *text, bool *complete)
{
  if (text[0] != '\0') ss_json_add(object, name, json_string(text), complete);
}

/* A text that is JSON already, as the program wrote it. */
static void add_document(json_t *object, const char *name, const char *text, bool *complete)
{
  if (text[0] != '\0') ss_json_add(object, name, json_loads(text, 0, NULL), complete);
}

static json_t *record_json(const ss_listing *listing, const ss_record *record, bool *complete)
{
  const ss_line line = {.listing = listing, .record = record};
  json_t *object = json_object();
#define JSON_TEXT(field, name, meaning)     add_text(object, name, record->field, complete);
#define JSON_DOCUMENT(field, name, meaning) add_document(object, name, record->field, complete);
  SS_RECORD_TEXTS(JSON_TEXT)
  SS_RECORD_LATER_TEXTS(JSON_TEXT)
  ss_listing_add_json(object, SS_RESULTS_JSON, &line, complete);
  SS_RECORD_DOCUMENTS(JSON_DOCUMENT)
#undef JSON_TEXT
#undef JSON_DOCUMENT
  return object;
}

ss_status ss_report_results_json(const char *path, const ss_record *record, int64_t count, ss_error *error)
{
  const ss_listing listing = {.chosen = true, .costed = are_costed(record, count)};
  bool complete = true;
  json_t *array = json_array();
  for (int64_t i = 0; i < count; ++i) ss_json_append(array, record_json(&listing, &record[i], &complete), &complete);
  return ss_json_write(path, array, complete, error);
}

static void print_row(ss_output *output, const ss_listing *listing, const ss_record *record)
{
  const ss_line line = {.listing = listing, .record = record};
  const char *separator = "";
#define CSV_TEXT(field, name, meaning)                                                                                 \
  ss_output_print(output, "%s", separator);                                                                            \
  ss_output_print_field(output, record->field);                                                                        \
  separator = ",";
  SS_RECORD_TEXTS(CSV_TEXT)
  SS_RECORD_LATER_TEXTS(CSV_TEXT)
#undef CSV_TEXT
  ss_listing_write_csv(output, SS_RESULTS_CSV, &line);
  ss_output_print(output, "\n");
}

ss_status ss_report_results_csv(const char *path, const ss_record *record, int64_t count, ss_error *error)
{
  const ss_listing listing = {.chosen = true, .costed = are_costed(record, count)};
  ss_output output = {0};
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
#define CSV_NAME(field, name, meaning) "," name
  const char *texts = SS_RECORD_TEXTS(CSV_NAME) SS_RECORD_LATER_TEXTS(CSV_NAME);
#undef CSV_NAME
  ss_output_print(&output, "%s", texts + 1);
  ss_listing_write_csv_header(&output, SS_RESULTS_CSV, &listing);
  ss_output_print(&output, "\n");
  for (int64_t i = 0; i < count; ++i) print_row(&output, &listing, &record[i]);
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}

ss_status ss_report_fill_record(const ss_kept_strategies *kept, ss_record *record)
{
  const ss_listing listing = {.chosen = kept->named, .knobs = kept->knobs, .costed = kept->tariff->is_priced};
  bool complete = true;
  json_t *array = json_array();
  for (int64_t i = 0; i < kept->count; ++i) {
    const ss_line line = {
        .listing = &listing, .strategy = &kept->strategy[i], .tariff = kept->tariff, .gpus = record->gpus};
    json_t *object = json_object();
    ss_listing_add_json(object, SS_KEPT_JSON, &line, &complete);
    ss_json_append(array, object, &complete);
    if (i == 0) ss_listing_fill_record(&line, record);
  }
  record->parts = complete ? json_dumps(array, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(array);
  return record->parts != NULL ? SS_OK : SS_ERROR_MEMORY;
}
