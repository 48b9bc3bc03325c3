#include "sim/import/shell.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Where quotes begin and end they are blanks; inside of them, only these, spaces and ends of lines are. */
static bool is_blank(const ss_shell *shell)
{
  const char byte = *shell->at;
  if (byte == '\0') return false;
  if (shell->quote != '\0') return byte == shell->quote || isspace((unsigned char)byte);
  return strchr(" \t\r\n\"'();|&`", byte) != NULL;
}

static bool is_quote(char byte)
{
  return byte == '"' || byte == '\'';
}

static void step(ss_shell *shell)
{
  const char byte = *shell->at++;
  shell->line_at += byte == '\n';
  if (shell->quote == byte)
    shell->quote = '\0';
  else if (shell->quote == '\0' && is_quote(byte))
    shell->quote = byte;
}

/* Moves to the beginning of a word. A backslash goes with the end of its line. */
static void pass_blanks(ss_shell *shell)
{
  shell->is_apart = false;
  while (*shell->at != '\0') {
    if (*shell->at == '#' && shell->quote == '\0') {
      while (*shell->at != '\0' && *shell->at != '\n') ++shell->at;
    } else if (*shell->at == '\\' && isspace((unsigned char)shell->at[1])) {
      step(shell);
      step(shell);
    } else if (is_blank(shell)) {
      if (strchr(" \t\r\"'", *shell->at) == NULL) shell->is_apart = true;
      step(shell);
    } else {
      return;
    }
  }
}

static bool is_name(char byte)
{
  return isalnum((unsigned char)byte) || byte == '_';
}

static const char *value_of(const ss_shell *shell, const char *name, size_t length)
{
  for (int i = 0; i < shell->variables; ++i)
    if (strlen(shell->variable[i].name) == length && memcmp(shell->variable[i].name, name, length) == 0)
      return shell->variable[i].value;
  return NULL;
}

static void append(char word[SS_SHELL_WORD_SIZE], const char *text, size_t length)
{
  const size_t used = strlen(word);
  (void)snprintf(word + used, SS_SHELL_WORD_SIZE - used, "%.*s", (int)length, text);
}

/* Appends the value of $NAME, ${NAME} or ${NAME:-DEFAULT}; what it is not stays as it stands. */
static void expand(ss_shell *shell)
{
  const char *begin = shell->at, *name = begin + 1 + (begin[1] == '{'), *end = name;
  while (is_name(*end)) ++end;
  const size_t length = (size_t)(end - name);
  const char *value = length > 0 ? value_of(shell, name, length) : NULL, *fallback = end;
  if (begin[1] == '{') {
    if (strncmp(end, ":-", 2) == 0) fallback = end + 2;
    const char *first = fallback + (*fallback == '"');
    end = fallback + strcspn(fallback, "}\n");
    const size_t rest = (size_t)(end - first) - (end > first && end[-1] == '"');
    if (value == NULL && fallback[-1] == '-' && end >= first) append(shell->word, first, rest);
    if (*end == '}') ++end;
  }
  if (value != NULL) append(shell->word, value, strlen(value));
  if (value == NULL && fallback[-1] != '-') append(shell->word, begin, end > begin + 1 ? (size_t)(end - begin) : 1);
  if (end == begin + 1 || end <= begin) end = begin + 1;
  for (; shell->at < end; ++shell->at) shell->line_at += *shell->at == '\n';
}

static void read_word(ss_shell *shell)
{
  shell->word[0] = '\0';
  shell->line = shell->line_at;
  while (*shell->at != '\0' && !is_blank(shell)) {
    if (*shell->at == '\\' && isspace((unsigned char)shell->at[1])) break;
    if (*shell->at == '\\' && is_quote(shell->at[1])) ++shell->at;
    if (*shell->at == '$') {
      expand(shell);
    } else {
      append(shell->word, shell->at++, 1);
    }
  }
}

/* Keeps NAME=VALUE, where a word is that and its value is one: what is quoted may be several words. */
static bool keep_assignment(ss_shell *shell)
{
  const char *equals = strchr(shell->word, '=');
  if (equals == NULL || equals == shell->word || isdigit((unsigned char)shell->word[0])) return false;
  for (const char *at = shell->word; at < equals; ++at)
    if (!is_name(*at)) return false;
  char name[SS_SHELL_WORD_SIZE] = "";
  append(name, shell->word, (size_t)(equals - shell->word));
  const char *value = equals + 1, quote = *shell->at;
  if (value[0] == '\0' && (quote == '"' || quote == '\'')) {
    step(shell);
    if (*shell->at == quote) return true;
    pass_blanks(shell);
    if (strncmp(shell->at, "--", 2) == 0) return true;
    read_word(shell);
    value = shell->word;
  }
  int i = 0;
  while (i < shell->variables && strcmp(shell->variable[i].name, name) != 0) ++i;
  if (i == SS_SHELL_NAMES) return true;
  if (i == shell->variables) ++shell->variables;
  memcpy(shell->variable[i].name, name, sizeof name);
  (void)snprintf(shell->variable[i].value, SS_SHELL_WORD_SIZE, "%s", value);
  return true;
}

bool ss_shell_next(ss_shell *shell)
{
  do {
    pass_blanks(shell);
    if (*shell->at == '\0') return false;
    read_word(shell);
  } while (keep_assignment(shell));
  return true;
}
