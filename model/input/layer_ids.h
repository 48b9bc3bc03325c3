/* Lists of layers of a model, from 0 on: "0,3,8-11". */
#ifndef STEPSIM_MODEL_INPUT_LAYER_IDS_H
#define STEPSIM_MODEL_INPUT_LAYER_IDS_H

#include <stdbool.h>
#include <stdint.h>

/* Marks the layers of a list in `is_in` [layers], which may be NULL. NULL if it is a list of them, else why it is not.
 */
const char *ss_layer_ids_fill(const char *text, int64_t layers, bool *is_in);

#endif
