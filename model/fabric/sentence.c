#include "model/fabric/sentence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "model/base/error.h"

ss_sentence ss_sentence_begin(char *text, size_t size)
{
  text[0] = '\0';
  return (ss_sentence){.text = text, .size = size};
}

void ss_sentence_say(ss_sentence *s, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(s->text + s->used, s->size - s->used, format, arguments);
  va_end(arguments);
  SS_ASSERT(length >= 0 && (size_t)length < s->size - s->used);
  s->used += (size_t)length;
}

void ss_sentence_say_list(ss_sentence *s, const int64_t *number, int64_t count, const char *between)
{
  for (int64_t i = 0; i < count; ++i) ss_sentence_say(s, "%s%" PRId64, i > 0 ? between : "", number[i]);
}
