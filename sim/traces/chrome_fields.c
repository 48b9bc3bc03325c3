#include "sim/traces/chrome_fields.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of microseconds that a double has no room for are wrong anyway. */
#define MICROS_MAX 1e18

enum { NUMBER_SIZE = 64, MOST_DIGITS = 18 };

void ss_chrome_fields_clear(ss_chrome_fields *fields)
{
  fields->phase[0] = fields->category[0] = fields->name[0] = fields->label[0] = fields->group[0] = '\0';
  fields->process = fields->thread = fields->link = fields->group_size = fields->stride = 0;
  fields->layer = SS_NO_INDEX;
  fields->start = fields->duration = (ss_micros){.is_known = false};
}

static void copy(char *to, size_t size, ss_chrome_value value)
{
  const size_t kept = value.length < size ? value.length : size - 1;
  memcpy(to, value.text, kept);
  to[kept] = '\0';
}

/* How each kind of field is read: from a value to a field of `size` bytes. */
static void set_text(void *to, size_t size, ss_chrome_value value)
{
  if (value.is_string) copy(to, size, value);
}

/* The digits that a text begins with, as a number; -1 where there are none or too many. */
static int64_t digits(const char *value, size_t length, size_t *used)
{
  int64_t number = 0;
  *used = 0;
  while (*used < length && *used < MOST_DIGITS && isdigit((unsigned char)value[*used]))
    number = 10 * number + (value[(*used)++] - '0');
  const bool more = *used < length && isdigit((unsigned char)value[*used]);
  return *used == 0 || more ? -1 : number;
}

int64_t ss_chrome_count(const char *value, size_t length)
{
  size_t used;
  return digits(value, length, &used);
}

static void set_count(void *to, size_t size, ss_chrome_value value)
{
  (void)size;
  *(int64_t *)to = ss_chrome_count(value.text, value.length);
}

static void set_micros(void *to, size_t size, ss_chrome_value value)
{
  char text[NUMBER_SIZE], *end;
  size_t used;
  ss_micros *micros = to;
  (void)size;
  copy(text, sizeof text, value);
  const double number = strtod(text, &end);
  const int64_t whole = digits(value.text, value.length, &used);
  const bool plain = whole >= 0 && strpbrk(text, "eE") == NULL;
  *micros = (ss_micros){.is_known = end != text && *end == '\0' && fabs(number) < MICROS_MAX};
  if (!micros->is_known) return;
  micros->whole = plain ? whole : (int64_t)number;
  micros->part = plain ? strtod(text + used, NULL) : number - (double)micros->whole;
}

/* Ranks are text, such as "[0, 8, 16, ...]": how far the first two are apart. */
static void set_ranks(void *to, size_t size, ss_chrome_value value)
{
  int64_t rank[2] = {-1, -1};
  size_t at = 0, used;
  (void)size;
  for (int i = 0; i < 2; ++i) {
    while (at < value.length && !isdigit((unsigned char)value.text[at])) ++at;
    rank[i] = digits(value.text + at, value.length - at, &used);
    at += used;
  }
  *(int64_t *)to = rank[1] > rank[0] && rank[0] >= 0 ? rank[1] - rank[0] : 0;
}

void ss_chrome_fields_set(ss_chrome_fields *fields, bool in_args, const char *key, ss_chrome_value value)
{
#define SET_FIELD(args, name_of, how, field)                                                                           \
  if (in_args == (args) && strcmp(key, name_of) == 0) {                                                                \
    set_##how(&fields->field, sizeof fields->field, value);                                                            \
    return;                                                                                                            \
  }
  SS_CHROME_FIELD_LIST(SET_FIELD)
#undef SET_FIELD
}
