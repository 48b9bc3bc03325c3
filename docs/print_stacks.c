/* Prints docs/stacks.md from model/input/stacks.def; a test holds the file to it. */
#include <stdio.h>

#include "model/input/stack.h"

static void print_setting(const ss_stack_setting *row)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  printf("| `%s.%s` | `%s` | %s | %s |\n", attribute->element, attribute->name, row->value, ss_stack_of_text(row->of),
         row->source);
}

static void print_stack(ss_stack stack, const char *word)
{
  const ss_stack_title title = ss_stack_title_of(stack);
  int64_t rows;
  const ss_stack_setting *row = ss_stack_settings(&rows);
  printf("\n## %s\n\n%s.\nFiles are those of %s.\n\n| attribute | value | with | source |\n|---|---|---|---|\n", word,
         title.name, title.origin);
  for (int64_t i = 0; i < rows; ++i)
    if (row[i].stack == stack) print_setting(&row[i]);
}

static void print_contents(const char *const *words)
{
  printf("| stack | software |\n|---|---|\n");
  for (int stack = SS_STACK_NONE + 1; words[stack] != NULL; ++stack)
    printf("| [%s](#%s) | %s |\n", words[stack], words[stack], ss_stack_title_of((ss_stack)stack).name);
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
      "column \"source\"\nnames the file of the framework that has it. The tables are printed from "
      "`model/input/stacks.def`.\n");
  for (int stack = SS_STACK_NONE + 1; words[stack] != NULL; ++stack) print_stack((ss_stack)stack, words[stack]);
  return 0;
}
