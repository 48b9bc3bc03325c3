/* Ctrl-C while a command can end with what it has. */
#ifndef STEPSIM_SIM_CLI_SHARED_INTERRUPT_H
#define STEPSIM_SIM_CLI_SHARED_INTERRUPT_H

/* From now on, the first SIGINT is noted, and the next one ends the program. What is no longer 0 where one was. */
const volatile int *ss_interrupt_catch(void);

#endif
