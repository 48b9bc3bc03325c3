#include "sim/io/topology.h"

#include <inttypes.h>
#include <string.h>

#include "model/fabric/fabric.h"

const char *const ss_topology_words[SS_TOPOLOGY_COUNT + 1] = {
#define SS_TOPOLOGY_WORD(id, word, form) word,
    SS_TOPOLOGY_LIST(SS_TOPOLOGY_WORD)
#undef SS_TOPOLOGY_WORD
        NULL};

static const char *const forms[SS_TOPOLOGY_COUNT] = {
#define SS_TOPOLOGY_FORM(id, word, form) form,
    SS_TOPOLOGY_LIST(SS_TOPOLOGY_FORM)
#undef SS_TOPOLOGY_FORM
};

/* Lists of numbers, "1,2;3;4,5". */
enum { MAX_LISTS = 4 };

typedef struct numbers {
  int count;
  int64_t at[SS_SHAPE_NUMBERS];
} numbers;

typedef struct parameters {
  int count;
  numbers list[MAX_LISTS];
} parameters;

static bool parse(const char *text, parameters *read)
{
  *read = (parameters){.count = 1};
  while (true) {
    numbers *list = &read->list[read->count - 1];
    int64_t number;
    const char *end = ss_digits_parse(text, &number);
    if (end == NULL || number < 1 || number > SS_CLUSTER_HOSTS || list->count == SS_SHAPE_NUMBERS) return false;
    list->at[list->count++] = number;
    if (*end == '\0') return true;
    if (*end == ';' && read->count++ == MAX_LISTS) return false;
    if (*end != ';' && *end != ',') return false;
    text = end + 1;
  }
}

/* Saturates, so that what is too large stays so. */
static int64_t product(int64_t a, int64_t b)
{
  return a > INT64_MAX / b ? INT64_MAX : a * b;
}

static int64_t product_of(const int64_t *factors, int count)
{
  int64_t all = 1;
  for (int i = 0; i < count; i++) all = product(all, factors[i]);
  return all;
}

static ss_status check_size(const ss_value *value, int64_t described, int64_t hosts, double links, ss_error *error)
{
  if (described != hosts)
    return ss_value_refuse(value, error, "describes %" PRId64 " hosts; allowed: %" PRId64 ", as radical says",
                           described, hosts);
  if (links > SS_CLUSTER_LINKS)
    return ss_value_refuse(value, error, "needs %.0f links; allowed: at most %d", links, SS_CLUSTER_LINKS);
  return SS_OK;
}

static ss_status read_fat_tree(const ss_value *value, const parameters *read, int64_t hosts, ss_shape *shape,
                               ss_error *error)
{
  const numbers *levels = &read->list[0], *down = &read->list[1], *up = &read->list[2], *width = &read->list[3];
  if (read->count != 4 || levels->count != 1 || levels->at[0] != down->count || down->count != up->count ||
      down->count != width->count)
    return ss_value_refuse(value, error, "is not a fat tree; allowed: %s", forms[SS_TOPOLOGY_FAT_TREE]);
  double links = 0;
  for (int i = 0; i < down->count; i++) {
    /* Switches above level i: one per choice of its up links so far and of the subtrees above. */
    const double switches =
        (double)product_of(up->at, i + 1) * (double)product_of(&down->at[i + 1], down->count - i - 1);
    links += switches * (double)down->at[i] * (double)width->at[i];
  }
  ss_fat_tree *tree = &shape->as.tree;
  tree->levels = down->count;
  memcpy(tree->down, down->at, sizeof tree->down);
  memcpy(tree->up, up->at, sizeof tree->up);
  memcpy(tree->links, width->at, sizeof tree->links);
  return check_size(value, product_of(down->at, down->count), hosts, links, error);
}

static ss_status read_dragonfly(const ss_value *value, const parameters *read, int64_t hosts, ss_shape *shape,
                                ss_error *error)
{
  bool pairs = read->count == 4 && read->list[3].count == 1;
  for (int i = 0; pairs && i < 3; i++) pairs = read->list[i].count == 2;
  if (!pairs) return ss_value_refuse(value, error, "is not a dragonfly; allowed: %s", forms[SS_TOPOLOGY_DRAGONFLY]);
  const int64_t *group = read->list[0].at, *chassis = read->list[1].at, *router = read->list[2].at;
  /* SimGrid hangs the link to group g on router g of the first chassis, and follows a wild pointer if there is none. */
  if (group[0] > router[0])
    return ss_value_refuse(value, error,
                           "has %" PRId64 " groups, but only %" PRId64
                           " routers in a chassis to link them; allowed: at most as many groups as routers",
                           group[0], router[0]);
  const int64_t all_routers = product(product(group[0], chassis[0]), router[0]);
  /* Each router holds a slot for every router of its chassis and every chassis of its group. */
  const double links =
      (double)hosts + (double)all_routers * (double)(router[0] + chassis[0]) + (double)group[0] * (double)group[0];
  shape->as.dragonfly = (ss_dragonfly){.groups = group[0],
                                       .group_links = group[1],
                                       .chassis = chassis[0],
                                       .chassis_links = chassis[1],
                                       .routers = router[0],
                                       .router_links = router[1],
                                       .nodes = read->list[3].at[0]};
  return check_size(value, product(all_routers, read->list[3].at[0]), hosts, links, error);
}

static ss_status read_torus(const ss_value *value, const parameters *read, int64_t hosts, ss_shape *shape,
                            ss_error *error)
{
  const numbers *sizes = &read->list[0];
  if (read->count != 1) return ss_value_refuse(value, error, "is not a torus; allowed: %s", forms[SS_TOPOLOGY_TORUS]);
  int ones = 0;
  int64_t longest = 0; /* half way around each dimension */
  for (int i = 0; i < sizes->count; i++) {
    ones += sizes->at[i] == 1;
    longest += sizes->at[i] / 2;
  }
  /* In each dimension of 1 a host is linked to itself, under a name that SimGrid takes only once. */
  if (ones > 1)
    return ss_value_refuse(value, error, "has %d dimensions of 1; allowed: at most one, others can be left out", ones);
  if (longest > SS_ROUTE_LINKS_MAX)
    return ss_value_refuse(value, error, "has ways of %" PRId64 " links; allowed: up to %d", longest,
                           SS_ROUTE_LINKS_MAX);
  shape->as.torus.dimensions = sizes->count;
  memcpy(shape->as.torus.size, sizes->at, sizeof shape->as.torus.size);
  return check_size(value, product_of(sizes->at, sizes->count), hosts, (double)hosts * sizes->count, error);
}

ss_status ss_topology_read(const ss_value *value, int64_t hosts, ss_shape *shape, ss_error *error)
{
  static ss_status (*const readers[SS_TOPOLOGY_COUNT])(const ss_value *, const parameters *, int64_t, ss_shape *,
                                                       ss_error *) = {
      [SS_TOPOLOGY_FAT_TREE] = read_fat_tree,
      [SS_TOPOLOGY_DRAGONFLY] = read_dragonfly,
      [SS_TOPOLOGY_TORUS] = read_torus,
  };
  const char *word = ss_topology_words[shape->topology], *form = forms[shape->topology];
  if (shape->topology == SS_TOPOLOGY_FLAT) {
    if (value->text == NULL) return SS_OK;
    return ss_value_refuse(value, error, "needs a topology other than FLAT; allowed: leave it out");
  }
  if (value->text == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line,
                        "%s is missing with topology=\"%s\"; allowed: %s", value->subject, word, form);
  parameters read;
  if (!parse(value->text, &read))
    return ss_value_refuse(value, error, "is not a list of numbers from 1 to %d; allowed: %s", SS_CLUSTER_HOSTS, form);
  return readers[shape->topology](value, &read, hosts, shape, error);
}
