/* How a model of Megatron-LM knows where tokens are, and whether its products have biases. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_POSITIONS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_MEGATRON_POSITIONS_H

#include "sim/import/dialects/sheet.h"

/* Words of position-embedding-type, as they are kept. */
typedef enum ss_position { SS_POSITION_LEARNED = 1, SS_POSITION_ROPE, SS_POSITION_NONE } ss_position;

/* Reads and writes both. Never fails. */
ss_status ss_megatron_read_positions(ss_sheet *s, ss_error *error);
void ss_megatron_write_positions(ss_sheet *s);

#endif
