#include "sim/cli/describe_stack.h"

#include <stdio.h>
#include <string.h>

#include "model/input/stack.h"

#define NAME_WIDTH  34
#define VALUE_WIDTH 14

/* A row that the workload overrules says with what; one that is of other workloads is left out. */
static void print_setting(const ss_workload *workload, const ss_stack_setting *row)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  const int line = workload->line[row->attribute];
  char name[SS_TEXT_SIZE], own[SS_TEXT_SIZE];
  if (line == SS_LINE_DEFAULT) return;
  (void)snprintf(name, sizeof name, "%s.%s", attribute->element, attribute->name);
  ss_workload_value_text(workload, row->attribute, own, sizeof own);
  printf("  %-*s%-*s", NAME_WIDTH, name, VALUE_WIDTH, own);
  if (line == SS_LINE_STACK)
    printf("%s\n", row->source);
  else if (strcmp(own, row->value) == 0)
    printf("of the workload\n");
  else
    printf("of the workload, not %s\n", row->value);
}

void ss_describe_stack(const ss_workload *workload)
{
  const ss_stack stack = workload->training.stack;
  if (stack == SS_STACK_NONE) return;
  const ss_stack_title title = ss_stack_title_of(stack);
  int64_t rows;
  const ss_stack_setting *row = ss_stack_settings(&rows);
  printf("Stack %s: %s (%s)\n", ss_word(SS_AT_training_stack, (int)stack), title.name, title.origin);
  for (int64_t i = 0; i < rows; ++i)
    if (row[i].stack == stack) print_setting(workload, &row[i]);
}
