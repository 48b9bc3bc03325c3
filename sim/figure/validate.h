/* Figures of predictions beside measurements. */
#ifndef STEPSIM_SIM_FIGURE_VALIDATE_H
#define STEPSIM_SIM_FIGURE_VALIDATE_H

#include "model/measured/validation.h"
#include "sim/figure/figure.h"

/* What is drawn of a validation, which is borrowed. */
ss_subject ss_validation_subject(const ss_validation *validation);

#endif
