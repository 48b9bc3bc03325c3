/* What functions of the library return, and its version. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/api/api.h"
#include "sim/session/version.h"

#define SAME(name)                                                                                                     \
  _Static_assert((int)STEPSIM_##name == (int)SS_##name, "codes of the library are those of the program")
SAME(OK);
SAME(ERROR_MEMORY);
SAME(ERROR_INPUT);
SAME(ERROR_OUTPUT);
SAME(ERROR_DEADLOCK);
SAME(ERROR_ENGINE);
SAME(ERROR_BUDGET);
SAME(ERROR_PROCESS);
SAME(ERROR_MODULE);
SAME(ERROR_USE);
SAME(ERROR_STOPPED);
_Static_assert(SS_STATUS_COUNT == STEPSIM_ERROR_STOPPED + 1, "all codes are above");
_Static_assert(STEPSIM_MESSAGE_SIZE == SS_ERROR_TEXT_SIZE, "the message has room for file, line and text");

stepsim_status ss_api_return(ss_status status, const ss_error *of, stepsim_error *error)
{
  if (status == SS_OK || error == NULL) return (stepsim_status)status;
  error->code = (stepsim_status)status;
  ss_error_text(of, error->message);
  return error->code;
}

stepsim_status ss_api_misuse(stepsim_error *error, const char *format, ...)
{
  va_list arguments;
  if (error == NULL) return STEPSIM_ERROR_USE;
  error->code = STEPSIM_ERROR_USE;
  va_start(arguments, format);
  (void)vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return STEPSIM_ERROR_USE;
}

ss_status ss_api_refuse_memory(const char *what, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %s", what);
}

stepsim_status ss_api_hand_over(const char *who, const char *text, char *value, size_t size, stepsim_error *error)
{
  const size_t length = strlen(text);
  if (length >= size)
    return ss_api_misuse(error, "%s: the value has %zu bytes; allowed: a size of at least that and 1", who, length);
  (void)snprintf(value, size, "%s", text);
  return STEPSIM_OK;
}

const char *stepsim_version(void)
{
  return ss_version;
}

const char *stepsim_status_text(stepsim_status status)
{
  return ss_status_text((ss_status)status);
}
