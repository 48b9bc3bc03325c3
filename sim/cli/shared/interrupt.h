/* Ctrl-C while a command can end with what it has. */
#ifndef STEPSIM_SIM_CLI_SHARED_INTERRUPT_H
#define STEPSIM_SIM_CLI_SHARED_INTERRUPT_H

#include <stdbool.h>

/* From now on, the first SIGINT is noted, and the next one ends the program. */
void ss_interrupt_catch(void);

/* Whether one was. */
bool ss_interrupt_came(void);

#endif
