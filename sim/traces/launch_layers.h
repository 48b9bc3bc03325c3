/* What the host did around the launches of kernels, and the layer that a kernel was launched for: that of the
 * annotation its thread was in, or, on a thread of autograd, that of the operator whose backward ran. */
#ifndef STEPSIM_SIM_TRACES_LAUNCH_LAYERS_H
#define STEPSIM_SIM_TRACES_LAUNCH_LAYERS_H

#include "sim/traces/item.h"
#include "sim/traces/layers.h"

/* A launch, an operator, or the backward of one. */
typedef struct ss_host_event {
  int64_t link, thread;
  double time_s;
  int64_t layer; /* or SS_NO_INDEX, also before they are joined */
} ss_host_event;

/* Zeroed is empty. */
typedef struct ss_host_events {
  ss_host_event *event; /* [count] owned */
  int64_t count, room;
} ss_host_events;

/* 40 bytes for each annotation, 32 for each event. Zeroed is empty. */
typedef struct ss_launch_layers {
  ss_layer_ranges layers; /* by thread */
  ss_host_events launch, forward, backward;
} ss_launch_layers;

/* Adds an SS_ITEM_LAUNCH, SS_ITEM_FORWARD or SS_ITEM_BACKWARD. SS_ERROR_MEMORY. */
ss_status ss_launch_layers_add(ss_launch_layers *launches, const ss_trace_item *item, ss_error *error);
void ss_launch_layers_free(ss_launch_layers *launches);

/* Finds the layers, after the last one was added and before the first question. Whether they are those of backward
 * passes, too: false where launches, or the operators of backwards, are not there or in no annotation, or where no
 * thread of autograd ran them. */
bool ss_launch_layers_join(ss_launch_layers *launches);

/* The layer of a kernel by its link; SS_NO_INDEX where its launch is not there, or for none. */
int64_t ss_launch_layers_find(const ss_launch_layers *launches, int64_t link);

#endif
