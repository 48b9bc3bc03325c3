/* What arguments of Megatron-LM mean. */
#ifndef STEPSIM_SIM_IMPORT_ARGUMENT_ROWS_H
#define STEPSIM_SIM_IMPORT_ARGUMENT_ROWS_H

#include "model/input/workload.h"

/* What is done with an argument. */
typedef enum ss_argument_use {
  SS_ARGUMENT_COUNT,    /* its value is the attribute */
  SS_ARGUMENT_FLAG,     /* the attribute gets the number, and there is no value */
  SS_ARGUMENT_WORD,     /* the attribute gets the number where the value is the text; else another row says */
  SS_ARGUMENT_VALUE,    /* its value is kept for what follows from several of them */
  SS_ARGUMENT_IDLE,     /* has no influence on time; the name may be a beginning, and then ends with a star */
  SS_ARGUMENT_LEFT_OUT, /* the text has little influence, and is left out */
  SS_ARGUMENT_REFUSED   /* the text says why */
} ss_argument_use;

/* Values that several arguments make one attribute of. */
typedef enum ss_argument_value {
  SS_VALUE_NODES,
  SS_VALUE_GPUS_OF_NODE,
  SS_VALUE_VOCABULARY_MULTIPLE,
  SS_VALUE_LAYERS_OF_CHUNK,
  SS_VALUE_SHARED_FFN,
  SS_VALUE_DROPOUT, /* the largest of them, in thousandths */
  SS_VALUES
} ss_argument_value;

typedef struct ss_argument_row {
  const char *name; /* without its dashes */
  const char *text;
  int64_t number; /* of FLAG and WORD; of VALUE, which one */
  ss_argument_use use;
  ss_attribute_index attribute;
} ss_argument_row;

/* The rows, of which the last one has no name. */
extern const ss_argument_row ss_argument_rows[];

#endif
