#include "sim/import/files/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"

/* Far above any configuration; keys are compared one by one. */
enum { MOST_SETTINGS = 4096 };

static ss_status grow(ss_settings *settings, ss_error *error)
{
  ss_setting *grown = ss_grown(settings->setting, settings->count, &settings->room, sizeof *grown);
  if (grown == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, settings->source->path, 0, "out of memory for settings");
  settings->setting = grown;
  return SS_OK;
}

ss_status ss_settings_add(ss_settings *settings, const char *key, json_t *value, int line, ss_error *error)
{
  const char *path = settings->source->path;
  ss_status status = SS_OK;
  if (value == NULL)
    status = ss_error_set(error, SS_ERROR_MEMORY, path, 0, "out of memory for settings");
  else if (strlen(key) >= SS_SETTING_KEY_SIZE)
    status = ss_error_set(error, SS_ERROR_INPUT, path, line,
                          "\"%.32s...\": is a long key; allowed: fewer than %d bytes", key, SS_SETTING_KEY_SIZE);
  else if (settings->count == MOST_SETTINGS)
    status = ss_error_set(error, SS_ERROR_INPUT, path, line, "has more than %d settings", MOST_SETTINGS);
  else
    status = grow(settings, error);
  if (status != SS_OK) {
    json_decref(value);
    return status;
  }
  ss_setting *setting = &settings->setting[settings->count++];
  memcpy(setting->key, key, strlen(key) + 1);
  setting->value = value;
  setting->line = line;
  setting->again = 0;
  setting->is_next = false;
  setting->is_open = false;
  setting->is_resolved = false;
  setting->path = NULL;
  setting->unknown = NULL;
  setting->choice = (ss_setting_choice){.place = 0};
  return SS_OK;
}

static ss_setting *find(const ss_settings *settings, const char *key)
{
  for (int64_t i = settings->count - 1; i >= 0; --i)
    if (strcmp(settings->setting[i].key, key) == 0) return &settings->setting[i];
  return NULL;
}

const ss_setting *ss_settings_find(const ss_settings *settings, const char *key)
{
  return find(settings, key);
}

ss_status ss_settings_refuse_again(const ss_settings *settings, const ss_setting *earlier, int line, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, line, "%.64s: occurs again, first in line %d",
                      earlier->key, earlier->line);
}

ss_status ss_settings_add_once(ss_settings *settings, const char *key, json_t *value, int line, ss_error *error)
{
  ss_setting *earlier = value != NULL ? find(settings, key) : NULL;
  if (earlier == NULL) return ss_settings_add(settings, key, value, line, error);
  const bool same = json_equal(earlier->value, value) != 0;
  if (!same && settings->keeps_last) {
    json_decref(earlier->value);
    earlier->value = value;
    earlier->again = line;
    return SS_OK;
  }
  json_decref(value);
  return same ? SS_OK : ss_settings_refuse_again(settings, earlier, line, error);
}

const char *ss_setting_path(const ss_settings *settings, const ss_setting *setting)
{
  return setting->path != NULL ? setting->path : settings->source->path;
}

int ss_setting_line(const ss_setting *setting)
{
  return setting->path != NULL ? setting->path_line : setting->line;
}

static bool is_one_of(const char *text, const char *const *words)
{
  while (*words != NULL && strcmp(*words, text) != 0) ++words;
  return *words != NULL;
}

/* Of a number with underscores. */
enum { MOST_DIGITS = 18 };

/* Copies digits without the underscores that may be between them; false where there is anything else. */
static bool without_underscores(const char *text, char digits[MOST_DIGITS + 1])
{
  size_t length = 0;
  for (size_t i = 0; text[i] != '\0'; ++i) {
    const bool between = i > 0 && isdigit((unsigned char)text[i - 1]) && isdigit((unsigned char)text[i + 1]);
    if (text[i] == '_' ? !between : !isdigit((unsigned char)text[i])) return false;
    if (text[i] == '_') continue;
    if (length == MOST_DIGITS) return false;
    digits[length++] = text[i];
  }
  digits[length] = '\0';
  return length > 0;
}

/* A number in decimal, as all of these languages have it. */
static json_t *number_of(const char *text)
{
  char *end, digits[MOST_DIGITS + 1];
  if (strchr(text, '_') != NULL && without_underscores(text, digits)) return json_integer(strtoll(digits, NULL, 10));
  const char first = text[text[0] == '-' || text[0] == '+'];
  if (!isdigit((unsigned char)first) && first != '.') return NULL;
  if (strspn(text, "+-.0123456789eE") != strlen(text)) return NULL;
  errno = 0;
  const long long count = strtoll(text, &end, 10);
  if (*end == '\0' && errno == 0) return json_integer(count);
  const double real = strtod(text, &end);
  return *end == '\0' ? json_real(real) : NULL; /* no number where it is not finite */
}

json_t *ss_setting_value(const char *text)
{
  static const char *const none[] = {"", "~", "null", "Null", "NULL", "None", NULL};
  static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "on", "On", NULL};
  static const char *const no[] = {"false", "False", "FALSE", "no", "No", "off", "Off", NULL};
  if (is_one_of(text, none)) return json_null();
  if (is_one_of(text, yes)) return json_true();
  if (is_one_of(text, no)) return json_false();
  json_t *number = number_of(text);
  return number != NULL ? number : json_string_nocheck(text);
}

ss_status ss_setting_join(const ss_settings *settings, const char *key, const char *name, int line,
                          char joined[SS_SETTING_KEY_SIZE], ss_error *error)
{
  const size_t first = strlen(key), dot = first > 0, second = strlen(name);
  if (first + dot + second >= SS_SETTING_KEY_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, line,
                        "\"%.32s...\": is a long key; allowed: fewer than %d bytes", name, SS_SETTING_KEY_SIZE);
  memcpy(joined, key, first); // NOLINT(bugprone-not-null-terminated-result) -- the name ends it
  joined[first] = '.';
  memcpy(joined + first + dot, name, second + 1);
  return SS_OK;
}

void ss_settings_free(ss_settings *settings)
{
  for (int64_t i = 0; i < settings->count; ++i) json_decref(settings->setting[i].value);
  free(settings->setting);
  *settings = (ss_settings){.source = NULL};
}
