/* Sparse attention of Megatron-LM, to tokens and to compressed ones, and residual streams, as settings have them. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_SPARSE_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_SPARSE_H

#include "sim/import/dialects/sheet.h"

/* Sets the indexer and what it learns of. SS_ERROR_INPUT where the loss looks at all tokens, and where PyTorch computes
 * what kernels of its own would. */
ss_status ss_megatron_read_sparse(ss_sheet *sheet, ss_error *error);

void ss_megatron_write_sparse(ss_sheet *sheet);

/* Residual streams. */
ss_status ss_megatron_read_streams(ss_sheet *sheet, ss_error *error);
void ss_megatron_write_streams(ss_sheet *sheet);

#endif
