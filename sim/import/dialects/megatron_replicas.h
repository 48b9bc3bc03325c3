/* Replicas of a model, by the GPUs that launchers and schedulers start it on. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_REPLICAS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_REPLICAS_H

#include "sim/import/dialects/sheet.h"

/* A joint of nodes, their GPUs and processes, and of copies of what replicas share. */
ss_status ss_megatron_read_replicas(ss_sheet *sheet, ss_error *error);
void ss_megatron_write_replicas(ss_sheet *sheet);

#endif
