#include "sim/options/command.h"

#include <string.h>

#include "sim/options/shell_list.h"

static const ss_command_row rows[SS_COMMAND_COUNT] = {
#define COMMAND_ROW(id, name, arguments, least, most, first, rest, help, example, function)                            \
  [id] = {name, arguments, least, most, SS_SHIPPED_##first, SS_SHIPPED_##rest, help, example},
    SS_COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
};

const ss_command_row *ss_command_row_of(ss_command command)
{
  return &rows[command];
}

ss_command ss_command_of(const char *word)
{
  int command = 0;
  while (command < SS_COMMAND_COUNT && strcmp(rows[command].name, word) != 0) ++command;
  return (ss_command)command;
}

ss_shipped ss_command_names(ss_command command, int64_t argument)
{
  if (argument == 0) return rows[command].first;
  return argument > 1 && rows[command].rest == SS_SHIPPED_PLATFORMS ? SS_SHIPPED_NONE : rows[command].rest;
}

const char *const *ss_command_words(ss_command command)
{
#define KIND_WORD(id, word, folder, prefix, root, noun) word,
  static const char *const kinds[] = {SS_SHIPPED_LIST(KIND_WORD) SS_LIST_STACKS, NULL};
#undef KIND_WORD
#define SHELL_WORD(id, word, function) word,
  static const char *const shells[] = {SS_SHELL_LIST(SHELL_WORD) NULL};
#undef SHELL_WORD
#define COMMAND_WORD(id, name, arguments, least, most, first, rest, help, example, function) name,
  static const char *const commands[] = {SS_COMMAND_LIST(COMMAND_WORD) NULL};
#undef COMMAND_WORD
  if (command == SS_COMMAND_MANUAL) return commands;
  return command == SS_COMMAND_LIST_FILES ? kinds : command == SS_COMMAND_COMPLETION ? shells : NULL;
}
