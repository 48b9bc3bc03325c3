/* Where the table of the embedding is: the embedding looks tokens up in it, so do multi-token-prediction modules, and
 * the output layer uses it where both are tied. Stages with any of these have a copy each and sum its gradient
 * (get_embedding_ranks in pretrain_gpt.py of Megatron-LM). */
#ifndef STEPSIM_MODEL_PLAN_LAYERS_TABLES_H
#define STEPSIM_MODEL_PLAN_LAYERS_TABLES_H

#include <stdint.h>

#include "model/block/block.h"
#include "model/schedule/schedule.h"

#define SS_TABLES_MAX 3

/* The blocks of a stage that use the table have one; the first of them counts it, as its gradient is complete when
 * backward has come there. `lend`, `borrow`: sets of SS_BLOCK_BIT. */
typedef struct ss_tables {
  int64_t count, stage[SS_TABLES_MAX]; /* in the order of the model */
  ss_block_kind holder[SS_TABLES_MAX]; /* that counts the table of the stage */
  ss_block_set lend;                   /* kinds whose table others use, too */
  ss_block_set borrow;                 /* these others */
} ss_tables;

/* The tables of one copy of the model. */
ss_tables ss_tables_of(const ss_workload *workload, const ss_pipeline_shape *shape);

#endif
