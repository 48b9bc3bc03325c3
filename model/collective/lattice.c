#include "model/collective/lattice.h"

#include "model/base/number.h"

/* The NICs of a domain follow one another. They are a box of the torus only if they fill its first dimensions. */
ss_lattice ss_lattice_of(const ss_machine *machine)
{
  ss_lattice lattice = {.domains = machine->gpus / machine->domain_size};
  const ss_torus *torus = &machine->shape.as.torus;
  int64_t inside = 1, outside = 1;
  if (machine->shape.topology != SS_TOPOLOGY_TORUS) return (ss_lattice){0};
  for (int64_t i = 0; i < torus->dimensions; ++i) {
    const bool within = inside < machine->nics_per_domain;
    *(within ? &inside : &outside) *= torus->size[i];
    if (within || torus->size[i] == 1) continue;
    if (lattice.dimensions == SS_LATTICE_DIMENSIONS) return (ss_lattice){0};
    lattice.size[lattice.dimensions++] = torus->size[i];
  }
  const bool fits = inside == machine->nics_per_domain && outside == lattice.domains;
  return fits && lattice.dimensions > 0 ? lattice : (ss_lattice){0};
}

ss_lattice ss_lattice_along(const ss_lattice *lattice, ss_lattice_axes axes)
{
  ss_lattice along = {.domains = axes == 0 ? 0 : 1};
  for (int i = 0; i < lattice->dimensions; ++i) {
    if ((axes & SS_LATTICE_AXIS(i)) == 0) continue;
    along.size[along.dimensions++] = lattice->size[i];
    along.domains *= lattice->size[i];
  }
  return along;
}

void ss_lattice_box_add(ss_lattice_box *box, const ss_lattice *lattice, int dimension, int64_t size, int64_t stride)
{
  const int side = box->members.dimensions++;
  if (side == 0) box->members.domains = 1;
  box->members.domains *= size;
  box->members.size[side] = size;
  box->dimension[side] = dimension;
  box->stride[side] = stride;
  box->around[side] = lattice->size[dimension];
  box->closes[side] = size * stride == lattice->size[dimension];
}

/* Where the domains are along a dimension: the first one, how far the next one is, and how far the last one. */
typedef struct places {
  int64_t first, next, last;
  bool regular;
} places;

static places places_along(const ss_lattice *lattice, int dimension, int64_t count,
                           int64_t (*domain)(const void *context, int64_t i), const void *context)
{
  int64_t stride = 1;
  for (int d = 0; d < dimension; ++d) stride *= lattice->size[d];
  const int64_t size = lattice->size[dimension];
  places all = {.first = domain(context, 0) / stride % size, .regular = true};
  for (int64_t i = 1; i < count; ++i) {
    const int64_t further = domain(context, i) / stride % size - all.first;
    if (further < 0) all.regular = false;
    if (further > 0 && (all.next == 0 || further < all.next)) all.next = further;
    if (further > all.last) all.last = further;
  }
  for (int64_t i = 1; i < count && all.next > 0; ++i)
    if ((domain(context, i) / stride % size - all.first) % all.next != 0) all.regular = false;
  return all;
}

/* As many places as there are domains, all different, are all of a box. */
ss_lattice_box ss_lattice_box_of(const ss_lattice *lattice, int64_t count,
                                 int64_t (*domain)(const void *context, int64_t i), const void *context)
{
  ss_lattice_box box = {0};
  for (int d = 0; d < lattice->dimensions; ++d) {
    const places along = places_along(lattice, d, count, domain, context);
    if (!along.regular) return (ss_lattice_box){0};
    if (along.next > 0) ss_lattice_box_add(&box, lattice, d, along.last / along.next + 1, along.next);
  }
  return box.members.domains == count ? box : (ss_lattice_box){0};
}

ss_lattice_axes ss_lattice_box_axes(const ss_lattice *lattice, const ss_lattice_box *box)
{
  ss_lattice_axes axes = 0;
  for (int i = 0; i < box->members.dimensions; ++i) {
    if (box->members.size[i] != lattice->size[box->dimension[i]]) return 0;
    axes |= SS_LATTICE_AXIS(box->dimension[i]);
  }
  return axes;
}

/* Cables from one domain of a side to the next: between two, the shorter way around. */
static int64_t cables_of(const ss_lattice_box *box, int side)
{
  const int64_t stride = box->stride[side], around = box->around[side] - stride;
  return box->members.size[side] == 2 && around < stride ? around : stride;
}

int64_t ss_lattice_box_apart(const ss_lattice_box *box)
{
  int64_t apart = 1;
  for (int i = 0; i < box->members.dimensions; ++i)
    if (cables_of(box, i) > apart) apart = cables_of(box, i);
  return apart;
}

int64_t ss_lattice_next(const ss_lattice *lattice, int64_t domain, int dimension, bool up)
{
  int64_t stride = 1;
  for (int i = 0; i < dimension; ++i) stride *= lattice->size[i];
  const int64_t size = lattice->size[dimension], at = domain / stride % size;
  return domain + ((at + (up ? 1 : size - 1)) % size - at) * stride;
}

/* Both ways around a dimension, or one where its two domains are each other's neighbour in either direction. */
static double directions_of(int64_t size)
{
  return size > 2 ? 2.0 : 1.0;
}

/* The volume is cut into a part for each dimension, which goes around this one first and then around those behind it in
 * turn, so that all are busy at any time; each part goes half this way, half that. In a dimension of k a part puts
 * (k - 1)/k of itself on each cable, and 1/k of it is left for the next (Barnett et al., "Global combine on mesh
 * architectures with wormhole routing", IPPS 1993: the bucket algorithm; Sack and Gropp, "Collective algorithms for
 * multiported torus networks", ACM TOPC 1(2), 2015: a part for each port; TPU v4, arXiv 2304.01433). */
double ss_lattice_share(const ss_lattice *lattice, int dimension)
{
  const int64_t size = lattice->size[dimension];
  const double first = 1.0 / ((double)lattice->dimensions * directions_of(size));
  double left = 1.0, sum = 0.0; /* of a part that comes to this dimension as its first, second, ... */
  for (int before = 0; before < lattice->dimensions; ++before) {
    sum += left;
    const int previous = (dimension - 1 - before + 2 * lattice->dimensions) % lattice->dimensions;
    left /= (double)lattice->size[previous];
  }
  return sum * first * (double)(size - 1) / (double)size;
}

double ss_lattice_steps(const ss_lattice *lattice)
{
  double steps = 0.0;
  for (int i = 0; i < lattice->dimensions; ++i) steps += (double)(lattice->size[i] - 1);
  return steps;
}

/* A message goes k/4 steps along a ring of k in the mean, (k - 1/k)/4 where k is odd: the sum of the shorter ways to
 * all k is floor(k^2/4). A domain has a cable in each direction, so that a ring of 16 puts the volume on each twice:
 * what its bisection allows. Where the ends do not meet, as many messages go each way through the middle, of k/2
 * domains to as many; the other cables have less, but what is slowest counts. */
double ss_lattice_passed(const ss_lattice_box *box, int side)
{
  const int64_t size = box->members.size[side], steps = size * size / 4;
  return (double)steps / ((double)size * (box->closes[side] ? directions_of(size) : 1.0));
}

double ss_lattice_exchanged(const ss_lattice_box *box)
{
  double most = 0.0;
  for (int i = 0; i < box->members.dimensions; ++i)
    most = ss_max(most, ss_lattice_passed(box, i) * (double)cables_of(box, i));
  return most;
}

double ss_lattice_most_share(const ss_lattice *lattice)
{
  double most = 0.0;
  for (int i = 0; i < lattice->dimensions; ++i) most = ss_max(most, ss_lattice_share(lattice, i));
  return most;
}
