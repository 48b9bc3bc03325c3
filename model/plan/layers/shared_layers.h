/* Layers that take over what one before them has made, by the pattern of a model. */
#ifndef STEPSIM_MODEL_PLAN_LAYERS_SHARED_LAYERS_H
#define STEPSIM_MODEL_PLAN_LAYERS_SHARED_LAYERS_H

#include <stdbool.h>

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* A layer has keys and values of one before, and there is none that makes them. */
bool ss_shared_keys_are_missing(const ss_workload *w);

/* The first layer with chosen tokens takes what one before has chosen. */
bool ss_shared_choice_is_missing(const ss_workload *w);

#endif
