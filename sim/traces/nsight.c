/* Exports of Nsight Systems in SQLite (nsys export --type sqlite). Tables and columns are those that the documentation
 * of its exporter lists: CUPTI_ACTIVITY_KIND_*, NVTX_EVENTS, StringIds. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "model/profile/rules.h"
#include "sim/traces/item.h"
#include "sim/traces/layers.h"

/* Threads and processes have numbers of one system; those of a process differ in the lowest bits only. */
#define PROCESS_OF "/ 16777216"

/* Kernels with the moment and the thread of their launch, where calls of the host were traced, too. */
#define KERNELS_SQL                                                                                                    \
  "SELECT k.start, k.end, k.deviceId, k.streamId, s.value, %s FROM CUPTI_ACTIVITY_KIND_KERNEL k "                      \
  "LEFT JOIN StringIds s ON s.id = k.demangledName %s"
#define LAUNCHES_SQL                                                                                                   \
  "LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid " PROCESS_OF           \
  " = k.globalPid " PROCESS_OF
#define COPIES_SQL "SELECT start, end, deviceId, streamId, '', NULL, NULL FROM %s"
#define RANGES_SQL                                                                                                     \
  "SELECT n.start, n.end, 0, 0, coalesce(n.text, s.value), n.globalTid, n.start FROM NVTX_EVENTS n "                   \
  "LEFT JOIN StringIds s ON s.id = n.textId WHERE n.end IS NOT NULL"

enum { COLUMN_START, COLUMN_END, COLUMN_DEVICE, COLUMN_STREAM, COLUMN_NAME, COLUMN_THREAD, COLUMN_LAUNCH };

enum { SQL_SIZE = 1024 };

typedef struct reading {
  sqlite3 *database;
  ss_trace_sink *sink;
  ss_layer_ranges layers; /* by the thread of the host */
  ss_error *error;
  bool has_origin;
  int64_t origin; /* nanoseconds at which times begin */
} reading;

static ss_status refuse(const reading *r)
{
  const int code = sqlite3_errcode(r->database);
  return ss_error_set(r->error, code == SQLITE_NOMEM ? SS_ERROR_MEMORY : SS_ERROR_INPUT, NULL, 0,
                      "is no readable export of Nsight Systems: %s", sqlite3_errmsg(r->database));
}

static double seconds(reading *r, int64_t time)
{
  if (!r->has_origin) r->origin = time;
  r->has_origin = true;
  return 1e-9 * ((double)time - (double)r->origin);
}

static int64_t column(sqlite3_stmt *row, int index)
{
  return sqlite3_column_int64(row, index);
}

/* An annotation of the host: a layer, or what may be a step. */
static ss_status take_range(reading *r, sqlite3_stmt *row, const ss_trace_item *item)
{
  const int64_t layer = ss_rules_number(r->sink->rules, SS_RULE_LAYER, item->name);
  if (layer < 0) return r->sink->take(r->sink->self, item, r->error);
  const ss_layer_range range = {column(row, COLUMN_THREAD), layer, {item->start_s, item->end_s}};
  return ss_layer_ranges_add(&r->layers, range, r->error);
}

static ss_status take_row(reading *r, sqlite3_stmt *row, ss_item_kind kind, ss_kernel_class class_of)
{
  const unsigned char *name = sqlite3_column_text(row, COLUMN_NAME);
  ss_trace_item item = {.kind = kind,
                        .name = name != NULL ? (const char *)name : "",
                        .group = "",
                        .class_of = class_of,
                        .device = column(row, COLUMN_DEVICE),
                        .stream = column(row, COLUMN_STREAM),
                        .layer = SS_NO_INDEX,
                        .start_s = seconds(r, column(row, COLUMN_START)),
                        .end_s = seconds(r, column(row, COLUMN_END))};
  if (kind == SS_ITEM_HOST_RANGE) return take_range(r, row, &item);
  if (sqlite3_column_type(row, COLUMN_LAUNCH) != SQLITE_NULL)
    item.layer = ss_layer_ranges_find(&r->layers, column(row, COLUMN_THREAD), seconds(r, column(row, COLUMN_LAUNCH)));
  return r->sink->take(r->sink->self, &item, r->error);
}

static ss_status query(reading *r, const char *sql, ss_item_kind kind, ss_kernel_class class_of)
{
  sqlite3_stmt *row = NULL;
  ss_status status = sqlite3_prepare_v2(r->database, sql, -1, &row, NULL) == SQLITE_OK ? SS_OK : refuse(r);
  int step = SQLITE_ROW;
  while (status == SS_OK && (step = sqlite3_step(row)) == SQLITE_ROW) status = take_row(r, row, kind, class_of);
  if (status == SS_OK && step != SQLITE_DONE) status = refuse(r);
  (void)sqlite3_finalize(row);
  return status;
}

static bool has_column(const reading *r, const char *table, const char *column)
{
  return sqlite3_table_column_metadata(r->database, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static bool has_table(const reading *r, const char *table)
{
  return has_column(r, table, NULL);
}

static ss_status read_kernels(reading *r)
{
  char sql[SQL_SIZE];
  const bool launches = has_column(r, "CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid") &&
                        has_column(r, "CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
  if (!has_table(r, "CUPTI_ACTIVITY_KIND_KERNEL")) return SS_OK;
  (void)snprintf(sql, sizeof sql, KERNELS_SQL, launches ? "r.globalTid, r.start" : "NULL, NULL",
                 launches ? LAUNCHES_SQL : "");
  return query(r, sql, SS_ITEM_KERNEL, SS_CLASS_COUNT);
}

static ss_status read_copies(reading *r)
{
  static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"};
  ss_status status = SS_OK;
  for (size_t i = 0; status == SS_OK && i < sizeof tables / sizeof tables[0]; ++i) {
    char sql[SQL_SIZE];
    (void)snprintf(sql, sizeof sql, COPIES_SQL, tables[i]);
    if (has_table(r, tables[i])) status = query(r, sql, SS_ITEM_KERNEL, SS_CLASS_COPY);
  }
  return status;
}

static ss_status read_all(reading *r)
{
  ss_status status = SS_OK;
  if (has_table(r, "NVTX_EVENTS")) status = query(r, RANGES_SQL, SS_ITEM_HOST_RANGE, SS_CLASS_COUNT);
  ss_layer_ranges_sort(&r->layers);
  r->sink->layers_by_range = r->layers.count > 0;
  if (status == SS_OK) status = read_kernels(r);
  return status == SS_OK ? read_copies(r) : status;
}

static ss_status read_nsight(const char *path, ss_trace_sink *sink, ss_error *error)
{
  reading r = {.sink = sink, .error = error};
  ss_status status = SS_OK;
  if (sqlite3_open_v2(path, &r.database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) status = refuse(&r);
  if (status == SS_OK) {
    (void)sqlite3_db_config(r.database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(r.database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    status = read_all(&r);
  }
  ss_layer_ranges_free(&r.layers);
  (void)sqlite3_close(r.database);
  return status;
}

static bool begins_nsight(const unsigned char *bytes, size_t count)
{
  static const char magic[] = "SQLite format 3";
  return count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

const ss_trace_reader ss_nsight_reader = {.name = "Nsight Systems", .begins = begins_nsight, .read = read_nsight};
