#include "sim/io/topology.h"

#include <inttypes.h>
#include <string.h>

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
enum { MAX_LISTS = 4, MAX_NUMBERS = 32 };

typedef struct numbers {
  int count;
  int64_t at[MAX_NUMBERS];
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
    if (end == NULL || number < 1 || number > SS_CLUSTER_HOSTS || list->count == MAX_NUMBERS) return false;
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

static ss_status check_fat_tree(const ss_value *value, const parameters *read, int64_t hosts, ss_error *error)
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
  return check_size(value, product_of(down->at, down->count), hosts, links, error);
}

static ss_status check_dragonfly(const ss_value *value, const parameters *read, int64_t hosts, ss_error *error)
{
  bool pairs = read->count == 4 && read->list[3].count == 1;
  for (int i = 0; pairs && i < 3; i++) pairs = read->list[i].count == 2;
  if (!pairs) return ss_value_refuse(value, error, "is not a dragonfly; allowed: %s", forms[SS_TOPOLOGY_DRAGONFLY]);
  const int64_t groups = read->list[0].at[0], chassis = read->list[1].at[0], routers = read->list[2].at[0];
  /* SimGrid hangs the link to group g on router g of the first chassis, and follows a wild pointer if there is none. */
  if (groups > routers)
    return ss_value_refuse(value, error,
                           "has %" PRId64 " groups, but only %" PRId64
                           " routers in a chassis to link them; allowed: at most as many groups as routers",
                           groups, routers);
  const int64_t all_routers = product(product(groups, chassis), routers);
  /* Each router holds a slot for every router of its chassis and every chassis of its group. */
  const double links =
      (double)hosts + (double)all_routers * (double)(routers + chassis) + (double)groups * (double)groups;
  return check_size(value, product(all_routers, read->list[3].at[0]), hosts, links, error);
}

static ss_status check_torus(const ss_value *value, const parameters *read, int64_t hosts, ss_error *error)
{
  const numbers *sizes = &read->list[0];
  if (read->count != 1) return ss_value_refuse(value, error, "is not a torus; allowed: %s", forms[SS_TOPOLOGY_TORUS]);
  int ones = 0;
  for (int i = 0; i < sizes->count; i++) ones += sizes->at[i] == 1;
  /* In each dimension of 1 a host is linked to itself, under a name that SimGrid takes only once. */
  if (ones > 1)
    return ss_value_refuse(value, error, "has %d dimensions of 1; allowed: at most one, others can be left out", ones);
  return check_size(value, product_of(sizes->at, sizes->count), hosts, (double)hosts * sizes->count, error);
}

ss_status ss_topology_check(ss_topology topology, const ss_value *value, int64_t hosts, ss_error *error)
{
  static ss_status (*const checks[SS_TOPOLOGY_COUNT])(const ss_value *, const parameters *, int64_t, ss_error *) = {
      [SS_TOPOLOGY_FAT_TREE] = check_fat_tree,
      [SS_TOPOLOGY_DRAGONFLY] = check_dragonfly,
      [SS_TOPOLOGY_TORUS] = check_torus,
  };
  const char *word = ss_topology_words[topology];
  if (topology == SS_TOPOLOGY_FLAT) {
    if (value->text == NULL) return SS_OK;
    return ss_value_refuse(value, error, "needs a topology other than FLAT; allowed: leave it out");
  }
  if (value->text == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line,
                        "%s is missing with topology=\"%s\"; allowed: %s", value->subject, word, forms[topology]);
  parameters read;
  if (!parse(value->text, &read))
    return ss_value_refuse(value, error, "is not a list of numbers from 1 to %d; allowed: %s", SS_CLUSTER_HOSTS,
                           forms[topology]);
  return checks[topology](value, &read, hosts, error);
}
