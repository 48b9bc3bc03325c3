#include "sim/options/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/range.h"
#include "model/base/spelling.h"
#include "sim/io/io.h"

ss_status ss_option_refuse(ss_error *error, const char *format, ...)
{
  char message[SS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "%s", message);
}

ss_status ss_option_set_text(const ss_option *row, void *target, char *text, ss_error *error)
{
  const char **kept = target;
  (void)row, (void)error;
  *kept = text;
  return SS_OK;
}

ss_status ss_option_set_flag(const ss_option *row, void *target, char *text, ss_error *error)
{
  bool *given = target;
  (void)row, (void)text, (void)error;
  *given = true;
  return SS_OK;
}

/* Reads a number from 1 on that is followed by a comma or the end. */
static ss_status parse_count(const ss_option *row, const char *text, int64_t *count, char **end, ss_error *error)
{
  errno = 0;
  const long long value = strtoll(text, end, 10);
  *count = value;
  if (isdigit((unsigned char)*text) && errno == 0 && (**end == ',' || **end == '\0') && value >= 1 &&
      value <= row->most)
    return SS_OK;
  return ss_option_refuse(error, "--%s \"%s\": out of range or not a number; allowed: 1 to %lld", row->name, text,
                          (long long)row->most);
}

ss_status ss_option_set_count(const ss_option *row, void *target, char *text, ss_error *error)
{
  char *end;
  const ss_status status = parse_count(row, text, target, &end, error);
  if (status != SS_OK || *end == '\0') return status;
  return ss_option_refuse(error, "--%s \"%s\": is more than one number; allowed: 1 to %lld", row->name, text,
                          (long long)row->most);
}

/* The words with blanks between them; what does not fit is left out. */
static void list_words(const char *const *words, char *list, size_t size)
{
  size_t used = 0;
  for (int i = 0; words[i] != NULL && used < size; ++i)
    used += (size_t)snprintf(list + used, size - used, " %s", words[i]);
}

ss_status ss_option_set_word(const ss_option *row, void *target, char *text, ss_error *error)
{
  char list[SS_MESSAGE_SIZE];
  int i = 0;
  while (row->words[i] != NULL && !ss_spells(text, strlen(text), row->words[i])) ++i;
  list_words(row->words, list, sizeof list);
  if (row->words[i] == NULL)
    return ss_option_refuse(error, "--%s \"%s\": unknown%s; allowed:%s", row->name, text,
                            ss_hint_of(text, row->words).text, list);
  memcpy(target, &i, sizeof i);
  return SS_OK;
}
_Static_assert(sizeof(ss_unit) == sizeof(int), "an enumeration is stored as an int");

static ss_status set_limit(const ss_option *row, double *limit, const char *text, ss_unit unit, ss_error *error)
{
  if (ss_quantity_parse(text, unit, limit) == 0 && *limit > 0.0) return SS_OK;
  return ss_option_refuse(error, "--%s \"%s\": is not an amount above 0; allowed: %s", row->name, text,
                          unit == SS_UNIT_NONE ? "seconds, such as 10" : ss_unit_text(unit));
}

ss_status ss_option_set_seconds(const ss_option *row, void *target, char *text, ss_error *error)
{
  return set_limit(row, target, text, SS_UNIT_NONE, error);
}

ss_status ss_option_set_bytes(const ss_option *row, void *target, char *text, ss_error *error)
{
  return set_limit(row, target, text, SS_UNIT_BYTES, error);
}

ss_status ss_option_append(const char *name, const char **list, int64_t *count, int64_t capacity, const char *text,
                           ss_error *error)
{
  if (*count == capacity) return ss_option_refuse(error, "more than %lld times --%s", (long long)capacity, name);
  list[(*count)++] = text;
  return SS_OK;
}

/* Whether both settings are of one name, which may have '_' for '-'. */
static bool same_name(const char *a, const char *b)
{
  const size_t length = strcspn(a, "=");
  if (strcspn(b, "=") != length) return false;
  for (size_t i = 0; i < length; ++i)
    if (a[i] != b[i] && !(strchr("-_", a[i]) != NULL && strchr("-_", b[i]) != NULL)) return false;
  return true;
}

ss_status ss_option_check_setting(const char *name, const char *const *earlier, int64_t count, const char *text,
                                  ss_error *error)
{
  for (int64_t i = 0; i < count; ++i)
    if (same_name(earlier[i], text) && strcmp(earlier[i] + strcspn(earlier[i], "="), text + strcspn(text, "=")) != 0)
      return ss_option_refuse(error, "--%s: %s differs from %s, which another option sets; allowed: one of the two",
                              name, text, earlier[i]);
  return SS_OK;
}

/* A list of numbers while it is read. */
typedef struct counting {
  const ss_option *row;
  const char *text; /* all of it */
  int64_t *list;    /* [capacity] */
  int64_t capacity, *count;
  ss_error *error;
} counting;

static ss_status add_count(const counting *c, int64_t number)
{
  if (*c->count == c->capacity)
    return ss_option_refuse(c->error, "--%s \"%s\": more than %lld sizes", c->row->name, c->text,
                            (long long)c->capacity);
  c->list[(*c->count)++] = number;
  return SS_OK;
}

static bool is_count(const counting *c, double number)
{
  return number >= 1.0 && number <= (double)c->row->most && number == (double)(int64_t)number;
}

static ss_status add_range(const counting *c, const char *item, size_t length)
{
  char copy[64];
  ss_range range;
  (void)snprintf(copy, sizeof copy, "%.*s", (int)length, item);
  if (length >= sizeof copy || !ss_range_read(copy, &range) || range.unit[0] != '\0' || !is_count(c, range.first) ||
      !is_count(c, range.last) || !is_count(c, range.by))
    return ss_option_refuse(c->error, "--%s \"%s\": has no range of numbers from 1 to %lld; allowed: such as 64..512*2",
                            c->row->name, c->text, (long long)c->row->most);
  ss_status status = SS_OK;
  double number = range.first;
  for (long long i = 1; status == SS_OK && ss_range_has(&range, number); ++i) {
    status = add_count(c, (int64_t)number);
    number = ss_range_next(&range, number, i);
  }
  return status;
}

ss_status ss_option_counts(const ss_option *row, const char *text, int64_t *list, int64_t capacity, int64_t *count,
                           ss_error *error)
{
  const counting c = {.row = row, .text = text, .list = list, .capacity = capacity, .count = count, .error = error};
  const char *next = text;
  *count = 0;
  do {
    const size_t length = strcspn(next, ",");
    const char *dots = strstr(next, "..");
    char *end;
    int64_t number;
    ss_status status = SS_OK;
    if (dots != NULL && dots < next + length)
      status = add_range(&c, next, length);
    else if (parse_count(row, next, &number, &end, error) == SS_OK)
      status = add_count(&c, number);
    else
      status = ss_option_refuse(error,
                                "--%s \"%s\": is not a list of numbers from 1 to %lld; allowed: such as "
                                "512,1024 or 64..512*2",
                                row->name, text, (long long)row->most);
    if (status != SS_OK) return status;
    next += length;
  } while (*next++ == ',');
  return SS_OK;
}
