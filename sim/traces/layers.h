/* Annotations of layers on streams of a GPU, and the layer of a kernel that runs within one. */
#ifndef STEPSIM_SIM_TRACES_LAYERS_H
#define STEPSIM_SIM_TRACES_LAYERS_H

#include "model/profile/measurement.h"

typedef struct ss_layer_range {
  int64_t stream, layer;
  ss_window window;
} ss_layer_range;

/* 40 bytes for each annotation. Zeroed is empty. */
typedef struct ss_layer_ranges {
  ss_layer_range *range; /* [count] owned */
  int64_t count, room;
} ss_layer_ranges;

/* SS_ERROR_MEMORY. */
ss_status ss_layer_ranges_add(ss_layer_ranges *ranges, ss_layer_range range, ss_error *error);
void ss_layer_ranges_free(ss_layer_ranges *ranges);

/* Puts them in order, after the last one and before the first question. */
void ss_layer_ranges_sort(ss_layer_ranges *ranges);

/* The layer of what starts then on a stream: that of the annotation that began last there and has not ended;
 * SS_NO_INDEX where there is none. */
int64_t ss_layer_ranges_find(const ss_layer_ranges *ranges, int64_t stream, double start_s);

#endif
