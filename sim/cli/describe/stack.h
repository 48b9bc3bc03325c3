/* What describe prints of the software stack. */
#ifndef STEPSIM_SIM_CLI_DESCRIBE_STACK_H
#define STEPSIM_SIM_CLI_DESCRIBE_STACK_H

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Prints what training.stack has set, with its sources, and what the workload says itself; nothing without a stack. */
void ss_describe_stack(const ss_workload *workload);

#endif
