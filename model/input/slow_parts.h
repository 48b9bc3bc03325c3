/* Parts of a machine that are slower than the rest, and what each of them costs: the entries of gpu-speed and
 * link-speed. */
#ifndef STEPSIM_MODEL_INPUT_SLOW_PARTS_H
#define STEPSIM_MODEL_INPUT_SLOW_PARTS_H

#include <stdint.h>

#include "model/input/machine.h"

/* What a sentence about one has room for. */
#define SS_BLAME_SIZE 448

/* More are not looked at. */
#define SS_SLOW_PARTS 32

typedef struct ss_slow_part {
  const ss_property *property;
  int start, length;            /* of the entry in its text */
  char entry[SS_NAME_SIZE];     /* the entry, cut to size */
  double without_s;             /* iteration on a machine without the entry */
  double cost_s;                /* what the iteration takes longer with it */
  char sentence[SS_BLAME_SIZE]; /* who waits for it, of a job (model/plan/blame.h); empty: nobody has said */
} ss_slow_part;

typedef struct ss_slow_parts {
  int64_t count, total; /* listed, and there */
  ss_slow_part part[SS_SLOW_PARTS];
} ss_slow_parts;

/* Lists the first of the slow parts of a machine. */
void ss_slow_parts_list(ss_slow_parts *parts, const ss_machine *machine);

/* Takes the entry of a part out of a copy of the machine that it was listed from. */
void ss_slow_part_remove(const ss_slow_part *part, ss_machine *machine);

/* How many of sorted ones are worth a sentence, where they have one: three at most, each a thousandth of the iteration.
 */
int64_t ss_slow_parts_told(const ss_slow_parts *parts, double iteration_s);

/* Sorts by cost, the dearest first; equal ones stay in order. */
void ss_slow_parts_sort(ss_slow_parts *parts);

#endif
