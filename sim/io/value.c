#include "sim/io/value.h"

#include <inttypes.h>
#include <libxml/xmlstring.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/base/dotted.h"
#include "model/base/spelling.h"
#include "sim/io/io.h"

bool ss_is_white(char byte)
{
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

void ss_list_add(ss_list *list, const char *format, ...)
{
  char item[SS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(item, sizeof item, format, arguments);
  va_end(arguments);
  const char *separator = list->used > 0 ? ", " : "";
  if (strlen(separator) + strlen(item) >= sizeof list->text - list->used) return;
  list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s", separator, item);
}

ss_quote ss_quote_of(const char *text)
{
  static const char more[] = "...";
  ss_quote quote;
  const size_t length = strlen(text), room = sizeof quote.text - 1;
  const size_t kept = length <= room ? length : room - strlen(more);
  const bool readable = xmlCheckUTF8((const unsigned char *)text);
  for (size_t i = 0; i < kept; i++) {
    const unsigned char byte = (unsigned char)text[i];
    quote.text[i] = text[i];
    if (byte < ' ' || byte == 0x7f || (byte > 0x7f && !readable)) quote.text[i] = '?';
  }
  (void)snprintf(quote.text + kept, sizeof quote.text - kept, "%s", kept < length ? more : "");
  return quote;
}

void ss_value_name(ss_value *value, const char *format, ...)
{
  char name[SS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  (void)snprintf(value->subject, sizeof value->subject, "%s", ss_quote_of(name).text);
}

ss_status ss_value_refuse(const ss_value *value, ss_error *error, const char *format, ...)
{
  char problem[SS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line, "%s=\"%s\": %s", value->subject,
                      ss_quote_of(value->text).text, problem);
}

ss_status ss_value_refuse_missing(const ss_value *value, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line, "%s is missing", value->subject);
}

const char *ss_digits_parse(const char *text, int64_t *number)
{
  const char *end = text;
  int64_t sum = 0;
  for (; *end >= '0' && *end <= '9'; end++) {
    const int digit = *end - '0';
    if (sum > (INT64_MAX - digit) / 10) return NULL;
    sum = 10 * sum + digit;
  }
  if (end == text) return NULL;
  *number = sum;
  return end;
}

/* Copies the text without surrounding white space, which XML Schema drops from numbers; false if it is too long for a
 * number. */
static bool trim(const char *text, char *copy, size_t size)
{
  while (ss_is_white(*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && ss_is_white(text[length - 1])) length--;
  if (length >= size) return false;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return true;
}

ss_status ss_value_count(const ss_value *value, int64_t minimum, int64_t maximum, int64_t *count, ss_error *error)
{
  char text[SS_TEXT_SIZE];
  bool whole = trim(value->text, text, sizeof text), in_range = false;
  if (whole) {
    const bool negative = text[0] == '-';
    const char *digits = text + (negative || text[0] == '+');
    const size_t length = strspn(digits, "0123456789");
    int64_t magnitude;
    whole = length > 0 && digits[length] == '\0';
    /* An overflow is out of any range, and so are the negative numbers dropped here: no count has a negative minimum.
     */
    if (whole && ss_digits_parse(digits, &magnitude) != NULL && (!negative || magnitude == 0)) {
      *count = magnitude;
      in_range = magnitude >= minimum && magnitude <= maximum;
    }
  }
  if (whole && in_range) return SS_OK;
  return ss_value_refuse(value, error, "%s; allowed: %" PRId64 " to %" PRId64,
                         whole ? "is out of range" : "is not a whole number", minimum, maximum);
}

ss_status ss_value_real(const ss_value *value, double minimum, double maximum, double *real, ss_error *error)
{
  char text[SS_TEXT_SIZE];
  double number;
  if (!trim(value->text, text, sizeof text) || ss_quantity_parse(text, SS_UNIT_NONE, &number) != 0)
    return ss_value_refuse(value, error, "is not a number; allowed: %g to %g", minimum, maximum);
  if (number < minimum || number > maximum)
    return ss_value_refuse(value, error, "is out of range; allowed: %g to %g", minimum, maximum);
  *real = number;
  return SS_OK;
}

ss_status ss_value_quantity(const ss_value *value, ss_unit unit, double minimum, double maximum, double *quantity,
                            ss_error *error)
{
  static const char *const base_units[SS_UNIT_COUNT] = {
      [SS_UNIT_NONE] = "",     [SS_UNIT_FLOP_PER_S] = "f", [SS_UNIT_BYTES_PER_S] = "Bps", [SS_UNIT_BYTES] = "B",
      [SS_UNIT_SECONDS] = "s", [SS_UNIT_FLOP] = "f",       [SS_UNIT_WATTS] = "W",
  };
  double number;
  if (ss_quantity_parse(value->text, unit, &number) != 0) {
    const bool bare = ss_quantity_parse(value->text, SS_UNIT_NONE, &number) == 0;
    const char *problem = unit == SS_UNIT_NONE ? "is not a number"
                          : bare               ? "has no unit"
                                               : "is not a number and a unit";
    return ss_value_refuse(value, error, "%s; allowed: %s", problem, ss_unit_text(unit));
  }
  if (number < minimum || number > maximum)
    return ss_value_refuse(value, error, "is out of range; allowed: %g%s to %g%s", minimum, base_units[unit], maximum,
                           base_units[unit]);
  *quantity = number;
  return SS_OK;
}

/* The kinds of values that a curve has. */
typedef struct curve_kind {
  ss_unit unit; /* of the sizes */
  bool prices;  /* else ratios */
} curve_kind;

static ss_status refuse_curve(const ss_value *value, curve_kind kind, ss_error *error, const char *problem)
{
  if (kind.prices)
    return ss_value_refuse(value, error,
                           "%s; allowed: dollars such as 30000, or up to %d points such as 20GiB:22500 80GiB:30000 "
                           "with increasing sizes and prices from 0 to %g",
                           problem, SS_CURVE_POINTS, SS_LARGEST_PRICE);
  return ss_value_refuse(value, error,
                         "%s; allowed: a ratio such as 0.8, or up to %d points such as %s with increasing sizes and "
                         "ratios above 0 and up to 1",
                         problem, SS_CURVE_POINTS,
                         kind.unit == SS_UNIT_FLOP    ? "1Gf:0.35 10Gf:0.6"
                         : kind.unit == SS_UNIT_BYTES ? "1MB:0.35 10MB:0.6"
                                                      : "512:0.35 4096:0.6");
}

/* The error of a point, or NULL. */
static const char *check_point(curve_kind kind, double size, double number)
{
  if (kind.prices && size < 0) return "has a size that is not a number and a unit";
  if (kind.prices) return number >= 0 && number <= SS_LARGEST_PRICE ? NULL : "has a price out of range";
  if (size <= 0) return "has a size that is not a positive number and a unit";
  return number > 0 && number <= SS_LARGEST_RATIO ? NULL : "has a ratio out of range";
}

/* Reads one "SIZE:NUMBER" (or "NUMBER", with size 1) of `length` bytes; returns what is wrong with it, or NULL. */
static const char *read_point(const char *text, size_t length, curve_kind kind, bool bare, double *size, double *number)
{
  char point[SS_TEXT_SIZE];
  if (length >= sizeof point) return "has a point that is too long";
  memcpy(point, text, length);
  point[length] = '\0';
  char *colon = strchr(point, ':');
  if (colon == NULL && !bare) return "has a point without a colon";
  if (colon != NULL) *colon = '\0';
  *size = 1;
  if (colon != NULL && ss_quantity_parse(point, kind.unit, size) != 0) *size = -1;
  if (*size >= 0 && ss_quantity_parse(colon != NULL ? colon + 1 : point, SS_UNIT_NONE, number) != 0)
    return kind.prices ? "has a price that is not a number" : "has a ratio that is not a number";
  return check_point(kind, *size, *number);
}

ss_status ss_value_curve(const ss_value *value, ss_unit unit, double maximum, ss_curve *curve, ss_error *error)
{
  static const char white[] = " \t\r\n";
  const curve_kind kind = {.unit = unit, .prices = maximum > SS_LARGEST_RATIO};
  ss_curve read = {.count = 0};
  const char *at = value->text + strspn(value->text, white);
  while (*at != '\0') {
    const size_t length = strcspn(at, white);
    const char *next = at + length + strspn(at + length, white);
    if (read.count == SS_CURVE_POINTS) return refuse_curve(value, kind, error, "has too many points");
    const int64_t i = read.count++;
    const bool alone = i == 0 && *next == '\0';
    const char *problem = read_point(at, length, kind, alone, &read.size[i], &read.value[i]);
    if (problem == NULL && i > 0 && read.size[i] <= read.size[i - 1]) problem = "has sizes that do not increase";
    if (problem != NULL) return refuse_curve(value, kind, error, problem);
    at = next;
  }
  if (read.count == 0) return refuse_curve(value, kind, error, "is empty");
  *curve = read;
  return SS_OK;
}

/* Index of the `length` bytes at `text` in a list of words; -1 where it is none of them. A file has them as its schema
 * has them; the command line may exchange '-' and '_'. */
static int index_of(const ss_value *value, const char *text, size_t length, const char *const *words)
{
  for (int i = 0; words[i] != NULL; i++)
    if (ss_spells(text, length, words[i]) && (value->line == 0 || strncmp(words[i], text, length) == 0)) return i;
  return -1;
}

static ss_list list_of(const char *const *words)
{
  ss_list list = {.used = 0};
  for (int i = 0; words[i] != NULL; i++) ss_list_add(&list, "%s", words[i]);
  return list;
}

ss_status ss_value_word(const ss_value *value, const char *const *words, int *index, ss_error *error)
{
  const int found = index_of(value, value->text, strlen(value->text), words);
  if (found < 0)
    return ss_value_refuse(value, error, "is unknown%s; allowed: %s", ss_hint_of(value->text, words).text,
                           list_of(words).text);
  *index = found;
  return SS_OK;
}

ss_status ss_value_words(const ss_value *value, const char *const *words, ss_word_set *set, ss_error *error)
{
  ss_word_set found = 0;
  for (const char *text = value->text; *text != '\0';) {
    size_t length = 0;
    while (text[length] != '\0' && !ss_is_white(text[length])) length++;
    const int index = length > 0 ? index_of(value, text, length, words) : 0;
    if (index < 0)
      return ss_value_refuse(value, error, "has an unknown word; allowed, with blanks between them: %s",
                             list_of(words).text);
    if (length > 0) found = (ss_word_set)(found | SS_WORD_BIT(index));
    text += length > 0 ? length : 1;
  }
  *set = found;
  return SS_OK;
}

ss_status ss_value_text(const ss_value *value, char *copy, size_t size, ss_error *error)
{
  const size_t length = strlen(value->text);
  if (length >= size) return ss_value_refuse(value, error, "has %zu bytes; allowed: at most %zu", length, size - 1);
  if (!xmlCheckUTF8((const unsigned char *)value->text))
    return ss_value_refuse(value, error, "is not UTF-8; allowed: printable text");
  for (size_t i = 0; i < length; i++) {
    const bool control = (unsigned char)value->text[i] < ' ' || value->text[i] == 0x7f;
    if (control) return ss_value_refuse(value, error, "has a control character; allowed: printable text");
  }
  memcpy(copy, value->text, length + 1);
  return SS_OK;
}

ss_status ss_attribute_refuse(const ss_value *value, const char *const *names, ss_error *error)
{
  const char *name = ss_last_name(value->subject);
  return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line, "unknown attribute %s=\"%s\"%s; allowed: %s",
                      value->subject, ss_quote_of(value->text).text, ss_hint_of(name, names).text, list_of(names).text);
}
