#include "sim/import/models/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/dotted.h"
#include "sim/import/files/object.h"

bool ss_config_is_off(const json_t *value)
{
  return json_is_null(value) || json_is_false(value) || (json_is_number(value) && json_number_value(value) == 0.0) ||
         (json_is_string(value) && json_string_length(value) == 0) ||
         (json_is_array(value) && json_array_size(value) == 0) ||
         (json_is_object(value) && json_object_size(value) == 0);
}

int ss_config_line(const ss_config *config, const char *key)
{
  return ss_object_line(config->source, config->from, ss_last_name(key));
}

ss_status ss_config_refuse(const ss_config *config, const char *key, const json_t *value, ss_error *error,
                           const char *format, ...)
{
  enum { SHOWN = 64 };
  char problem[SS_MESSAGE_SIZE / 2], *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  const ss_status status =
      ss_error_set(error, SS_ERROR_INPUT, config->source->path, ss_config_line(config, key), "%s=%.*s%s: %s", key,
                   SHOWN, text != NULL ? text : "", text != NULL && strlen(text) > SHOWN ? "..." : "", problem);
  free(text);
  return status;
}

ss_status ss_config_count(const ss_config *config, const char *key, ss_config_range range, int64_t *count,
                          ss_error *error)
{
  const json_t *value = json_object_get(config->root, key);
  *count = range.fallback;
  if (value == NULL || json_is_null(value)) return SS_OK;
  if (!json_is_integer(value) || json_integer_value(value) < range.least || json_integer_value(value) > range.most)
    return ss_config_refuse(config, key, value, error, "is not a whole number from %lld to %lld",
                            (long long)range.least, (long long)range.most);
  *count = json_integer_value(value);
  return SS_OK;
}

ss_status ss_config_flag(const ss_config *config, const char *key, bool *is_true, ss_error *error)
{
  const json_t *value = json_object_get(config->root, key);
  *is_true = json_is_true(value);
  if (value == NULL || json_is_null(value) || json_is_boolean(value)) return SS_OK;
  return ss_config_refuse(config, key, value, error, "is not true or false");
}
