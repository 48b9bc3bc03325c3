/* list: the files that are shipped, or that STEPSIM_PATH has, by name. */
#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
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
                      "list \"%s\": unknown%s; allowed:" SS_SHIPPED_LIST(KIND_WORD) ", or none of them for all", text,
                      ss_hint_of(text, ss_command_words(SS_COMMAND_LIST_FILES)).text);
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

/* One line for each file, below the word of the kind if there is one, of so many characters at most; 0: any number. */
static ss_status print_kind(ss_shipped kind, const char *word, int columns, ss_error *error)
{
  ss_shipped_files files;
  int width = 0;
  const int indent = word != NULL ? 2 : 0;
  const ss_status status = ss_shipped_files_init(&files, kind, error);
  for (int64_t i = 0; i < files.count; ++i)
    if ((int)strlen(files.file[i].name) > width) width = (int)strlen(files.file[i].name);
  if (status == SS_OK && word != NULL) printf("%s\n", word);
  for (int64_t i = 0; status == SS_OK && i < files.count; ++i) {
    printf("%*s%-*s  ", indent, "", width, files.file[i].name);
    print_title(files.file[i].title, columns > 0 ? columns - indent - width - 2 : 0);
  }
  ss_shipped_files_free(&files);
  return status;
}

int ss_command_list(const ss_options *options)
{
  const int columns = ss_terminal_columns(&options->common);
  ss_error error = {0};
  ss_shipped kind = SS_SHIPPED_NONE;
  ss_status status = SS_OK;
  if (options->argument_count > 0) {
    status = read_kind(options->argument[0], &kind, &error);
    if (status == SS_OK) status = print_kind(kind, NULL, columns, &error);
  }
  for (int each = SS_SHIPPED_NONE + 1; each < SS_SHIPPED_COUNT && options->argument_count == 0 && status == SS_OK;
       ++each) {
    if (each > SS_SHIPPED_NONE + 1) (void)putchar('\n');
    status = print_kind((ss_shipped)each, ss_shipped_word((ss_shipped)each), columns, &error);
  }
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
