/* Values of settings that stand for those of others: ${KEY} and functions of them, as OmegaConf has them. */
#ifndef STEPSIM_SIM_IMPORT_FILES_INTERPOLATION_H
#define STEPSIM_SIM_IMPORT_FILES_INTERPOLATION_H

#include "sim/import/files/settings.h"

/* Puts in the place of a value that is ${KEY} that of the key, which dots ahead of it count from the section of the
 * setting (${.KEY}) or from one further out each (${..KEY}); in that of ${NAME:VALUE} the value, which a variable of
 * the environment would go over; in that of ${multiply:A, B}, divide_ceil and divide_floor, which the launcher of NeMo
 * 1 registers, the number. What is more than that stays text. */
void ss_settings_resolve(ss_settings *settings);

#endif
