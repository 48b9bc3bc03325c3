#include "sim/import/dialects/known_settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/base/dotted.h"
#include "sim/import/files/launcher.h"
#include "sim/import/files/unknown.h"

bool ss_setting_is_word(const json_t *value, const char *word)
{
  return json_is_string(value) && strcasecmp(json_string_value(value), word) == 0;
}

bool ss_setting_is_false(const json_t *value)
{
  return json_is_false(value) || ss_setting_is_word(value, "false") || ss_setting_is_word(value, "0") ||
         (json_is_number(value) && json_number_value(value) == 0.0);
}

bool ss_setting_is_off(const json_t *value)
{
  return json_is_null(value) || ss_setting_is_false(value) ||
         (json_is_string(value) && json_string_length(value) == 0) ||
         (json_is_array(value) && json_array_size(value) == 0);
}

/* What a dump of Python's objects has beside their fields. */
static bool is_of_python(const char *key)
{
  static const char *const names[] = {"_target_", "_call_", "_partial_", "_args_", "_name_", "_cls_", "_fn_"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(ss_last_name(key), names[i]) == 0) return true;
  return strstr(key, "._args_.") != NULL;
}

/* Options of a launcher that it does not have, but the program: which one that is was not understood. */
static bool is_of_program(const ss_dialect *dialect, const char *key)
{
  const char *option = ss_launcher_option(key);
  const ss_setting_row *row = option != NULL ? ss_dialect_row(dialect, option) : NULL;
  return row != NULL && row->use != SS_SETTING_IDLE && ss_dialect_row(dialect, key)->use == SS_SETTING_IDLE;
}

/* A name and the names that it is near to. */
static void add_unknown(ss_unknown *unknown, const ss_dialect *dialect, const ss_setting *setting)
{
  char text[SS_SETTING_KEY_SIZE + SS_NEAR_SIZE];
  (void)snprintf(text, sizeof text, "%s%s", setting->key, ss_dialect_hint(dialect, setting->key).text);
  ss_unknown_add(unknown, text, ss_setting_line(setting));
}

ss_status ss_known_check(const ss_dialect *dialect, const ss_settings *settings, ss_error *error)
{
  ss_unknown unknown = {.more = 0};
  const char *path = NULL;
  for (int64_t i = 0; i < settings->count; ++i) {
    const ss_setting *setting = &settings->setting[i];
    const bool has_row = ss_dialect_row(dialect, setting->key) != NULL && !is_of_program(dialect, setting->key);
    if (has_row || ss_setting_is_off(setting->value) || is_of_python(setting->key)) continue;
    if (path == NULL) path = ss_setting_path(settings, setting);
    add_unknown(&unknown, dialect, setting);
  }
  return ss_unknown_check(&unknown, path, dialect->title, error);
}
