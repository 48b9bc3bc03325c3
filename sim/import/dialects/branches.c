#include "sim/import/dialects/branches.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Of a condition that is shown. */
enum { MOST_SHOWN = 60 };

/* Whether a setting may change what is predicted. */
static bool matters(const ss_dialect *dialect, const ss_setting *setting)
{
  const ss_setting_row *row = ss_dialect_row(dialect, setting->key);
  const unsigned not_taken = 1u << SS_SETTING_IDLE | 1u << SS_SETTING_LEFT_OUT | 1u << SS_SETTING_MATTERS;
  return setting->choice.place > 0 && (row == NULL || (not_taken & 1u << row->use) == 0);
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

/* Notes names one by one, and how many had no room. */
static ss_status note_names(ss_import *import, ss_note_kind kind, const ss_shell_names *names, ss_error *error)
{
  char text[SS_SHELL_NAMES_SIZE];
  ss_status status = SS_OK;
  for (const char *at = names->text; status == SS_OK && *at != '\0'; at += strspn(at, "\n")) {
    const size_t length = strcspn(at, "\n");
    (void)snprintf(text, sizeof text, "%.*s", (int)length, at);
    status = ss_import_note(import, kind, text, error);
    at += length;
  }
  if (status != SS_OK || names->more == 0) return status;
  (void)snprintf(text, sizeof text, "and others, %d times", names->more);
  return ss_import_note(import, kind, text, error);
}

/* What of a script is not read. */
static ss_status note_gaps(ss_import *import, const ss_shell_gaps *gaps, ss_error *error)
{
  char text[64];
  ss_status status = note_names(import, SS_NOTE_UNSET, &gaps->asked, error);
  if (status == SS_OK) status = note_names(import, SS_NOTE_LOOP, &gaps->loops, error);
  if (status == SS_OK) status = note_names(import, SS_NOTE_SOURCED, &gaps->files, error);
  if (status == SS_OK) status = note_names(import, SS_NOTE_OPEN, &gaps->open, error);
  if (status != SS_OK || gaps->exit_line == 0) return status;
  (void)snprintf(text, sizeof text, "what is behind exit in line %d", gaps->exit_line);
  return ss_import_note(import, SS_NOTE_UNREAD, text, error);
}

ss_status ss_branches_check(ss_import *import, const ss_dialect *dialect, const ss_settings *settings, ss_error *error)
{
  ss_status status = note_gaps(import, &settings->gaps, error);
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
