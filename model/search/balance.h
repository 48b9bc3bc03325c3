/* Layouts that a search proposes: each part of the model has an even share of the layers and the ends of the model,
 * where these count as so many layers. Modules are part of the last end; the layers of a vision tower count as so many
 * of the decoder in all. */
#ifndef STEPSIM_MODEL_SEARCH_BALANCE_H
#define STEPSIM_MODEL_SEARCH_BALANCE_H

#include <stddef.h>
#include <stdint.h>

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* No layout: all parts have the same layers. A layout is a number above: its parts, and what the ends count. */
#define SS_BALANCE_EQUAL 0
#define SS_BALANCE_NONE  (-1) /* neither: before the first and after the last one */

/* The layout after `value`, which is SS_BALANCE_NONE before the first one and after the last one. Equal parts if there
 * are, then layouts in which the embedding counts as no layer or as one, and the output layer as none, as one, or as
 * the layers next to it and the modules in size of matrix products. Layers of a vision tower count as nothing, ahead of
 * the embedding, or as the layers next to them in floating-point operations, and then lie where these fill a part. Of a
 * pipeline that says itself how many layers its stages have (`own`), only that. */
int64_t ss_balance_next(int64_t value, const ss_workload *workload, const ss_workload *own);

/* What of a model a layout names. */
typedef struct ss_balanced {
  int64_t layers, modules, vision; /* vision: layers of its tower */
} ss_balanced;

ss_balanced ss_balanced_of(const ss_workload *workload);

/* Writes a layout of a model as parallelism.layout has it; nothing for SS_BALANCE_EQUAL. Parts with a layer more than
 * others are the last ones before the output layer, where the fewest micro-batches are held; modules are with the
 * output layer. Cut to `size`. */
void ss_balance_text(int64_t value, const ss_balanced *model, char *text, size_t size);

#endif
