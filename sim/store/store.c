#include "sim/store/store.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in the header of the file: the application ("step") and the version of the table. */
#define APPLICATION              0x73746570
#define SCHEMA                   2
#define TEXT_OF(number)          TEXT_OF_ARGUMENT(number)
#define TEXT_OF_ARGUMENT(number) #number

/* How long to wait for another process, which locks the file while it writes one result. */
enum { BUSY_MS = 60000 };

/* Columns in the order of the table: the key, the digest of all that follows, then the fields of a row. */
enum { AT_KEY, AT_DIGEST, AT_FIELDS };

struct ss_store {
  sqlite3 *database;
  sqlite3_stmt *find, *keep;
  char path[SS_PATH_SIZE];
};

#define LIST_NAME(field, name, meaning)  #field ","
#define LIST_TEXT(field, name, meaning)  #field " TEXT NOT NULL,"
#define LIST_COUNT(field, name, meaning) #field " INTEGER,"
#define LIST_REAL(field, name, meaning)  #field " REAL,"
#define LIST_VALUE(field, name, meaning) "?,"
#define FIRST_COLUMNS(TEXT, COUNT, REAL)                                                                               \
  SS_RECORD_TEXTS(TEXT) SS_RECORD_DOCUMENTS(TEXT) SS_RECORD_COUNTS(COUNT) SS_RECORD_REALS(REAL)
#define ALL_COLUMNS(TEXT, COUNT, REAL)   FIRST_COLUMNS(TEXT, COUNT, REAL) SS_RECORD_LATER_TEXTS(TEXT)
#define ADD_COLUMN(field, name, meaning) "ALTER TABLE result ADD COLUMN " #field " TEXT NOT NULL DEFAULT '';"

static const char create_sql[] = "CREATE TABLE result(key BLOB PRIMARY KEY,digest BLOB NOT NULL," ALL_COLUMNS(
    LIST_TEXT, LIST_COUNT,
    LIST_REAL) "outcome BLOB NOT NULL);"
               "PRAGMA application_id=" TEXT_OF(APPLICATION) ";PRAGMA user_version=" TEXT_OF(SCHEMA);
static const char upgrade_sql[] = SS_RECORD_LATER_TEXTS(ADD_COLUMN) "PRAGMA user_version=" TEXT_OF(SCHEMA);
static const char find_sql[] =
    "SELECT key,digest," ALL_COLUMNS(LIST_NAME, LIST_NAME, LIST_NAME) "outcome FROM result WHERE key=?";
static const char keep_sql[] = "INSERT OR REPLACE INTO result(key,digest," ALL_COLUMNS(
    LIST_NAME, LIST_NAME, LIST_NAME) "outcome) VALUES(?,?," ALL_COLUMNS(LIST_VALUE, LIST_VALUE, LIST_VALUE) "?)";
static const char list_sql[] = "SELECT key,digest," ALL_COLUMNS(
    LIST_NAME, LIST_NAME,
    LIST_NAME) "outcome FROM result ORDER BY kind,workload,platform,gpus,label,estimate_s,parts,key";

static ss_status refuse(const ss_store *store, const char *problem, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, store->path, 0, "%s; allowed: a database that stepsim has written",
                      problem);
}

/* What SQLite says, about reading or about writing. */
static ss_status fail(const ss_store *store, ss_status status, ss_error *error)
{
  const char *problem = sqlite3_errmsg(store->database);
  if (status == SS_ERROR_OUTPUT)
    return ss_error_set(error, status, store->path, 0, "cannot keep a result: %s", problem);
  return ss_error_set(error, status, store->path, 0,
                      "cannot be used as a database: %s; allowed: a database that stepsim has written", problem);
}

/* A number of four bytes in the header of a database. */
static uint32_t number_at(const unsigned char *header, int offset)
{
  uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8 | header[offset + i];
  return number;
}

/* Looks at the header (sqlite.org/fileformat.html, section 1.3) before SQLite does, which would touch the file. A file
 * that is not there, or is empty, is as good as any to begin with. */
static ss_status check_header(const ss_store *store, bool writable, ss_error *error)
{
  enum { HEADER = 100, AT_SCHEMA = 60, AT_APPLICATION = 68 };
  static const char magic[] = "SQLite format 3";
  unsigned char header[HEADER] = {0};
  FILE *stream = fopen(store->path, "rb");
  const int problem = errno;
  const size_t size = stream != NULL ? fread(header, 1, HEADER, stream) : 0;
  if (stream != NULL) (void)fclose(stream);
  if (writable && ((stream == NULL && problem == ENOENT) || (stream != NULL && size == 0))) return SS_OK;
  if (stream == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, store->path, 0, "cannot be read: %s", strerror(problem));
  if (size < HEADER || memcmp(header, magic, sizeof magic) != 0) return refuse(store, "is not a database", error);
  if (number_at(header, AT_APPLICATION) != APPLICATION) return refuse(store, "is a database of another program", error);
  if (number_at(header, AT_SCHEMA) > SCHEMA) return refuse(store, "was written by a later version", error);
  return SS_OK;
}

static bool run(const ss_store *store, const char *sql)
{
  return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* The first column of the first row of an answer; false where there is none. */
static bool ask(const ss_store *store, const char *sql, char *text, size_t size)
{
  sqlite3_stmt *question = NULL;
  bool answered = sqlite3_prepare_v2(store->database, sql, -1, &question, NULL) == SQLITE_OK;
  answered = answered && sqlite3_step(question) == SQLITE_ROW;
  if (answered) (void)snprintf(text, size, "%s", (const char *)sqlite3_column_text(question, 0));
  return sqlite3_finalize(question) == SQLITE_OK && answered;
}

/* In a transaction: gives an empty database its table, an older one what it lacks, and checks that it is whole. */
static ss_status check_content(const ss_store *store, ss_error *error)
{
  char tables[SS_NAME_SIZE], verdict[SS_NAME_SIZE], version[SS_NAME_SIZE];
  if (!ask(store, "SELECT count(*) FROM sqlite_master", tables, sizeof tables))
    return fail(store, SS_ERROR_INPUT, error);
  if (strcmp(tables, "0") == 0) return run(store, create_sql) ? SS_OK : fail(store, SS_ERROR_INPUT, error);
  if (!ask(store, "PRAGMA quick_check(1)", verdict, sizeof verdict)) return fail(store, SS_ERROR_INPUT, error);
  if (strcmp(verdict, "ok") != 0) return refuse(store, "is damaged", error);
  if (!ask(store, "PRAGMA user_version", version, sizeof version)) return fail(store, SS_ERROR_INPUT, error);
  const bool is_recent = strcmp(version, TEXT_OF(SCHEMA)) == 0;
  return is_recent || run(store, upgrade_sql) ? SS_OK : fail(store, SS_ERROR_INPUT, error);
}

static ss_status prepare(ss_store *store, ss_error *error)
{
  if (sqlite3_prepare_v2(store->database, find_sql, -1, &store->find, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(store->database, keep_sql, -1, &store->keep, NULL) == SQLITE_OK)
    return SS_OK;
  return fail(store, SS_ERROR_INPUT, error);
}

/* Opens the database by a name that SQLite takes for a file, whatever it begins with. */
static ss_status connect(ss_store *store, bool writable, ss_error *error)
{
  char name[SS_PATH_SIZE + 2];
  const int flags = SQLITE_OPEN_READWRITE | (writable ? SQLITE_OPEN_CREATE : 0);
  (void)snprintf(name, sizeof name, "%s%s", store->path[0] == '/' ? "" : "./", store->path);
  if (sqlite3_open_v2(name, &store->database, flags, NULL) != SQLITE_OK)
    return store->database != NULL ? fail(store, SS_ERROR_INPUT, error)
                                   : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a database");
  (void)sqlite3_busy_timeout(store->database, BUSY_MS);
  if (!run(store, writable ? "BEGIN IMMEDIATE" : "BEGIN")) return fail(store, SS_ERROR_INPUT, error);
  const ss_status status = check_content(store, error);
  if (status != SS_OK) return status; /* closing rolls the transaction back */
  return run(store, "COMMIT") ? prepare(store, error) : fail(store, SS_ERROR_INPUT, error);
}

ss_status ss_store_open(const char *path, bool writable, ss_store **store, ss_error *error)
{
  *store = NULL;
  if (strlen(path) >= SS_PATH_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, path, 0, "has a path that is too long; allowed: at most %d bytes",
                        SS_PATH_SIZE - 1);
  ss_store *opened = calloc(1, sizeof *opened);
  if (opened == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a database");
  (void)snprintf(opened->path, sizeof opened->path, "%s", path);
  ss_status status = check_header(opened, writable, error);
  if (status == SS_OK) status = connect(opened, writable, error);
  if (status == SS_OK)
    *store = opened;
  else
    ss_store_close(opened);
  return status;
}

void ss_store_close(ss_store *store)
{
  if (store == NULL) return;
  (void)sqlite3_finalize(store->find);
  (void)sqlite3_finalize(store->keep);
  (void)sqlite3_close(store->database);
  free(store);
}

/* The digest of all that a row says. A later text that is empty is left out, as the version was that did not have it.
 */
static ss_status digest_row(const ss_store_row *row, ss_key *key, ss_error *error)
{
  ss_digest *digest = ss_digest_create();
  if (digest == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a digest");
  ss_digest_add_bytes(digest, row->key.byte, sizeof row->key.byte);
#define ADD_TEXT(field, name, meaning)  ss_digest_add_text(digest, row->record.field);
#define ADD_COUNT(field, name, meaning) ss_digest_add_count(digest, row->record.field);
#define ADD_REAL(field, name, meaning)  ss_digest_add_real(digest, row->record.field);
#define ADD_LATER(field, name, meaning)                                                                                \
  if (row->record.field[0] != '\0') ss_digest_add_text(digest, row->record.field);
  FIRST_COLUMNS(ADD_TEXT, ADD_COUNT, ADD_REAL)
  SS_RECORD_LATER_TEXTS(ADD_LATER)
#undef ADD_LATER
#undef ADD_TEXT
#undef ADD_COUNT
#undef ADD_REAL
  ss_digest_add_bytes(digest, row->outcome, row->size);
  *key = ss_digest_key(digest);
  ss_digest_destroy(digest);
  return SS_OK;
}

static const char *text_of(sqlite3_stmt *found, int column)
{
  const char *text = (const char *)sqlite3_column_text(found, column);
  return text != NULL ? text : "";
}

static int64_t count_of(sqlite3_stmt *found, int column)
{
  return sqlite3_column_type(found, column) == SQLITE_NULL ? -1 : sqlite3_column_int64(found, column);
}

static double real_of(sqlite3_stmt *found, int column)
{
  return sqlite3_column_type(found, column) == SQLITE_NULL ? NAN : sqlite3_column_double(found, column);
}

static bool read_key(sqlite3_stmt *found, int column, ss_key *key)
{
  if (sqlite3_column_bytes(found, column) != SS_KEY_SIZE) return false;
  memcpy(key->byte, sqlite3_column_blob(found, column), SS_KEY_SIZE);
  return true;
}

/* Reads the row that a statement is at, and checks that it is what was written. */
static ss_status read_row(const ss_store *store, sqlite3_stmt *found, ss_store_row *row, ss_error *error)
{
  ss_key written, digest;
  int column = AT_FIELDS;
  *row = (ss_store_row){.record = ss_record_empty()};
  if (!read_key(found, AT_KEY, &row->key) || !read_key(found, AT_DIGEST, &written))
    return refuse(store, "is damaged", error);
#define READ_TEXT(field, name, meaning)  row->record.field = text_of(found, column++);
#define READ_COUNT(field, name, meaning) row->record.field = count_of(found, column++);
#define READ_REAL(field, name, meaning)  row->record.field = real_of(found, column++);
  ALL_COLUMNS(READ_TEXT, READ_COUNT, READ_REAL)
#undef READ_TEXT
#undef READ_COUNT
#undef READ_REAL
  row->size = (size_t)sqlite3_column_bytes(found, column);
  if (row->size > 0) row->outcome = sqlite3_column_blob(found, column);
  const ss_status status = digest_row(row, &digest, error);
  if (status != SS_OK) return status;
  return memcmp(&digest, &written, sizeof digest) == 0 ? SS_OK : refuse(store, "is damaged", error);
}

/* Copies the outcome of the row that the statement is at. */
static ss_status copy_outcome(const ss_store *store, void **outcome, size_t *size, ss_error *error)
{
  ss_store_row row;
  const ss_status status = read_row(store, store->find, &row, error);
  if (status != SS_OK) return status;
  *outcome = malloc(row.size > 0 ? row.size : 1);
  if (*outcome == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a result");
  if (row.size > 0) memcpy(*outcome, row.outcome, row.size);
  *size = row.size;
  return SS_OK;
}

ss_status ss_store_find(ss_store *store, const ss_key *key, void **outcome, size_t *size, ss_error *error)
{
  ss_status status = SS_OK;
  *outcome = NULL;
  *size = 0;
  (void)sqlite3_bind_blob(store->find, 1, key->byte, SS_KEY_SIZE, SQLITE_STATIC);
  const int step = sqlite3_step(store->find);
  if (step == SQLITE_ROW)
    status = copy_outcome(store, outcome, size, error);
  else if (step != SQLITE_DONE)
    status = fail(store, SS_ERROR_INPUT, error);
  (void)sqlite3_reset(store->find);
  return status;
}

/* Binds a row to a statement. Missing numbers stay unbound, which makes them NULL. */
static bool bind_row(sqlite3_stmt *keep, const ss_store_row *row, const ss_key *digest)
{
  int at = AT_FIELDS; /* parameters count from 1 */
  bool bound = sqlite3_clear_bindings(keep) == SQLITE_OK;
  bound = bound && sqlite3_bind_blob(keep, AT_KEY + 1, row->key.byte, SS_KEY_SIZE, SQLITE_STATIC) == SQLITE_OK;
  bound = bound && sqlite3_bind_blob(keep, AT_DIGEST + 1, digest->byte, SS_KEY_SIZE, SQLITE_STATIC) == SQLITE_OK;
#define BIND_TEXT(field, name, meaning)                                                                                \
  ++at;                                                                                                                \
  bound = bound && sqlite3_bind_text(keep, at, row->record.field, -1, SQLITE_STATIC) == SQLITE_OK;
#define BIND_COUNT(field, name, meaning)                                                                               \
  ++at;                                                                                                                \
  if (row->record.field >= 0) bound = bound && sqlite3_bind_int64(keep, at, row->record.field) == SQLITE_OK;
#define BIND_REAL(field, name, meaning)                                                                                \
  ++at;                                                                                                                \
  if (!isnan(row->record.field)) bound = bound && sqlite3_bind_double(keep, at, row->record.field) == SQLITE_OK;
  ALL_COLUMNS(BIND_TEXT, BIND_COUNT, BIND_REAL)
#undef BIND_TEXT
#undef BIND_COUNT
#undef BIND_REAL
  ++at;
  return bound && sqlite3_bind_blob64(keep, at, row->outcome, row->size, SQLITE_STATIC) == SQLITE_OK;
}

ss_status ss_store_keep(ss_store *store, const ss_store_row *row, ss_error *error)
{
  ss_key digest;
  const ss_status status = digest_row(row, &digest, error);
  if (status != SS_OK) return status;
  const bool kept = bind_row(store->keep, row, &digest) && sqlite3_step(store->keep) == SQLITE_DONE;
  const ss_status result = kept ? SS_OK : fail(store, SS_ERROR_OUTPUT, error);
  (void)sqlite3_reset(store->keep);
  return result;
}

ss_status ss_store_list(ss_store *store, ss_status (*see)(void *context, const ss_store_row *row, ss_error *error),
                        void *context, ss_error *error)
{
  sqlite3_stmt *all = NULL;
  ss_store_row row;
  ss_status status = SS_OK;
  if (sqlite3_prepare_v2(store->database, list_sql, -1, &all, NULL) != SQLITE_OK)
    return fail(store, SS_ERROR_INPUT, error);
  int step = sqlite3_step(all);
  for (; status == SS_OK && step == SQLITE_ROW; step = sqlite3_step(all)) {
    status = read_row(store, all, &row, error);
    if (status == SS_OK) status = see(context, &row, error);
  }
  if (status == SS_OK && step != SQLITE_DONE) status = fail(store, SS_ERROR_INPUT, error);
  (void)sqlite3_finalize(all);
  return status;
}
