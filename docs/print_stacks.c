/* Prints docs/stacks.md from model/input/stacks.def; a test holds the file to it. */
#include <stdio.h>

#include "model/input/stack_machine.h"

static void print_setting(const ss_stack_setting *row)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  printf("| `%s.%s` | ", attribute->element, attribute->name);
  if (row->value[0] != '\0')
    printf("`%s`", row->value);
  else
    printf("none");
  const char *of = ss_stack_of_text(row->of);
  printf(" | %s%s%s%s | %s |\n", of, of[0] != '\0' && row->on[0] != '\0' ? ", " : "", row->on[0] != '\0' ? "on " : "",
         row->on, row->source);
}

/* As headings become anchors: without dots. */
static void print_link(const char *word)
{
  printf("[%s](#", word);
  for (const char *letter = word; *letter != '\0'; ++letter)
    if (*letter != '.') putchar(*letter);
  putchar(')');
}

static void print_settings(ss_stack stack)
{
  int64_t rows;
  const ss_stack_setting *row = ss_stack_settings(&rows);
  for (int64_t i = 0; i < rows; ++i)
    if (row[i].stack == stack) print_setting(&row[i]);
}

static void print_properties(ss_stack stack)
{
  int64_t rows;
  const ss_stack_property *row = ss_stack_properties(&rows);
  for (int64_t i = 0; i < rows; ++i)
    if (row[i].stack == stack)
      printf("| `platform.%s` | `%g` | GPUs of %s | %s |\n", ss_machine_properties()[row[i].property].name,
             row[i].value, row[i].generation, row[i].source);
}

static void print_stack(ss_stack stack, const char *const *words)
{
  const ss_stack_title title = ss_stack_title_of(stack);
  printf("\n## %s\n\n%s.\nFiles are those of %s.\n", words[stack], title.name, title.origin);
  if (title.base != SS_STACK_NONE) {
    printf("What the table does not have is as in ");
    print_link(words[title.base]);
    printf(".\n");
  }
  printf("\n| attribute | value | with | source |\n|---|---|---|---|\n");
  print_settings(stack);
  print_properties(stack);
}

static void print_contents(const char *const *words)
{
  printf("| stack | software |\n|---|---|\n");
  for (int stack = SS_STACK_NONE + 1; words[stack] != NULL; ++stack) {
    printf("| ");
    print_link(words[stack]);
    printf(" | %s |\n", ss_stack_title_of((ss_stack)stack).name);
  }
}

int main(void)
{
  const char *const *words = ss_workload_attributes()[SS_AT_training_stack].words;
  printf("# Software stacks\n\n"
         "`training.stack` names a training framework and its release:\n\n");
  print_contents(words);
  printf(
      "\nA stack sets what the workload says neither in its file nor with `--set`, as the defaults or the example jobs "
      "of that\nrelease do. What the workload says comes first, wherever it stands. Nothing else is set: sizes, batch "
      "and most types of\nnumbers are the job's own. `stepsim describe` lists what was set, and by what.\n\n"
      "Rows with an entry in the column \"with\" are of such workloads only; in a search, of such candidates. The "
      "column \"source\"\nnames the file of the framework that has it.\n\n"
      "Rows of `platform` are what kernels and libraries of that release make of a GPU. They take the place of what "
      "the "
      "file of\nthe platform has, which is what the newest do; `--set platform.NAME=VALUE` goes over both.\n\n"
      "The tables are printed from `model/input/stacks.def`.\n");
  for (int stack = SS_STACK_NONE + 1; words[stack] != NULL; ++stack) print_stack((ss_stack)stack, words);
  return 0;
}
