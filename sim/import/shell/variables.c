#include "sim/import/shell/variables.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool ss_shell_is_name(char byte)
{
  return isalnum((unsigned char)byte) || byte == '_';
}

bool ss_shell_is_comment(const char *begin, const char *at)
{
  return *at == '#' && (at == begin || isspace((unsigned char)at[-1]) || strchr(";&|()", at[-1]) != NULL);
}

ss_shell_variable *ss_shell_find(ss_shell_variables *variables, const char *name, size_t length)
{
  for (int i = 0; i < variables->count; ++i) {
    ss_shell_variable *variable = &variables->variable[i];
    if (strlen(variable->name) == length && memcmp(variable->name, name, length) == 0) return variable;
  }
  return NULL;
}

ss_shell_variable *ss_shell_variable_of(ss_shell_variables *variables, const char *name, size_t length)
{
  ss_shell_variable *variable = ss_shell_find(variables, name, length);
  if (variable != NULL) return variable;
  if (variables->count == SS_SHELL_NAMES || length >= SS_SHELL_WORD_SIZE) {
    ++variables->gaps.unnamed;
    return NULL;
  }
  variable = &variables->variable[variables->count++];
  *variable = (ss_shell_variable){.is_known = true};
  memcpy(variable->name, name, length);
  return variable;
}

void ss_shell_set(ss_shell_variables *variables, const char *name, const char *value)
{
  ss_shell_variable *variable = ss_shell_variable_of(variables, name, strlen(name));
  if (variable == NULL) return;
  const int length = snprintf(variable->value, sizeof variable->value, "%s", value);
  variable->is_known = length < SS_SHELL_WORD_SIZE;
  variable->is_words = false;
}

void ss_shell_forget(ss_shell_variables *variables, ss_shell_variable *variable)
{
  *variable = variables->variable[--variables->count];
}

void ss_shell_ask(ss_shell_variables *variables, const char *name, size_t length)
{
  if (variables->are_asked) ss_shell_names_add(&variables->gaps.asked, name, length);
}
