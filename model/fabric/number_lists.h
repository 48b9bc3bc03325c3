/* Lists of numbers, "1,2;3;4,5": what topo_parameters are written as. */
#ifndef STEPSIM_MODEL_FABRIC_NUMBER_LISTS_H
#define STEPSIM_MODEL_FABRIC_NUMBER_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/input/topology.h"

#define SS_NUMBER_LISTS_MAX 4

typedef struct ss_number_list {
  int count;
  int64_t at[SS_SHAPE_NUMBERS]; /* 0 from `count` on */
} ss_number_list;

typedef struct ss_number_lists {
  int count;
  ss_number_list list[SS_NUMBER_LISTS_MAX];
} ss_number_lists;

/* Reads up to SS_NUMBER_LISTS_MAX lists of up to SS_SHAPE_NUMBERS numbers from 1 to SS_CLUSTER_HOSTS; false where the
 * text is anything else. */
bool ss_number_lists_parse(const char *text, ss_number_lists *lists);

#endif
