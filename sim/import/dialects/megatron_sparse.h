/* Sparse attention of Megatron-LM, as settings have it. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_SPARSE_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_SPARSE_H

#include "sim/import/dialects/sheet.h"

/* Sets the indexer and what it learns of. SS_ERROR_INPUT where the loss looks at all tokens, and where PyTorch computes
 * what kernels of its own would. */
ss_status ss_megatron_read_sparse(ss_sheet *sheet, ss_error *error);

void ss_megatron_write_sparse(ss_sheet *sheet);

#endif
