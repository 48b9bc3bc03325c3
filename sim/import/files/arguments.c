#include "sim/import/files/arguments.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/files/launcher.h"

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

/* NAME=VALUE, which a program may have behind a file of YAML, as MaxText does. */
static bool is_assignment(const char *word)
{
  const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return isalpha((unsigned char)word[0]) && word[length] == '=';
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

/* [A, B] of Hydra, else one value. */
static json_t *override_value(const char *text)
{
  const size_t length = strlen(text);
  const bool is_list = text[0] == '[' && strchr(text, ']') == text + length - 1;
  if (!is_list || strpbrk(text + 1, "[{") != NULL) return ss_setting_value(text);
  json_t *list = json_array();
  for (const char *at = text + 1; list != NULL && at < text + length - 1;) {
    char member[SS_SHELL_WORD_SIZE];
    at += strspn(at, " ,");
    const size_t size = strcspn(at, " ,]");
    memcpy(member, at, size);
    member[size] = '\0';
    at += size;
    if (size == 0 || json_array_append_new(list, ss_setting_value(member)) == 0) continue;
    json_decref(list);
    list = NULL;
  }
  return list;
}

/* Whether a variable, ${NAME} and its like, may be arguments that were not read where it got them. */
static bool is_open_variable(ss_shell *shell, const char *word)
{
  const bool has_brace = word[1] == '{';
  const char *name = word + 1 + has_brace, *rest = name;
  while (ss_shell_is_name(*rest)) ++rest;
  const size_t length = (size_t)(rest - name);
  if (strncmp(rest, "[@]", 3) == 0 || strncmp(rest, "[*]", 3) == 0) rest += 3;
  if (length == 0 || isdigit((unsigned char)*name) || strcmp(rest, has_brace ? "}" : "") != 0) return false;
  const ss_shell_variable *variable = ss_shell_find(&shell->variables, name, length);
  return variable == NULL || (!variable->is_words && !variable->is_known);
}

/* Whether the word is an expansion as a whole, so that it may be arguments, which only a run knows. */
static bool is_open(ss_shell *shell)
{
  const char *word = shell->word.shown;
  const size_t length = strlen(word);
  if (length < 2) return false;
  if (word[0] == '`') return word[length - 1] == '`';
  if (strncmp(word, "$(", 2) == 0) return word[2] != '(' && word[length - 1] == ')';
  return word[0] == '$' && is_open_variable(shell, word);
}

static void note_open(ss_shell *shell)
{
  const char *word = shell->word.shown;
  if (is_open(shell)) ss_shell_names_add(&shell->variables.gaps.open, word, strlen(word));
}

/* The values behind the name of an argument: the first word, and further ones of the same line. */
static json_t *read_values(ss_shell *shell, bool *more, bool *is_first_open)
{
  json_t *value = NULL;
  for (*more = ss_shell_next(shell); *more; *more = ss_shell_next(shell)) {
    const char *word = shell->word.shown;
    const bool begins = is_argument(word) || is_override(word) || shell->is_command || shell->opens;
    if (begins || (value != NULL && (shell->is_apart || ss_launcher_is_program(word)))) break;
    if (value == NULL)
      *is_first_open = is_open(shell);
    else
      note_open(shell);
    value = value == NULL ? ss_setting_value(word) : with_value(value, word);
    if (value == NULL) return NULL;
  }
  return value != NULL ? value : json_true();
}

/* An argument or an override, which the last word is, and what belongs to it. */
static ss_status read_argument(ss_shell *shell, ss_settings *settings, bool *more, ss_error *error)
{
  char name[SS_SHELL_WORD_SIZE];
  const ss_setting_choice choice = {.place = shell->choice, .way = shell->way};
  const int line = shell->line;
  memcpy(name, shell->word.shown, sizeof name);
  char *equals = strchr(name, '='), *key = name + (is_argument(name) ? 2 : strspn(name, "+"));
  if (equals != NULL) *equals = '\0';
  bool is_value_open = false;
  json_t *value = equals != NULL ? override_value(equals + 1) : read_values(shell, more, &is_value_open);
  if (equals != NULL) *more = ss_shell_next(shell);
  const ss_status status = ss_settings_add(settings, key, value, line, error);
  if (status != SS_OK) return status;
  settings->setting[settings->count - 1].choice = choice;
  settings->setting[settings->count - 1].is_next = equals == NULL;
  settings->setting[settings->count - 1].is_open = is_value_open;
  return SS_OK;
}

/* Whether what is behind the last word may be arguments of a training program: it is one, or a Python program, or
 * arguments that a variable has. */
static bool begins_arguments(ss_shell *shell)
{
  const char *word = shell->word.shown, *dot = strrchr(word, '.');
  const bool is_variable = word[0] == '$' && !shell->is_command && !is_open(shell);
  return is_argument(word) || is_variable || (dot != NULL && strcmp(dot, ".py") == 0);
}

/* Whether the last word is a command that does more than give variables values. */
static bool does_more(const ss_shell *shell)
{
  static const char *const declares[] = {"export", "declare", "readonly"};
  bool gives = false;
  for (size_t i = 0; i < sizeof declares / sizeof declares[0]; ++i)
    gives |= strcmp(shell->word.shown, declares[i]) == 0;
  return shell->is_command && !gives;
}

static ss_status read_all(ss_shell *shell, ss_settings *settings, ss_error *error)
{
  const char *launcher = NULL;
  ss_status status = SS_OK;
  bool more = ss_shell_next(shell), has_arguments = false;
  settings->gives = true;
  while (status == SS_OK && more) {
    const char *word = shell->word.shown;
    settings->gives &= !does_more(shell);
    launcher = ss_launcher_at(shell, launcher);
    if (shell->is_command || shell->opens) has_arguments = false;
    if (has_arguments) note_open(shell);
    has_arguments |= launcher == NULL && begins_arguments(shell);
    if (launcher != NULL && word[0] == '-')
      status = ss_launcher_read(shell, launcher, settings, &more, error);
    else if (is_argument(word) || is_override(word) || (shell->has_file && is_assignment(word)))
      status = read_argument(shell, settings, &more, error);
    else
      more = ss_shell_next(shell);
  }
  return status;
}

/* Variables of the environment that programs read: where a script sets them, they are settings. That of Transformer
 * Engine has the name that it has in descriptions of tests of Megatron-LM; others are options that the script of
 * TorchTitan makes of them, run_train.sh. */
static const struct {
  const char *program, *variable, *key;
} environment[] = {{"", "NVTE_NORM_FWD_USE_CUDNN", "ENV_VARS.NVTE_NORM_FWD_USE_CUDNN"},
                   {"run_train.sh", "MODULE", "module"},
                   {"run_train.sh", "CONFIG", "config"},
                   {"run_train.sh", "NGPU", "nproc_per_node"}};

static ss_status read_environment(ss_shell *shell, ss_settings *settings, ss_error *error)
{
  ss_status status = SS_OK;
  for (size_t i = 0; status == SS_OK && i < sizeof environment / sizeof environment[0]; ++i) {
    const char *name = environment[i].variable;
    const ss_shell_variable *variable = ss_shell_find(&shell->variables, name, strlen(name));
    const bool is_read = strstr(settings->source->text, environment[i].program) != NULL &&
                         ss_settings_find(settings, environment[i].key) == NULL;
    if (is_read && variable != NULL && variable->is_known)
      status = ss_settings_add(settings, environment[i].key, ss_setting_value(variable->value), 0, error);
  }
  return status;
}

/* Variables are as files ahead of a script left them. */
static void take_given(ss_shell *shell, const ss_settings *settings)
{
  if (settings->given == NULL) return;
  memcpy(shell->variables.variable, settings->given->variable, sizeof shell->variables.variable);
  shell->variables.count = settings->given->count;
}

/* A script that does nothing but give variables values gives them to those behind it. */
static void give(const ss_shell *shell, ss_settings *settings)
{
  settings->gives &= settings->count == 0 && shell->variables.count > 0 && shell->variables.lost == 0;
  if (settings->given == NULL || !settings->gives) return;
  *settings->given = shell->variables;
  for (int i = 0; i < settings->given->count; ++i) {
    settings->given->variable[i].function = 0;
    settings->given->variable[i].launcher = NULL;
  }
}

ss_status ss_arguments_read(ss_settings *settings, ss_error *error)
{
  ss_shell *shell = malloc(sizeof *shell);
  const char *path = settings->source->path;
  if (shell == NULL) return ss_error_set(error, SS_ERROR_MEMORY, path, 0, "out of memory for arguments");
  ss_shell_init(shell, settings->source->text);
  take_given(shell, settings);
  ss_status status = read_all(shell, settings, error);
  if (status == SS_OK) status = read_environment(shell, settings, error);
  settings->gaps = shell->variables.gaps;
  give(shell, settings);
  free(shell);
  if (status != SS_OK || settings->gaps.unnamed == 0) return status;
  return ss_error_set(error, SS_ERROR_INPUT, path, 0, "gives more than %d variables values; allowed: so many",
                      SS_SHELL_NAMES);
}
