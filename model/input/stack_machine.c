#include "model/input/stack_machine.h"

#include <stddef.h>
#include <string.h>

#include "model/input/gpu_generation.h"

#define SS_STACK(id, title, files, base)
#define SS_STACK_SETS(id, element, field, word, of, where)
#define SS_STACK_SETS_ON(id, element, field, word, of, on, where)
#define SS_STACK_DOES(id, element, field, word, of, where)
#define SS_STACK_RUNS(id, generation, field, value, where) {id, SS_PROPERTY_##field, generation, value, where},
static const ss_stack_property rows[] = {
#include "model/input/stacks.def"
};

#define ROWS ((int64_t)(sizeof rows / sizeof rows[0]))

const ss_stack_property *ss_stack_properties(int64_t *count)
{
  *count = ROWS;
  return rows;
}

const ss_stack_property *ss_stack_property_of(const ss_workload *workload, const ss_machine *machine,
                                              ss_property_index property)
{
  char gpu[SS_GPU_MODEL_SIZE];
  ss_gpu_model(machine->accelerator, gpu);
  const char *generation = ss_gpu_generation(gpu);
  for (ss_stack stack = workload->training.stack; stack != SS_STACK_NONE; stack = ss_stack_title_of(stack).base)
    for (int64_t i = 0; i < ROWS; ++i)
      if (rows[i].stack == stack && rows[i].property == property && strcmp(rows[i].generation, generation) == 0)
        return &rows[i];
  return NULL;
}

static void set(ss_machine *machine, const ss_stack_property *row)
{
  const ss_property *property = &ss_machine_properties()[row->property];
  const ss_curve constant = {.count = 1, .size = {1}, .value = {row->value}};
  SS_ASSERT(property->type == SS_PROPERTY_QUANTITY || property->type == SS_PROPERTY_CURVE);
  if (property->type == SS_PROPERTY_CURVE)
    memcpy((char *)machine + property->offset, &constant, sizeof constant);
  else
    memcpy((char *)machine + property->offset, &row->value, sizeof row->value);
  machine->line[row->property] = SS_LINE_STACK;
}

void ss_stack_apply_machine(const ss_workload *workload, ss_machine *machine)
{
  for (int64_t i = 0; i < ROWS; ++i)
    if (ss_stack_property_of(workload, machine, rows[i].property) == &rows[i] &&
        machine->line[rows[i].property] != SS_LINE_OVERRIDE)
      set(machine, &rows[i]);
}
