/* What reports of the closed form say of properties that only replays have. */
#ifndef STEPSIM_SIM_REPORT_IGNORED_H
#define STEPSIM_SIM_REPORT_IGNORED_H

#include <stdio.h>

#include "model/input/replayed.h"

/* Prints a sentence about those of a platform; nothing where there are none. */
void ss_ignored_print(FILE *stream, ss_replayed_set set);

#endif
