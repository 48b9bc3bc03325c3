/* Properties of a machine that only a replay has: what is drawn for kernels, or is of single GPUs and links. To the
 * closed form all of these are alike. */
#ifndef STEPSIM_MODEL_INPUT_REPLAYED_H
#define STEPSIM_MODEL_INPUT_REPLAYED_H

#include <stddef.h>

#include "model/input/machine.h"

/* clang-format off */
#define SS_REPLAYED_LIST(X) \
  X(gpu_speed) \
  X(kernel_noise) \
  X(gpu_spread) \
  X(link_speed)
/* clang-format on */

enum {
#define SS_REPLAYED_ONE(field) +1
  SS_REPLAYED_TOTAL = 0 SS_REPLAYED_LIST(SS_REPLAYED_ONE)
#undef SS_REPLAYED_ONE
};

/* A bit for each row. */
typedef unsigned ss_replayed_set;

/* The properties, in the order of the list: [SS_REPLAYED_TOTAL]; static. */
const ss_property_index *ss_replayed_properties(void);

/* Those that a machine has. */
ss_replayed_set ss_replayed_of(const ss_machine *machine);

/* Their names, as "gpu-speed and link-speed", as far as there is room in `text` [size]; empty for none. */
void ss_replayed_names(ss_replayed_set set, char *text, size_t size);

#endif
