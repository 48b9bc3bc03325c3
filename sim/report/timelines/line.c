#include "sim/report/timelines/line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/base/error.h"

/* Whole numbers up to this are doubles. */
#define EXACT 9007199254740992.0

static void add(ss_text_line *line, const char *text, size_t length)
{
  SS_ASSERT(line->length + length <= SS_LINE_SIZE);
  memcpy(line->text + line->length, text, length);
  line->length += length;
}

void ss_line_text(ss_text_line *line, const char *text)
{
  add(line, text, strlen(text));
}

/* The digits of a number, at least so many, and a point before the last `decimals`. */
static void add_digits(ss_text_line *line, uint64_t number, int decimals)
{
  char text[32];
  char *first = text + sizeof text;
  for (int digits = 0; number > 0 || digits <= decimals; ++digits, number /= 10) {
    if (digits > 0 && digits == decimals) *--first = '.';
    *--first = (char)('0' + number % 10);
  }
  add(line, first, (size_t)(text + sizeof text - first));
}

void ss_line_integer(ss_text_line *line, int64_t number)
{
  if (number < 0) add(line, "-", 1);
  add_digits(line, number < 0 ? -(uint64_t)number : (uint64_t)number, 0);
}

void ss_line_decimal(ss_text_line *line, int64_t number, int decimals)
{
  SS_ASSERT(number >= 0 && decimals > 0);
  add_digits(line, (uint64_t)number, decimals);
}

void ss_line_quantity(ss_text_line *line, double quantity)
{
  char text[32];
  if (quantity == floor(quantity) && fabs(quantity) <= EXACT)
    ss_line_integer(line, (int64_t)quantity);
  else
    add(line, text, (size_t)snprintf(text, sizeof text, "%.9g", quantity));
}

void ss_line_write(ss_text_line *line, ss_output *output)
{
  ss_output_write(output, line->text, line->length);
  line->length = 0;
}
