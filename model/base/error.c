#include "model/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/printable.h"

const char *ss_status_text(ss_status code)
{
  static const char *const texts[] = {
#define SS_STATUS_TEXT(id, text) text,
      SS_STATUS_LIST(SS_STATUS_TEXT)
#undef SS_STATUS_TEXT
  };
  return (unsigned)code < SS_STATUS_COUNT ? texts[code] : "unknown status";
}

ss_status ss_error_set(ss_error *error, ss_status code, const char *file, int line, const char *format, ...)
{
  if (error == NULL) return code;
  error->code = code;
  error->line = line;
  (void)snprintf(error->file, sizeof error->file, "%s", file != NULL ? file : "");
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  (void)ss_printable(error->message);
  return code;
}

void ss_error_text(const ss_error *error, char text[SS_ERROR_TEXT_SIZE])
{
  char line[16] = "";
  if (error->line > 0) (void)snprintf(line, sizeof line, "%d:", error->line);
  const bool somewhere = error->file[0] != '\0' || error->line > 0;
  (void)snprintf(text, SS_ERROR_TEXT_SIZE, "%s%s%s%s%s", error->file, error->file[0] != '\0' ? ":" : "", line,
                 somewhere ? " " : "", error->message);
}

void ss_assert_failed(const char *condition, const char *file, int line)
{
  (void)fprintf(stderr, "stepsim: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  abort();
}
