/* What the fabric of a platform is made of, and what its parts cost and draw: part of the report of a plan. */
#ifndef STEPSIM_SIM_REPORT_PLAN_FABRIC_H
#define STEPSIM_SIM_REPORT_PLAN_FABRIC_H

#include <stdio.h>

#include "model/input/machine.h"

/* Prints how many parts there are, level by level, what a GPU costs with its share of them, and which have no price. */
void ss_plan_print_fabric(FILE *stream, const ss_machine *machine);

/* Prints which parts have no power, if any. */
void ss_plan_print_powerless(FILE *stream, const ss_machine *machine);

#endif
