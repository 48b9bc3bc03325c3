/* Which modules of Megatron-LM the layers of a model have. */
#ifndef STEPSIM_MODEL_PLAN_LAYERS_LAYER_MODULES_H
#define STEPSIM_MODEL_PLAN_LAYERS_LAYER_MODULES_H

#include <stdbool.h>

#include "model/input/words.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* The modules that any layer has of those that can be recomputed, of those whose inputs can be offloaded, that can have
 * more bits than others, and of those that can be CUDA graphs, and the products that can have adapters: sets of
 * ss_recompute_module, ss_offload_module, ss_precise_module, ss_graph_module and ss_lora_module. Kinds of layers are
 * read; where they cannot be there are none. */
ss_word_set ss_layer_recompute_modules(const ss_workload *workload);
ss_word_set ss_layer_precise_modules(const ss_workload *workload);
ss_word_set ss_layer_offload_modules(const ss_workload *workload);
ss_word_set ss_layer_graph_modules(const ss_workload *workload);
ss_word_set ss_layer_lora_modules(const ss_workload *workload);

/* Whether layers are computed again, whole or but for some operations, and not by modules. */
bool ss_layers_run_again(const ss_workload *workload);

#endif
