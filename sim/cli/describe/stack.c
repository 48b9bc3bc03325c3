#include "sim/cli/describe/stack.h"

#include <stdio.h>
#include <string.h>

#include "sim/report/table.h"

enum { NAME_WIDTH = 36, SOURCE_INDENT = 6 };

/* A row that the workload overrules says with what; one that is of other workloads is left out. */
static void print_setting(const ss_workload *workload, const ss_stack_setting *row)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  const int line = workload->line[row->attribute];
  char name[SS_TEXT_SIZE], own[SS_TEXT_SIZE];
  if (line == SS_LINE_DEFAULT) return;
  (void)snprintf(name, sizeof name, "%s.%s", attribute->element, attribute->name);
  ss_workload_value_text(workload, row->attribute, own, sizeof own);
  char origin[2 * SS_TEXT_SIZE] = "of the workload";
  if (line == SS_LINE_STACK)
    (void)snprintf(origin, sizeof origin, "%s", row->source);
  else if (line == SS_LINE_DERIVED)
    (void)snprintf(origin, sizeof origin, "chosen for the rest of the workload, not %s", row->value);
  else if (strcmp(own, row->value) != 0)
    (void)snprintf(origin, sizeof origin, "of the workload, not %s", row->value);
  printf("  %-*s%s\n%*s", NAME_WIDTH, name, own, SOURCE_INDENT, "");
  ss_table_print_wrapped(stdout, origin, SOURCE_INDENT);
}

/* What a platform is taken to be; without one, what GPUs of a generation would be. --set overrules it. */
static void print_property(const ss_machine *machine, const ss_stack_property *row)
{
  char name[SS_TEXT_SIZE], value[SS_TEXT_SIZE], origin[2 * SS_TEXT_SIZE];
  (void)snprintf(name, sizeof name, "platform.%s", ss_machine_properties()[row->property].name);
  if (machine != NULL && machine->line[row->property] == SS_LINE_OVERRIDE) {
    (void)snprintf(value, sizeof value, "%s", "own");
    (void)snprintf(origin, sizeof origin, "of --set, not %g", row->value);
  } else {
    (void)snprintf(value, sizeof value, "%g", row->value);
    (void)snprintf(origin, sizeof origin, "on %s: %s", row->generation, row->source);
  }
  printf("  %-*s%s\n%*s", NAME_WIDTH, name, value, SOURCE_INDENT, "");
  ss_table_print_wrapped(stdout, origin, SOURCE_INDENT);
}

static void print_properties(const ss_workload *workload, const ss_machine *machine)
{
  int64_t rows;
  const ss_stack_property *row = ss_stack_properties(&rows);
  for (int64_t i = 0; i < rows; ++i) {
    const bool is_of = machine == NULL ? ss_stack_includes(workload->training.stack, row[i].stack)
                                       : ss_stack_property_of(workload, machine, row[i].property) == &row[i];
    if (is_of) print_property(machine, &row[i]);
  }
}

void ss_describe_stack(const ss_workload *workload, const ss_machine *machine)
{
  const ss_stack stack = workload->training.stack;
  if (stack == SS_STACK_NONE) return;
  const ss_stack_title title = ss_stack_title_of(stack);
  int64_t rows;
  const ss_stack_setting *row = ss_stack_settings(&rows);
  printf("Stack %s: %s (%s)%s%s\n", ss_word(SS_AT_training_stack, (int)stack), title.name, title.origin,
         title.base != SS_STACK_NONE ? ", else as " : "",
         title.base != SS_STACK_NONE ? ss_word(SS_AT_training_stack, (int)title.base) : "");
  for (int64_t i = 0; i < rows; ++i)
    if (ss_stack_setting_of(workload, row[i].attribute) == &row[i]) print_setting(workload, &row[i]);
  print_properties(workload, machine);
}
