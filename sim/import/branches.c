#include "sim/import/branches.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Of a condition that is shown. */
enum { MOST_SHOWN = 60 };

/* Whether a setting may change what is predicted. */
static bool matters(const ss_dialect *dialect, const ss_setting *setting)
{
  const ss_setting_row *row = ss_dialect_row(dialect, setting->key);
  const bool is_idle = row != NULL && (row->use == SS_SETTING_IDLE || row->use == SS_SETTING_LEFT_OUT);
  return setting->choice.place > 0 && !is_idle;
}

static bool is_other_way(const ss_setting *a, const ss_setting *b)
{
  return a->choice.place == b->choice.place && a->choice.way != b->choice.way;
}

static int line_of(const ss_settings *settings, const ss_setting *setting)
{
  return ss_source_line(settings->source, settings->source->text + setting->choice.place - 1);
}

/* Whether another branch has settings that matter, and not this one. */
static bool is_missing(const ss_dialect *dialect, const ss_settings *settings, const ss_setting *setting)
{
  bool has_others = false;
  for (int64_t i = 0; i < settings->count; ++i) {
    const ss_setting *other = &settings->setting[i];
    if (!is_other_way(setting, other) || !matters(dialect, other)) continue;
    if (strcmp(other->key, setting->key) == 0 && json_equal(other->value, setting->value)) return false;
    has_others = true;
  }
  return has_others;
}

/* The first setting of its condition. */
static bool is_first(const ss_dialect *dialect, const ss_settings *settings, const ss_setting *setting)
{
  const ss_setting *other = settings->setting;
  while (other->choice.place != setting->choice.place || !matters(dialect, other)) ++other;
  return other == setting;
}

static ss_status note_condition(ss_import *import, const ss_settings *settings, const ss_setting *setting,
                                ss_error *error)
{
  char text[MOST_SHOWN + 64];
  const char *condition = settings->source->text + setting->choice.place - 1;
  const size_t length = strcspn(condition, "\n");
  (void)snprintf(text, sizeof text, "line %d, %.*s", line_of(settings, setting),
                 (int)(length < MOST_SHOWN ? length : MOST_SHOWN), condition);
  return ss_import_note(import, SS_NOTE_UNDECIDED, text, error);
}

/* Notes names one by one. */
static ss_status note_names(ss_import *import, ss_note_kind kind, const char *names, ss_error *error)
{
  ss_status status = SS_OK;
  for (; status == SS_OK && *names != '\0'; names += strspn(names, " ")) {
    char name[SS_SETTING_KEY_SIZE];
    const size_t length = strcspn(names, " ");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, names);
    status = ss_import_note(import, kind, name, error);
    names += length;
  }
  return status;
}

ss_status ss_branches_check(ss_import *import, const ss_dialect *dialect, const ss_settings *settings, ss_error *error)
{
  ss_status status = note_names(import, SS_NOTE_UNSET, settings->asked, error);
  if (status == SS_OK) status = note_names(import, SS_NOTE_LOOP, settings->loops, error);
  for (int64_t i = 0; status == SS_OK && i < settings->count; ++i) {
    const ss_setting *setting = &settings->setting[i];
    if (!matters(dialect, setting)) continue;
    if (is_missing(dialect, settings, setting))
      return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, setting->line,
                          "%.64s: is in one branch of line %d, and not in another, which only a run decides; allowed: "
                          "the file without the branch that is not taken",
                          setting->key, line_of(settings, setting));
    if (is_first(dialect, settings, setting)) status = note_condition(import, settings, setting, error);
  }
  return status;
}
