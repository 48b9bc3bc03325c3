/* Numbers among the values of attributes and properties. */
#ifndef STEPSIM_SIM_IO_NUMBER_H
#define STEPSIM_SIM_IO_NUMBER_H

#include <stdbool.h>

/* The number, in SI, that a text is as the value of ELEMENT.ATTRIBUTE, platform.PROPERTY or gpus, and its unit: static
 * text, "1" for a plain number. False where it is no number: a word, a name, the points of a curve. */
bool ss_number_of(const char *name, const char *text, double *number, const char **unit);

#endif
