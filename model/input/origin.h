/* Where a value of an input came from. */
#ifndef STEPSIM_MODEL_INPUT_ORIGIN_H
#define STEPSIM_MODEL_INPUT_ORIGIN_H

#include <stdbool.h>

/* In place of the line of a file. */
#define SS_LINE_DEFAULT  0
#define SS_LINE_OVERRIDE (-1)
#define SS_LINE_STACK    (-2)    /* model/input/stack.h */
#define SS_LINE_CHOSEN   (-3)    /* sim/import/import.h, sim/api/predict.c */
#define SS_LINE_DERIVED  (-4)    /* from other attributes: model/input/exchange.h */
#define SS_OVERRIDE_FILE "--set" /* stands for the file of an override in messages */

/* Whether an input says the value itself; else it is the default, of a stack, or follows from the rest. */
static inline bool ss_line_is_own(int line)
{
  return line != SS_LINE_DEFAULT && line != SS_LINE_STACK && line != SS_LINE_DERIVED;
}

#endif
