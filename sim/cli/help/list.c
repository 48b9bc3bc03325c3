/* list: the files that are shipped, or that STEPSIM_PATH has, by name, and the software stacks. */
#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
#include "model/input/stack.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/terminal.h"
#include "sim/io/shipped.h"

static ss_status read_kind(const char *text, ss_shipped *kind, ss_error *error)
{
  *kind = ss_shipped_kind_of(text);
  if (*kind != SS_SHIPPED_NONE) return SS_OK;
#define KIND_WORD(id, word, folder, prefix, root, noun) " " word
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "list \"%s\": unknown%s; allowed:" SS_SHIPPED_LIST(KIND_WORD) " " SS_LIST_STACKS
                                                                                    ", or none of them for all",
                      text, ss_hint_of(text, ss_command_words(SS_COMMAND_LIST_FILES)).text);
#undef KIND_WORD
}

/* A title in what is left of a line; where it is cut, after a whole word and what separates it, dots follow. */
static void print_title(const char *title, int room)
{
  int length = (int)strlen(title);
  const bool is_cut = room > 0 && length > room;
  if (is_cut) {
    length = room - 1;
    while (length > 0 && title[length] != ' ') length--;
    while (length > 0 && strchr(" ,;:(", title[length - 1]) != NULL) length--;
  }
  printf("%.*s%s\n", length, title, is_cut ? "\u2026" : "");
}

/* A name, and what it is; `columns` is what a line has at most, 0: any number. */
static void print_line(const char *name, const char *title, int indent, int width, int columns)
{
  printf("%*s%-*s  ", indent, "", width, name);
  print_title(title, columns > 0 ? columns - indent - width - 2 : 0);
}

static int widen(int width, const char *name)
{
  return (int)strlen(name) > width ? (int)strlen(name) : width;
}

/* One line for each file, below the word of the kind if there is one. */
static ss_status print_kind(ss_shipped kind, const char *word, int columns, ss_error *error)
{
  ss_shipped_files files;
  int width = 0;
  const int indent = word != NULL ? 2 : 0;
  const ss_status status = ss_shipped_files_init(&files, kind, error);
  for (int64_t i = 0; i < files.count; ++i) width = widen(width, files.file[i].name);
  if (status == SS_OK && word != NULL) printf("%s\n", word);
  for (int64_t i = 0; status == SS_OK && i < files.count; ++i)
    print_line(files.file[i].name, files.file[i].title, indent, width, columns);
  ss_shipped_files_free(&files);
  return status;
}

static void print_stacks(const char *word, int columns)
{
  const char *const *names = ss_workload_attributes()[SS_AT_training_stack].words;
  int width = 0;
  const int indent = word != NULL ? 2 : 0;
  for (int stack = SS_STACK_NONE + 1; names[stack] != NULL; ++stack) width = widen(width, names[stack]);
  if (word != NULL) printf("%s\n", word);
  for (int stack = SS_STACK_NONE + 1; names[stack] != NULL; ++stack)
    print_line(names[stack], ss_stack_title_of((ss_stack)stack).name, indent, width, columns);
}

static ss_status print_one(const char *text, int columns, ss_error *error)
{
  ss_shipped kind = SS_SHIPPED_NONE;
  if (strcmp(text, SS_LIST_STACKS) == 0) {
    print_stacks(NULL, columns);
    return SS_OK;
  }
  const ss_status status = read_kind(text, &kind, error);
  return status == SS_OK ? print_kind(kind, NULL, columns, error) : status;
}

static ss_status print_all(int columns, ss_error *error)
{
  ss_status status = SS_OK;
  for (int kind = SS_SHIPPED_NONE + 1; kind < SS_SHIPPED_COUNT && status == SS_OK; ++kind) {
    status = print_kind((ss_shipped)kind, ss_shipped_word((ss_shipped)kind), columns, error);
    (void)putchar('\n');
  }
  if (status == SS_OK) print_stacks(SS_LIST_STACKS, columns);
  return status;
}

int ss_command_list(const ss_options *options)
{
  const int columns = ss_terminal_columns(&options->common);
  ss_error error = {0};
  const ss_status status =
      options->argument_count > 0 ? print_one(options->argument[0], columns, &error) : print_all(columns, &error);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
