/* What a file says, whatever language it is written in: names with values, in the order of the file. */
#ifndef STEPSIM_SIM_IMPORT_FILES_SETTINGS_H
#define STEPSIM_SIM_IMPORT_FILES_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/import/files/source.h"
#include "sim/import/shell/gaps.h"

enum { SS_SETTING_KEY_SIZE = 256 };

/* A place of the text, counted from 1, with branches of which only a run takes one, and the branch that a setting is
 * in; 0: none. */
typedef struct ss_setting_choice {
  size_t place;
  int way;
} ss_setting_choice;

typedef struct ss_setting {
  char key[SS_SETTING_KEY_SIZE]; /* names from the outermost table inwards, with dots between them */
  json_t *value;                 /* a scalar, or a list of scalars; owned */
  int line;
  int again;           /* the line of a second value, which is the one that is kept; 0: there is none */
  bool is_next;        /* the value is the word behind the name on a command line, which may be another argument */
  bool is_open;        /* the value is an expansion as a whole, which only a run knows, and may be arguments */
  bool is_resolved;    /* what the value stands for is in its place */
  const char *path;    /* of the file that says it, where that is not the one that is read; NULL; borrowed */
  int path_line;       /* there */
  const char *unknown; /* what only a run knows the value of, which is this; NULL: it is known; borrowed */
  ss_setting_choice choice;
} ss_setting;

typedef struct ss_settings {
  const ss_source *source; /* borrowed */
  ss_setting *setting;     /* [count]; owned */
  int64_t count, room;
  bool keeps_last;    /* of a key with two values, as PyYAML does, for the reader to say whether that matters */
  ss_shell_gaps gaps; /* of a script */
  struct ss_shell_variables *given; /* that files ahead of it have given values; borrowed; NULL: none */
  bool gives;                       /* it does so itself, and nothing else */
} ss_settings;

/* Adds a setting, and owns its value in any case. SS_ERROR_MEMORY where there is none, or no value; SS_ERROR_INPUT for
 * a key that is too long, and for more settings than any configuration has. */
ss_status ss_settings_add(ss_settings *settings, const char *key, json_t *value, int line, ss_error *error);

/* The last setting of a key; NULL where there is none. */
const ss_setting *ss_settings_find(const ss_settings *settings, const char *key);

/* As ss_settings_add, but a key that is there already with another value is refused with both lines, unless the last
 * value is kept. */
ss_status ss_settings_add_once(ss_settings *settings, const char *key, json_t *value, int line, ss_error *error);

/* Refuses a second value. Always SS_ERROR_INPUT. */
ss_status ss_settings_refuse_again(const ss_settings *settings, const ss_setting *earlier, int line, ss_error *error);

/* The file and the line that say a setting. */
const char *ss_setting_path(const ss_settings *settings, const ss_setting *setting);
int ss_setting_line(const ss_setting *setting);

/* What a scalar without quotes is in YAML and in arguments: null, a truth value, a number or a text. NULL: no memory.
 */
json_t *ss_setting_value(const char *text);

/* What is behind a key and a name: KEY.NAME, or NAME where the key is empty. SS_ERROR_INPUT where it is too long. */
ss_status ss_setting_join(const ss_settings *settings, const char *key, const char *name, int line,
                          char joined[SS_SETTING_KEY_SIZE], ss_error *error);

void ss_settings_free(ss_settings *settings);

#endif
