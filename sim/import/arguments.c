#include "sim/import/arguments.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/shell.h"

static bool is_argument(const char *word)
{
  return strncmp(word, "--", 2) == 0 && (isalnum((unsigned char)word[2]) || word[2] == '_');
}

/* TABLE.NAME=VALUE as Hydra has it, which may add and force what there is not: +, ++. */
static bool is_override(const char *word)
{
  const char *name = word + strspn(word, "+"), *equals = strchr(name, '='), *dot = strchr(name, '.');
  if (!isalpha((unsigned char)name[0]) || equals == NULL || dot == NULL || dot > equals) return false;
  return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == (size_t)(equals - name);
}

/* Puts a further value behind those that there are. */
static json_t *with_value(json_t *value, const char *text)
{
  json_t *list = json_is_array(value) ? json_incref(value) : json_array();
  bool fits = list != NULL && (json_is_array(value) || json_array_append(list, value) == 0);
  fits = fits && json_array_append_new(list, ss_setting_value(text)) == 0;
  json_decref(value);
  if (fits) return list;
  json_decref(list);
  return NULL;
}

/* The values behind the name of an argument: the first word, and further ones of the same line. */
static json_t *read_values(ss_shell *shell, bool *more)
{
  json_t *value = NULL;
  for (*more = ss_shell_next(shell); *more; *more = ss_shell_next(shell)) {
    const bool ends = is_argument(shell->word) || is_override(shell->word) || (value != NULL && shell->is_apart);
    if (ends) break;
    value = value == NULL ? ss_setting_value(shell->word) : with_value(value, shell->word);
    if (value == NULL) return NULL;
  }
  return value != NULL ? value : json_true();
}

static ss_status read_all(ss_shell *shell, ss_settings *settings, ss_error *error)
{
  ss_status status = SS_OK;
  bool more = ss_shell_next(shell);
  while (status == SS_OK && more) {
    char name[SS_SHELL_WORD_SIZE];
    const bool argument = is_argument(shell->word);
    memcpy(name, shell->word, sizeof name);
    const int line = shell->line;
    char *equals = strchr(name, '='), *key = name + (argument ? 2 : strspn(name, "+"));
    if (equals != NULL) *equals = '\0';
    if (!argument && !is_override(shell->word)) {
      more = ss_shell_next(shell);
    } else if (equals != NULL) {
      status = ss_settings_add(settings, key, ss_setting_value(equals + 1), line, error);
      more = ss_shell_next(shell);
    } else {
      status = ss_settings_add(settings, key, read_values(shell, &more), line, error);
    }
  }
  return status;
}

ss_status ss_arguments_read(ss_settings *settings, ss_error *error)
{
  ss_shell *shell = calloc(1, sizeof *shell);
  const char *path = settings->source->path;
  if (shell == NULL) return ss_error_set(error, SS_ERROR_MEMORY, path, 0, "out of memory for arguments");
  *shell = (ss_shell){.source = settings->source, .at = settings->source->text, .line_at = 1};
  const ss_status status = read_all(shell, settings, error);
  free(shell);
  return status;
}
