/* The algorithm that a workload names for a collective. */
#ifndef STEPSIM_MODEL_COLLECTIVE_GIVEN_H
#define STEPSIM_MODEL_COLLECTIVE_GIVEN_H

#include "model/collective/kind.h"
#include "model/input/workload.h"

/* The attribute of the workload that names the algorithm; SS_ATTRIBUTE_TOTAL where none does. */
ss_attribute_index ss_collective_attribute(ss_collective kind);

/* The algorithm that the workload names; SS_ALGORITHM_AUTO where it names none. */
ss_algorithm ss_collective_given(const ss_workload *workload, ss_collective kind);

#endif
