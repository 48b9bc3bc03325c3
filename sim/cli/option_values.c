#include "sim/cli/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/spelling.h"
#include "sim/io/io.h"

void ss_option_set_text(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  const char **kept = target;
  (void)state, (void)row;
  *kept = text;
}

void ss_option_set_flag(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  bool *given = target;
  (void)state, (void)row, (void)text;
  *given = true;
}

/* Reads a number from 1 on that is followed by a comma or the end. */
static int64_t parse_count(struct argp_state *state, const ss_option *row, const char *text, char **end)
{
  errno = 0;
  const long long value = strtoll(text, end, 10);
  if (!isdigit((unsigned char)*text) || errno != 0 || (**end != ',' && **end != '\0') || value < 1 || value > row->most)
    argp_error(state, "--%s \"%s\": out of range or not a number; allowed: 1 to %lld", row->name, text,
               (long long)row->most);
  return value;
}

void ss_option_set_count(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  int64_t *count = target;
  char *end;
  *count = parse_count(state, row, text, &end);
  if (*end != '\0')
    argp_error(state, "--%s \"%s\": is more than one number; allowed: 1 to %lld", row->name, text,
               (long long)row->most);
}

/* The words with blanks between them; what does not fit is left out. */
static void list_words(const char *const *words, char *list, size_t size)
{
  size_t used = 0;
  for (int i = 0; words[i] != NULL && used < size; ++i)
    used += (size_t)snprintf(list + used, size - used, " %s", words[i]);
}

void ss_option_set_word(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  char list[SS_MESSAGE_SIZE];
  int i = 0;
  while (row->words[i] != NULL && !ss_spells(text, strlen(text), row->words[i])) ++i;
  list_words(row->words, list, sizeof list);
  if (row->words[i] == NULL)
    argp_error(state, "--%s \"%s\": unknown%s; allowed:%s", row->name, text, ss_hint_of(text, row->words).text, list);
  memcpy(target, &i, sizeof i);
}
_Static_assert(sizeof(ss_unit) == sizeof(int), "an enumeration is stored as an int");

static double parse_limit(struct argp_state *state, const ss_option *row, const char *text, ss_unit unit)
{
  double limit = 0.0;
  if (ss_quantity_parse(text, unit, &limit) != 0 || limit <= 0.0)
    argp_error(state, "--%s \"%s\": is not an amount above 0; allowed: %s", row->name, text,
               unit == SS_UNIT_NONE ? "seconds, such as 10" : ss_unit_text(unit));
  return limit;
}

void ss_option_set_seconds(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  double *limit_s = target;
  *limit_s = parse_limit(state, row, text, SS_UNIT_NONE);
}

void ss_option_set_bytes(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  double *limit_bytes = target;
  *limit_bytes = parse_limit(state, row, text, SS_UNIT_BYTES);
}

void ss_option_append(struct argp_state *state, const char *name, const char **list, int64_t *count, int64_t capacity,
                      const char *text)
{
  if (*count == capacity) argp_error(state, "more than %lld times --%s", (long long)capacity, name);
  list[(*count)++] = text;
}

int64_t ss_option_counts(struct argp_state *state, const ss_option *row, const char *text, int64_t *list,
                         int64_t capacity)
{
  char *end = (char *)(uintptr_t)text;
  int64_t count = 0;
  do {
    const char *next = end;
    if (count == capacity) argp_error(state, "--%s \"%s\": more than %lld sizes", row->name, text, (long long)capacity);
    list[count++] = parse_count(state, row, next, &end);
  } while (*end++ == ',');
  return count;
}
