/* CUDA graphs of Megatron-LM. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_GRAPHS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_GRAPHS_H

#include "sim/import/dialects/sheet.h"

/* A joint of the settings of CUDA graphs. */
ss_status ss_megatron_read_graphs(ss_sheet *sheet, ss_error *error);
void ss_megatron_write_graphs(ss_sheet *sheet);

#endif
