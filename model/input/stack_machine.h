/* What the kernels and libraries of a software stack make of a GPU, where platforms have what the newest do. */
#ifndef STEPSIM_MODEL_INPUT_STACK_MACHINE_H
#define STEPSIM_MODEL_INPUT_STACK_MACHINE_H

#include <stdint.h>

#include "model/input/machine.h"
#include "model/input/stack.h"

/* One row of model/input/stacks.def. */
typedef struct ss_stack_property {
  ss_stack stack;
  ss_property_index property;
  const char *generation; /* of the GPUs that it is of (model/input/gpu_generation.h) */
  double value;           /* of a curve at all sizes */
  const char *source;     /* the file or measurement that has it, and how */
} ss_stack_property;

/* The table, those of a stack together and in the order of the words; `count` gets the number of rows. */
const ss_stack_property *ss_stack_properties(int64_t *count);

/* The row of training.stack that sets a property of a machine; NULL where it has none for such GPUs. */
const ss_stack_property *ss_stack_property_of(const ss_workload *workload, const ss_machine *machine,
                                              ss_property_index property);

/* Sets what training.stack says of the machine and no override does, in place of what its file says, and marks it with
 * SS_LINE_STACK. Give it a machine as it was read, or one that has followed the same stack. */
void ss_stack_apply_machine(const ss_workload *workload, ss_machine *machine);

#endif
