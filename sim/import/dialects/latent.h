/* Latent attention, whose settings Megatron-LM and MaxText have alike. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_LATENT_H
#define STEPSIM_SIM_IMPORT_DIALECTS_LATENT_H

#include "sim/import/dialects/sheet.h"

/* Sets ranks and sizes of heads. Where nobody says them they are those of MLATransformerConfig of Megatron-LM, which
 * src/maxtext/configs/base.yml has, too; queries have no rank where theirs is null or 0. */
void ss_latent_set(ss_sheet *sheet);

#endif
