#include "sim/import/measured/nccl_log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"
#include "sim/import/files/printed.h"
#include "sim/import/measured/nccl_ranks.h"

enum { COLUMNS = 16, WORDS = 24 };

/* What a column of the table is: X(enumerator, "head"). Those of times come twice, out of place and in place. */
#define COLUMN_LIST(X)                                                                                                 \
  X(COLUMN_SIZE, "size")                                                                                               \
  X(COLUMN_COUNT, "count")                                                                                             \
  X(COLUMN_TYPE, "type")                                                                                               \
  X(COLUMN_REDOP, "redop")                                                                                             \
  X(COLUMN_ROOT, "root")                                                                                               \
  X(COLUMN_TIME, "time")                                                                                               \
  X(COLUMN_ALGBW, "algbw")                                                                                             \
  X(COLUMN_BUSBW, "busbw")                                                                                             \
  X(COLUMN_WRONG, "#wrong")                                                                                            \
  X(COLUMN_ERROR, "error")

typedef enum column {
#define COLUMN_ID(id, head) id,
  COLUMN_LIST(COLUMN_ID)
#undef COLUMN_ID
      COLUMN_KINDS
} column;

static const char *const heads[] = {
#define COLUMN_HEAD(id, head) head,
    COLUMN_LIST(COLUMN_HEAD)
#undef COLUMN_HEAD
};

/* The tests. */
static const struct {
  const char *name;
  double factor;
  bool shares;
  int reduces;
} tests[] = {
#define TEST_ROW(id, name, factor, shares, reduces) {name, factor, shares, reduces},
    SS_NCCL_TEST_LIST(TEST_ROW)
#undef TEST_ROW
};

/* Where the reader is. */
typedef struct reading {
  ss_printed printed;
  ss_nccl_log *log;
  ss_nccl_ranks ranks;         /* of the run that is coming */
  ss_nccl_test named;          /* that the log has named; SS_NCCL_TESTS: none */
  int columns;                 /* of the table being read; 0: none */
  column column[COLUMNS];      /* [columns] */
  char redop[16];              /* of the last row */
  double algbw_sum, busbw_sum; /* of rows of this table */
  ss_error *error;
} reading;

const char *ss_nccl_test_name(ss_nccl_test test)
{
  return tests[test].name;
}

/* The line above the names of the columns is missing in many logs that people pass on. */
bool ss_nccl_log_is(const char *text)
{
  const bool is_headed = strstr(text, "out-of-place") != NULL || strstr(text, "(GB/s)") != NULL;
  return is_headed && strstr(text, "algbw") != NULL && strstr(text, "busbw") != NULL;
}

/* The test that a text names as the program NAME_perf, as in a command line or the name of a file. The last one counts.
 */
static ss_nccl_test find_name(const char *text)
{
  ss_nccl_test found = SS_NCCL_TESTS;
  for (const char *at = strstr(text, "_perf"); at != NULL; at = strstr(at + 1, "_perf"))
    for (int i = 0; i < SS_NCCL_TESTS; ++i) {
      const size_t length = strlen(tests[i].name);
      if ((size_t)(at - text) < length || strncmp(at - length, tests[i].name, length) != 0) continue;
      const bool begins = (size_t)(at - text) == length;
      if (begins || strchr("/ \t\"'=:.-", at[-(ptrdiff_t)length - 1]) != NULL) found = (ss_nccl_test)i;
    }
  return found;
}

/* How many busbw are of one algbw. */
static double ratio_of(int test, int64_t ranks)
{
  const double share = tests[test].shares ? (double)(ranks - 1) / (double)ranks : 1.0;
  return tests[test].factor * share;
}

/* The one test whose columns and bandwidths these are. */
static ss_nccl_test guess(const reading *r, const ss_nccl_run *run)
{
  const double ratio = r->algbw_sum > 0.0 ? r->busbw_sum / r->algbw_sum : 0.0;
  const bool reduces = r->redop[0] != '\0' && strcmp(r->redop, "none") != 0;
  ss_nccl_test found = SS_NCCL_TESTS;
  int fitting = 0;
  for (int i = 0; i < SS_NCCL_TESTS; ++i) {
    const double off = fabs(ratio / ratio_of(i, run->ranks) - 1.0);
    if (off > 0.005 || (tests[i].reduces >= 0 && (tests[i].reduces == 1) != reduces)) continue;
    found = (ss_nccl_test)i;
    fitting++;
  }
  return fitting == 1 ? found : SS_NCCL_TESTS;
}

static ss_status out_of_memory(const reading *r)
{
  return ss_error_set(r->error, SS_ERROR_MEMORY, r->printed.source->path, 0, "out of memory for a log");
}

static ss_nccl_run *last_run(const reading *r)
{
  return &r->log->run[r->log->runs - 1];
}

/* Ends the table, if one is being read: its test is known, or follows from it. */
static ss_status end_table(reading *r)
{
  if (r->columns == 0) return SS_OK;
  ss_nccl_run *run = last_run(r);
  r->columns = 0;
  if (run->rows == 0)
    return ss_error_set(r->error, SS_ERROR_INPUT, r->printed.source->path, run->line,
                        "the table has no rows; allowed: one or more");
  if (r->named == SS_NCCL_TESTS) r->named = find_name(r->printed.source->path);
  run->test = r->named != SS_NCCL_TESTS ? r->named : guess(r, run);
  run->guessed = r->named == SS_NCCL_TESTS;
  r->named = SS_NCCL_TESTS;
  ss_nccl_ranks_free(&r->ranks);
  if (run->test != SS_NCCL_TESTS) return SS_OK;
  return ss_error_set(r->error, SS_ERROR_INPUT, r->printed.source->path, run->line,
                      "the log does not say which collective this is, and several have such bandwidths; allowed: a log "
                      "that has the command, or a file named after it, such as all_gather_perf.log");
}

/* The kind of a column; COLUMN_KINDS where a word is none. */
static column find_column(const char *word)
{
  int kind = 0;
  while (kind < COLUMN_KINDS && strcmp(heads[kind], word) != 0) ++kind;
  return (column)kind;
}

/* The line of column heads, "# size count ...": the table begins. */
static ss_status read_head(reading *r, char *line)
{
  char *word[COLUMNS];
  ss_status status = end_table(r);
  if (status != SS_OK) return status;
  const int count = ss_printed_words(line + 1, word, COLUMNS);
  if (count > COLUMNS) return ss_printed_refuse(&r->printed, r->error, "has more than %d columns", COLUMNS);
  int times = 0;
  for (int i = 0; i < count; ++i) {
    r->column[i] = find_column(word[i]);
    if (r->column[i] == COLUMN_KINDS)
      return ss_printed_refuse(&r->printed, r->error, "column \"%.32s\" is unknown; allowed: those of nccl-tests",
                               word[i]);
    times += r->column[i] == COLUMN_TIME;
  }
  if (r->column[0] != COLUMN_SIZE || times != 2)
    return ss_printed_refuse(&r->printed, r->error,
                             "the table has no size, or not two times; allowed: as nccl-tests prints it");
  ss_nccl_run *grown = realloc(r->log->run, (size_t)(r->log->runs + 1) * sizeof *grown);
  if (grown == NULL) return out_of_memory(r);
  r->log->run = grown;
  ss_nccl_run *run = &grown[r->log->runs++];
  *run = (ss_nccl_run){.line = r->printed.line};
  r->columns = count;
  r->algbw_sum = r->busbw_sum = 0.0;
  r->redop[0] = '\0';
  return ss_nccl_ranks_finish(&r->ranks, &r->printed, run, r->error);
}

/* "N/A" is what was not measured. */
static bool read_time(const char *word, double *time_s)
{
  *time_s = NAN;
  if (strcmp(word, "N/A") == 0) return true;
  double us;
  if (!ss_printed_real(word, &us)) return false;
  *time_s = 1e-6 * us;
  return true;
}

/* A value of a row. `second`: in place. */
static bool read_value(reading *r, ss_nccl_row *row, column kind, bool second, const char *word)
{
  double number;
  switch (kind) {
  case COLUMN_SIZE: return ss_printed_count(word, INT64_C(1000000000000000), &row->bytes);
  case COLUMN_REDOP: (void)snprintf(r->redop, sizeof r->redop, "%s", word); return true;
  case COLUMN_TIME: return read_time(word, second ? &row->in_s : &row->out_s);
  case COLUMN_ALGBW:
  case COLUMN_BUSBW:
    if (!ss_printed_real(word, &number)) return strcmp(word, "N/A") == 0;
    if (second) return true;
    if (kind == COLUMN_BUSBW) row->busbw = 1e9 * number;
    *(kind == COLUMN_BUSBW ? &r->busbw_sum : &r->algbw_sum) += number;
    return true;
  case COLUMN_WRONG:
    if (strcmp(word, "N/A") == 0) return true;
    row->wrong = row->wrong || strcmp(word, "0") != 0;
    return ss_printed_real(word, &number);
  case COLUMN_COUNT:
  case COLUMN_TYPE:
  case COLUMN_ROOT:
  case COLUMN_ERROR:
  case COLUMN_KINDS: break;
  }
  return true;
}

static ss_status keep_row(const reading *r, const ss_nccl_row *row)
{
  ss_nccl_run *run = last_run(r);
  ss_nccl_row *grown = ss_grown(run->row, run->rows, &run->room, sizeof *grown);
  if (grown == NULL) return out_of_memory(r);
  run->row = grown;
  run->row[run->rows++] = *row;
  return SS_OK;
}

/* A line of the table begins with its size. */
static ss_status read_row(reading *r, char *line)
{
  char *word[WORDS];
  ss_nccl_row row = {.out_s = NAN, .in_s = NAN, .line = r->printed.line};
  int times = 0;
  const int count = ss_printed_words(line, word, WORDS);
  if (count != r->columns)
    return ss_printed_refuse(&r->printed, r->error,
                             "a row of the table has %d words, its head %d; allowed: a run that came to its end", count,
                             r->columns);
  for (int i = 0; i < count; ++i) {
    times += r->column[i] == COLUMN_TIME;
    if (!read_value(r, &row, r->column[i], times > 1, word[i]))
      return ss_printed_refuse(&r->printed, r->error, "%s \"%.32s\" is not what nccl-tests prints; allowed: a number",
                               heads[r->column[i]], word[i]);
  }
  return keep_row(r, &row);
}

static void note_foreign(const reading *r, const char *line)
{
  ss_nccl_log *log = r->log;
  if (log->foreign++ > 0) return;
  log->foreign_line = r->printed.line;
  (void)ss_printed_copy(log->foreign_text, sizeof log->foreign_text, line);
}

/* Lines with '#' but the head of the table: those that begin so say nothing that is needed. */
static bool is_known_remark(const char *text)
{
  static const char *const known[] = {
      "nThread",         "Using devices",      "out-of-place",         "(B)", "Out of bounds", "Avg bus",
      "Collective test", "nccl-tests version", "Errors with asterisks"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (strncmp(text, known[i], strlen(known[i])) == 0) return true;
  return *text == '\0' || strncmp(text, "----", 4) == 0;
}

static ss_status read_remark(reading *r, char *line)
{
  const char *text = line + strspn(line, "# \t");
  const ss_nccl_test named = find_name(text);
  if (named != SS_NCCL_TESTS && strncmp(text, "Collective test concluded", 25) != 0) r->named = named;
  if (strncmp(text, "size ", 5) == 0) return read_head(r, line);
  if (strncmp(text, "Out of bounds", 13) == 0 || strncmp(text, "Avg bus", 7) == 0) return end_table(r);
  if (strncmp(text, "Rank ", 5) == 0) return ss_nccl_ranks_add(&r->ranks, &r->printed, text, r->error);
  if (!is_known_remark(text)) note_foreign(r, line);
  return SS_OK;
}

static ss_status read_line(reading *r, char *line)
{
  if (*line == '\0') return SS_OK;
  if (*line == '#') return read_remark(r, line);
  if (r->columns > 0 && *line >= '0' && *line <= '9') return read_row(r, line);
  const ss_nccl_test named = find_name(line);
  if (named != SS_NCCL_TESTS && r->columns == 0)
    r->named = named;
  else
    note_foreign(r, line);
  return SS_OK;
}

ss_status ss_nccl_log_read(const ss_source *source, ss_nccl_log *log, ss_error *error)
{
  reading r = {.printed = ss_printed_of(source), .log = log, .named = SS_NCCL_TESTS, .error = error};
  ss_status status = SS_OK;
  *log = (ss_nccl_log){.runs = 0};
  for (char *line = ss_printed_next(&r.printed); status == SS_OK && line != NULL; line = ss_printed_next(&r.printed))
    status = read_line(&r, line);
  if (status == SS_OK) status = end_table(&r);
  ss_nccl_ranks_free(&r.ranks);
  if (status != SS_OK || log->runs > 0) return status;
  return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "has no table of nccl-tests; allowed: its whole output");
}

void ss_nccl_log_free(ss_nccl_log *log)
{
  for (int64_t i = 0; i < log->runs; ++i) free(log->run[i].row);
  free(log->run);
  *log = (ss_nccl_log){.runs = 0};
}
