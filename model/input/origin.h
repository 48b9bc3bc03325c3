/* Where a value of an input came from. */
#ifndef STEPSIM_MODEL_INPUT_ORIGIN_H
#define STEPSIM_MODEL_INPUT_ORIGIN_H

/* In place of the line of a file. */
#define SS_LINE_DEFAULT  0
#define SS_LINE_OVERRIDE (-1)
#define SS_LINE_STACK    (-2)    /* model/input/stack.h */
#define SS_LINE_CHOSEN   (-3)    /* sim/import/import.h, sim/api/predict.c */
#define SS_OVERRIDE_FILE "--set" /* stands for the file of an override in messages */

#endif
