/* How little memory a job that fits may leave, in reports. */
#ifndef STEPSIM_SIM_REPORT_MARGIN_H
#define STEPSIM_SIM_REPORT_MARGIN_H

#include <stdio.h>

#include "model/result/prediction.h"

/* Less than this share of what tensors can have is a small margin. */
#define SS_SMALL_MARGIN 0.03

/* Has `tell` write a sentence where a stage fits with a small margin, and the platform leaves no room for what is no
 * tensor (memory-reserved): how much is left, and what is not counted. `what` begins it: "Memory". */
void ss_margin_tell(FILE *stream, const ss_memory *memory, const char *what,
                    void (*tell)(FILE *stream, const char *sentence));

/* Tells it as lines of text. */
void ss_margin_print(FILE *stream, const ss_memory *memory, const char *what);

#endif
