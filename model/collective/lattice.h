/* The domains of a machine on a torus, and rings over all its dimensions at once. */
#ifndef STEPSIM_MODEL_COLLECTIVE_LATTICE_H
#define STEPSIM_MODEL_COLLECTIVE_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/machine.h"

/* Dimensions that a lattice has, at most; others are left alone. */
#define SS_LATTICE_DIMENSIONS 6

/* The domains of a machine as points of a torus, where the NICs of a domain are all those of its first dimensions: the
 * dimensions that are left. Zeroed: the machine has no such torus. */
typedef struct ss_lattice {
  int64_t domains; /* all of them */
  int dimensions;
  int64_t size[SS_LATTICE_DIMENSIONS]; /* none of 1 */
} ss_lattice;

/* The lattice of a machine. */
ss_lattice ss_lattice_of(const ss_machine *machine);

/* Dimensions of a lattice, as a set. */
typedef uint32_t ss_lattice_axes;
#define SS_LATTICE_AXIS(dimension) ((ss_lattice_axes)1 << (dimension))

/* Some dimensions of a lattice, in its order: a domain of it stands for those with its coordinates there. Of none:
 * zeroed. */
ss_lattice ss_lattice_along(const ss_lattice *lattice, ss_lattice_axes axes);

/* Domains that are a box of a lattice: along each dimension in which they differ, some that lie equally far apart, and
 * all combinations of these. */
typedef struct ss_lattice_box {
  ss_lattice members; /* as points of a lattice of their own, in its order; zeroed: they are no box, or one domain */
  int dimension[SS_LATTICE_DIMENSIONS];
  int64_t stride[SS_LATTICE_DIMENSIONS]; /* how far apart they lie */
  int64_t around[SS_LATTICE_DIMENSIONS]; /* all that there are along the dimension */
  bool closes[SS_LATTICE_DIMENSIONS];    /* the last one is as far from the first */
} ss_lattice_box;

/* Adds a side, of the next dimension of the lattice in which they differ. */
void ss_lattice_box_add(ss_lattice_box *box, const ss_lattice *lattice, int dimension, int64_t size, int64_t stride);

/* The box of `count` domains, in order; `domain` says which the i-th one is. */
ss_lattice_box ss_lattice_box_of(const ss_lattice *lattice, int64_t count,
                                 int64_t (*domain)(const void *context, int64_t i), const void *context);

/* The dimensions that a box fills, if it fills each one along which its domains differ; else none. */
ss_lattice_axes ss_lattice_box_axes(const ss_lattice *lattice, const ss_lattice_box *box);

/* Like boxes side by side share cables, those of domains that lie apart with those between: how many use one, at most,
 * where each domain sends to the next; 1 or more. */
int64_t ss_lattice_box_apart(const ss_lattice_box *box);

/* The domain next to another one, up or down a dimension, around the end. */
int64_t ss_lattice_next(const ss_lattice *lattice, int64_t domain, int dimension, bool up);

/* What crosses a cable of a dimension in one direction, of a volume that all domains gather or reduce, and steps. */
double ss_lattice_share(const ss_lattice *lattice, int dimension);
double ss_lattice_steps(const ss_lattice *lattice);

/* The share of the dimension where it is most; 0 of a lattice without any. */
double ss_lattice_most_share(const ss_lattice *lattice);

/* What goes from each domain of a box to its neighbours along a side, in each direction, where each sends a volume, an
 * equal part to every domain, the shorter way; and what then crosses the fullest cable. */
double ss_lattice_passed(const ss_lattice_box *box, int side);
double ss_lattice_exchanged(const ss_lattice_box *box);

#endif
