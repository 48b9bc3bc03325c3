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

/* The dimensions along which `count` domains differ if they are all that there are along these; else none. `domain`
 * says which the i-th one is. */
ss_lattice_axes ss_lattice_axes_of(const ss_lattice *lattice, int64_t count,
                                   int64_t (*domain)(const void *context, int64_t i), const void *context);

/* The domain next to another one, up or down a dimension, around the end. */
int64_t ss_lattice_next(const ss_lattice *lattice, int64_t domain, int dimension, bool up);

/* What crosses a cable of a dimension in one direction, of a volume that all domains gather or reduce, and steps. */
double ss_lattice_share(const ss_lattice *lattice, int dimension);
double ss_lattice_steps(const ss_lattice *lattice);

/* What crosses such a cable where each domain sends a volume, an equal part to every domain, the shorter way. */
double ss_lattice_exchanged(const ss_lattice *lattice, int dimension);

/* The most of one of these over all dimensions; 0 of a lattice without any. */
double ss_lattice_most(const ss_lattice *lattice, double (*of)(const ss_lattice *lattice, int dimension));

#endif
