/* Links that are slower than the others of their class. */
#ifndef STEPSIM_MODEL_FABRIC_LINK_SPEED_H
#define STEPSIM_MODEL_FABRIC_LINK_SPEED_H

#include "model/fabric/link_class.h"

/* Multiplies the capacities of a fabric by the factors of link-speed. SS_ERROR_INPUT where a link is not there or
 * occurs again, or a factor is outside [0, 1]; SS_ERROR_MEMORY. */
ss_status ss_link_speed_apply(ss_fabric *fabric, ss_error *error);

#endif
