/* The algorithms of collectives by their word. */
#ifndef STEPSIM_MODEL_COLLECTIVE_REGISTRY_H
#define STEPSIM_MODEL_COLLECTIVE_REGISTRY_H

#include "model/collective/algorithm.h"

/* The table of an algorithm; of any but SS_ALGORITHM_AUTO. */
const ss_algorithm_row *ss_algorithm_row_of(ss_algorithm algorithm);

#endif
