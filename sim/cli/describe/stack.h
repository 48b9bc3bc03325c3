/* What describe prints of the software stack. */
#ifndef STEPSIM_SIM_CLI_DESCRIBE_STACK_H
#define STEPSIM_SIM_CLI_DESCRIBE_STACK_H

#include "model/input/stack_machine.h"

/* Prints what training.stack has set, with its sources, and what the workload says itself; nothing without a stack.
 * Without a machine (NULL) it lists what the stack makes of all kinds of GPUs. */
void ss_describe_stack(const ss_workload *workload, const ss_machine *machine);

#endif
