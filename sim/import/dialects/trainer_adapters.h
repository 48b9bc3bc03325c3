/* Adapters as trainers of Transformers, and what is like them, have them in settings. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_TRAINER_ADAPTERS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_TRAINER_ADAPTERS_H

#include "sim/import/dialects/sheet.h"

/* The rank of adapters and the products that have one, where adapters are trained; notes for what a workload has no
 * word for. Each routed expert has some; those of trainers only where parameters are asked for, since experts are no
 * modules in Transformers from version 5 on (docs/expert_quantization.qmd of axolotl-ai-cloud/axolotl).
 * SS_ERROR_MEMORY. */
ss_status ss_tuner_read_adapters(ss_sheet *sheet, ss_error *error);
ss_status ss_trainer_read_adapters(ss_sheet *sheet, ss_error *error);

#endif
