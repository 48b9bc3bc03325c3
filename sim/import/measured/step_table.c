/* Tables of measured iterations. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/import/files/printed.h"
#include "sim/import/measured/steps.h"

enum { COLUMNS = 32, MOST_GPUS = 1 << 20, LINE_SIZE = 4096 };

#define MOST_SECONDS 1e9
#define MOST_WEIGHT  1e9

static const struct {
  const char *name, *attribute;
} columns[SS_STEP_COLUMNS] = {
#define COLUMN_ROW(id, column, attribute, logged, help) [id] = {column, attribute},
    SS_STEP_COLUMN_LIST(COLUMN_ROW)
#undef COLUMN_ROW
};

#define COLUMN_WORD(id, column, attribute, logged, help) " " column
#define COLUMN_WORDS                                     SS_STEP_COLUMN_LIST(COLUMN_WORD)

/* A table being read. */
typedef struct reading {
  ss_printed printed;
  ss_timed_steps *steps;
  char separator;
  int count;
  int kind[COLUMNS];                          /* [count] SS_STEP_COLUMNS: an attribute by its name */
  char attribute[COLUMNS][SS_STEP_NAME_SIZE]; /* [count] */
  ss_error *error;
} reading;

/* Takes the blanks around a field away, and its quotes. */
static char *trim(char *field)
{
  field += strspn(field, " \t");
  size_t length = strlen(field);
  while (length > 0 && strchr(" \t", field[length - 1]) != NULL) field[--length] = '\0';
  if (length < 2 || field[0] != '"' || field[length - 1] != '"') return field;
  field[length - 1] = '\0';
  return field + 1;
}

/* What is between the fields of a line: programs that export tables have commas, semicolons or tabulators. */
static char separator_of(const char *line)
{
  const char *first = strpbrk(line, ",;\t");
  if (first == NULL) return ',';
  return *first;
}

/* Cuts a line at what separates. Fills `field` [COLUMNS], whose count it returns, COLUMNS + 1 where there are more. */
static int split(char *line, char separator, char *field[COLUMNS])
{
  int count = 0;
  for (char *rest = line; rest != NULL;) {
    if (count == COLUMNS) return COLUMNS + 1;
    char *end = strchr(rest, separator);
    if (end != NULL) *end = '\0';
    field[count++] = trim(rest);
    rest = end != NULL ? end + 1 : NULL;
  }
  return count;
}

/* The next line that has more than a comment; NULL behind the last. */
static char *next_line(ss_printed *printed)
{
  char *line = ss_printed_next(printed);
  while (line != NULL && (*line == '\0' || *line == '#')) line = ss_printed_next(printed);
  return line;
}

bool ss_step_table_is(const char *text)
{
  while (*text == '#' || *text == '\n' || *text == '\r') {
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  const size_t length = strcspn(text, "\r\n");
  char line[LINE_SIZE], *field[COLUMNS] = {NULL};
  if (length >= sizeof line) return false;
  for (size_t i = 0; i < length; ++i) line[i] = (char)tolower((unsigned char)text[i]);
  line[length] = '\0';
  const int count = split(line, separator_of(line), field);
  bool named = false;
  for (int i = 0; i < count && i < COLUMNS; ++i) named = named || strstr(field[i], "seconds") != NULL;
  return named && field[0][strcspn(field[0], " \t")] == '\0'; /* a sentence of a log has words */
}

static ss_status read_name(reading *r, int i, char *name)
{
  SS_ASSERT(name != NULL);
  for (char *at = name; *at != '\0'; ++at) *at = (char)(*at == '_' ? '-' : tolower((unsigned char)*at));
  int kind = 0;
  while (kind < SS_STEP_COLUMNS && strcmp(columns[kind].name, name) != 0) ++kind;
  if ((kind == SS_STEP_COLUMNS && strchr(name, '.') == NULL) || strlen(name) >= SS_STEP_NAME_SIZE)
    return ss_printed_refuse(
        &r->printed, r->error,
        "column \"%.32s\" is unknown; allowed:" COLUMN_WORDS ", or an attribute such as training.recompute", name);
  const char *attribute = kind < SS_STEP_COLUMNS ? columns[kind].attribute : name;
  for (int k = 0; k < i; ++k)
    if (r->kind[k] == kind && strcmp(r->attribute[k], attribute) == 0)
      return ss_printed_refuse(&r->printed, r->error, "column \"%.32s\" occurs again; allowed: once", name);
  r->kind[i] = kind;
  (void)snprintf(r->attribute[i], sizeof r->attribute[i], "%s", attribute);
  return SS_OK;
}

static ss_status read_head(reading *r, char *line)
{
  char *field[COLUMNS] = {NULL};
  bool has_seconds = false;
  r->separator = separator_of(line);
  r->count = split(line, r->separator, field);
  if (r->count > COLUMNS)
    return ss_printed_refuse(&r->printed, r->error, "has more than %d columns; allowed: fewer", COLUMNS);
  for (int i = 0; i < r->count; ++i) {
    const ss_status status = read_name(r, i, field[i]);
    if (status != SS_OK) return status;
    has_seconds = has_seconds || r->kind[i] == SS_STEP_SECONDS;
  }
  if (has_seconds) return SS_OK;
  return ss_printed_refuse(&r->printed, r->error, "has no column seconds; allowed:" COLUMN_WORDS);
}

static ss_status refuse_field(const reading *r, int i, const char *field, const char *allowed)
{
  const char *name = r->kind[i] < SS_STEP_COLUMNS ? columns[r->kind[i]].name : r->attribute[i];
  char shown[SS_STEP_VALUE_SIZE];
  return ss_printed_refuse(&r->printed, r->error, "%s=\"%s\": allowed: %s", name,
                           ss_printed_copy(shown, sizeof shown, field), allowed);
}

static ss_status read_field(const reading *r, int i, const char *field, ss_timed_step *step)
{
  const int kind = r->kind[i];
  if (*field == '\0') return SS_OK;
  if (kind == SS_STEP_WORKLOAD) {
    if (strlen(field) >= sizeof step->workload) return refuse_field(r, i, field, "a shorter path");
    (void)snprintf(step->workload, sizeof step->workload, "%s", field);
  } else if (kind == SS_STEP_GPUS) {
    if (!ss_printed_count(field, MOST_GPUS, &step->gpus) || step->gpus < 1)
      return refuse_field(r, i, field, "1 to 1048576");
  } else if (kind == SS_STEP_SECONDS) {
    if (!ss_printed_real(field, &step->seconds) || step->seconds <= 0.0 || step->seconds > MOST_SECONDS)
      return refuse_field(r, i, field, "a number above 0");
  } else if (kind == SS_STEP_WEIGHT) {
    if (!ss_printed_real(field, &step->weight) || step->weight > MOST_WEIGHT)
      return refuse_field(r, i, field, "0 for a row that is only predicted, 1, or another number");
  } else if (!ss_step_set(step, r->attribute[i], field)) {
    return refuse_field(r, i, field, "a shorter value");
  }
  return SS_OK;
}

static ss_status read_row(const reading *r, char *line)
{
  char *field[COLUMNS] = {NULL};
  const int count = split(line, r->separator, field);
  if (count != r->count)
    return ss_printed_refuse(&r->printed, r->error, "has %d fields, the first line %d; allowed: as many", count,
                             r->count);
  ss_timed_step *step = ss_timed_steps_add(r->steps);
  if (step == NULL) return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for iterations");
  step->line = r->printed.line;
  for (int i = 0; i < count; ++i) {
    const ss_status status = read_field(r, i, field[i], step);
    if (status != SS_OK) return status;
  }
  if (step->seconds > 0.0) return SS_OK;
  return ss_printed_refuse(&r->printed, r->error, "has no seconds; allowed: the time of an iteration in every row");
}

ss_status ss_step_table_read(const ss_source *source, ss_timed_steps *steps, ss_error *error)
{
  *steps = (ss_timed_steps){.count = 0};
  reading r = {.printed = ss_printed_of(source), .steps = steps, .error = error};
  char *line = next_line(&r.printed);
  if (line == NULL) return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "has no line that names the columns");
  ss_status status = read_head(&r, line);
  for (line = next_line(&r.printed); status == SS_OK && line != NULL; line = next_line(&r.printed))
    status = read_row(&r, line);
  if (status != SS_OK || steps->count > 0) return status;
  return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "has no row; allowed: one or more");
}
