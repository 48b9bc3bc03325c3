#include "model/plan/placement/placement.h"

#include <stdlib.h>
#include <string.h>

#include "model/block/holders.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

typedef struct axis_sizes {
  int64_t of[SS_AXIS_COUNT];
} axis_sizes;

/* At most one of cp and tp2 is above 1. */
static axis_sizes workload_sizes(const ss_workload *workload)
{
  return (axis_sizes){{[SS_AXIS_TP] = workload->parallelism.tp,
                       [SS_AXIS_CP] = workload->parallelism.cp * workload->parallelism.tp2,
                       [SS_AXIS_DP] = workload->parallelism.dp,
                       [SS_AXIS_PP] = workload->parallelism.pp}};
}

/* Reads "tp,cp,dp,pp"; ss_workload_check has made sure that it is a permutation. */
static void parse_order(const char *text, ss_axis order[SS_AXIS_COUNT])
{
  for (int i = 0; i < SS_AXIS_COUNT; ++i) {
    const size_t length = strcspn(text, ",");
    order[i] = ss_axis_find(text, length);
    SS_ASSERT(order[i] < SS_AXIS_COUNT);
    text += length + (text[length] == ',');
  }
}

#define DOMAIN_FORM                                                                                                    \
  "allowed: a split such as tp=4,dp=2,pp=1, each dividing its size, with product at most the domain size"

/* Reads "tp=4,dp=2,pp=1"; axes that are not named have 1. */
static ss_status parse_domain(const ss_workload *workload, axis_sizes *split, ss_error *error)
{
  const char *text = workload->placement.domain;
  bool seen[SS_AXIS_COUNT] = {false};
  *split = (axis_sizes){{1, 1, 1, 1}};
  for (bool more = true; more;) {
    const size_t name_length = strcspn(text, "=,");
    const ss_axis axis = ss_axis_find(text, name_length);
    char *end = NULL;
    const long long value = text[name_length] == '=' ? strtoll(text + name_length + 1, &end, 10) : 0;
    if (axis == SS_AXIS_COUNT || seen[axis] || value < 1 || (*end != ',' && *end != '\0'))
      return ss_workload_refuse(workload, SS_AT_placement_domain, error, "is not a split of a domain; " DOMAIN_FORM);
    seen[axis] = true;
    split->of[axis] = value;
    more = *end == ',';
    text = end + 1;
  }
  return SS_OK;
}

static axis_sizes sizes_of(const ss_coordinates *at)
{
  return (axis_sizes){{[SS_AXIS_TP] = at->tp, [SS_AXIS_CP] = at->cp, [SS_AXIS_DP] = at->dp, [SS_AXIS_PP] = at->pp}};
}

static bool fills(const char *order_text, const axis_sizes *sizes, const axis_sizes *inside)
{
  ss_axis order[SS_AXIS_COUNT];
  bool whole = true, fits = true;
  parse_order(order_text, order);
  for (int i = 0; i < SS_AXIS_COUNT; ++i) {
    fits = fits && (whole || inside->of[order[i]] == 1);
    whole = whole && inside->of[order[i]] == sizes->of[order[i]];
  }
  return fits;
}

bool ss_placement_fills(const char *order, const ss_coordinates *sizes, const ss_coordinates *inside)
{
  const axis_sizes of_all = sizes_of(sizes), of_part = sizes_of(inside);
  return fills(order, &of_all, &of_part);
}

bool ss_placement_is_launched(const ss_workload *workload)
{
  const axis_sizes sizes = workload_sizes(workload);
  axis_sizes split;
  if (workload->placement.domain[0] == '\0' || parse_domain(workload, &split, NULL) != SS_OK) return true;
  return fills(workload->placement.order, &sizes, &split);
}

static int64_t product_of(const axis_sizes *sizes)
{
  int64_t product = 1;
  for (int axis = 0; axis < SS_AXIS_COUNT; ++axis) product *= sizes->of[axis];
  return product;
}

static ss_status check_divisors(const ss_workload *workload, const axis_sizes *split, ss_error *error)
{
  const axis_sizes sizes = workload_sizes(workload);
  for (int axis = 0; axis < SS_AXIS_COUNT; ++axis)
    if (sizes.of[axis] % split->of[axis] != 0)
      return ss_workload_refuse(workload, SS_AT_placement_domain, error,
                                "%s=%lld does not divide %s, which is %lld; " DOMAIN_FORM, ss_axis_name((ss_axis)axis),
                                (long long)split->of[axis], ss_axis_name((ss_axis)axis), (long long)sizes.of[axis]);
  return SS_OK;
}

static ss_status check_product(const ss_workload *workload, const ss_machine *machine, const axis_sizes *split,
                               int64_t segment, ss_error *error)
{
  const int64_t product = product_of(split); /* of divisors of the sizes: cannot overflow */
  const bool whole = segment == machine->domain_size;
  if (product <= segment && (product == ss_workload_gpus(workload) || segment % product == 0)) return SS_OK;
  return ss_workload_refuse(workload, SS_AT_placement_domain, error,
                            "is %lld GPUs, a %s of %s has %lld; " DOMAIN_FORM ", and dividing it", (long long)product,
                            whole ? "domain" : "segment", machine->name, (long long)segment);
}

/* Position of a rank when the axes of `order` count up like digits, first axis fastest. */
static int64_t mixed_radix(const ss_axis order[SS_AXIS_COUNT], const int64_t digit[SS_AXIS_COUNT],
                           const int64_t size[SS_AXIS_COUNT])
{
  int64_t position = 0;
  for (int i = SS_AXIS_COUNT; i-- > 0;) position = position * size[order[i]] + digit[order[i]];
  return position;
}

/* Inside a domain by the low digits, over domains by the high ones; without a split the low digits are all of size 1.
 */
static int64_t split_position(const ss_axis order[SS_AXIS_COUNT], const int64_t digit[SS_AXIS_COUNT],
                              const axis_sizes *sizes, const axis_sizes *split)
{
  int64_t low[SS_AXIS_COUNT], high[SS_AXIS_COUNT], high_size[SS_AXIS_COUNT], inside = 1;
  for (int axis = 0; axis < SS_AXIS_COUNT; ++axis) {
    low[axis] = digit[axis] % split->of[axis];
    high[axis] = digit[axis] / split->of[axis];
    high_size[axis] = sizes->of[axis] / split->of[axis];
    inside *= split->of[axis];
  }
  return mixed_radix(order, high, high_size) * inside + mixed_radix(order, low, split->of);
}

static void fill(ss_placement *placement, const ss_workload *workload, const axis_sizes *split)
{
  const axis_sizes sizes = workload_sizes(workload);
  const int64_t count = ss_workload_gpus(workload);
  for (int64_t rank = 0; rank < count; ++rank) {
    int64_t digit[SS_AXIS_COUNT], rest = rank;
    for (int axis = 0; axis < SS_AXIS_COUNT; ++axis) {
      digit[axis] = rest % sizes.of[axis];
      rest /= sizes.of[axis];
    }
    placement->gpu[rank] = (int32_t)split_position(placement->order, digit, &sizes, split);
  }
}

/* Of the sizes that make up the ranks, one that the command line set, else dp. */
static ss_attribute_index size_to_blame(const ss_workload *workload)
{
  static const ss_attribute_index sizes[] = {SS_AT_parallelism_tp, SS_AT_parallelism_tp2, SS_AT_parallelism_cp,
                                             SS_AT_parallelism_pp};
  if (workload->line[SS_AT_parallelism_dp] == SS_LINE_OVERRIDE) return SS_AT_parallelism_dp;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (workload->line[sizes[i]] == SS_LINE_OVERRIDE) return sizes[i];
  return SS_AT_parallelism_dp;
}

static bool divides(int64_t a, int64_t b)
{
  return (a > b ? a % b : b % a) == 0;
}

ss_holder_digits ss_placement_holders(const ss_placement *placement, bool expert)
{
  ss_holder_digits holders = {.count = 0};
  const int64_t replica = placement->tp * placement->cp;
  if (!expert && !placement->cp_splits_weights) ss_holder_digits_add(&holders, placement->cp, placement->tp);
  if (!expert) ss_holder_digits_add(&holders, placement->dp, replica);
  for (int i = 0; expert && i < SS_EXPERT_DIGITS; ++i) {
    const ss_expert_digit *digit = &placement->experts.digit[i];
    if (digit->axis == SS_EXPERT_AXIS_DP) ss_holder_digits_add(&holders, digit->size, digit->stride);
  }
  if (placement->model_copies > 1)
    ss_holder_digits_add(&holders, placement->model_copies, replica * placement->dp * placement->pp);
  return holders;
}

/* A range of domains that ends at such a number ends in the middle of no dimension of the torus, or its ends divide it:
 * then all groups lie alike. */
static bool ends_on_torus_evenly(const ss_placement *placement, int64_t domains)
{
  const ss_lattice *lattice = &placement->lattice;
  int64_t size = 1;
  bool even = true;
  for (int i = 0; i + 1 < lattice->dimensions; ++i) even = even && divides(domains, size *= lattice->size[i]);
  return even;
}

/* The same of a digit of ranks, which is one of domains behind what a domain has of its axis. */
static bool digit_ends_on_torus_evenly(const ss_placement *placement, int64_t digit_end)
{
  const ss_coordinates *inside = &placement->inside, *apart = &placement->apart;
  const int64_t size[] = {placement->tp, placement->cp, placement->dp};
  const int64_t within[] = {inside->tp, inside->cp, inside->dp}, stride[] = {apart->tp, apart->cp, apart->dp};
  int64_t ranks = 1;
  for (size_t i = 0; i < sizeof size / sizeof size[0]; ranks *= size[i++]) {
    const int64_t inner = ranks * within[i];
    if (digit_end > inner && digit_end <= ranks * size[i])
      return ends_on_torus_evenly(placement, stride[i] * (digit_end / inner));
  }
  return true;
}

/* Where a digit ends, and digits of attention layers or what a domain has of them do, one divides the other: then both
 * are made of the same smaller digits, of which a domain has the same part for all groups. */
static bool ends_evenly(const ss_placement *placement, int64_t digit_end)
{
  const ss_coordinates *inside = &placement->inside;
  const int64_t tensor = placement->tp, replica = tensor * placement->cp;
  const int64_t end[] = {inside->tp, tensor, tensor * inside->cp, replica, replica * inside->dp};
  bool even = true;
  for (size_t i = 0; i < sizeof end / sizeof end[0]; ++i) even = even && divides(digit_end, end[i]);
  return even && (placement->lattice.domains == 0 || digit_ends_on_torus_evenly(placement, digit_end));
}

static bool are_experts_even(const ss_placement *placement)
{
  bool even = true;
  int64_t before = 1;
  for (int i = 0; i < SS_EXPERT_DIGITS && even; ++i) {
    const ss_expert_digit *digit = &placement->experts.digit[i];
    const int64_t end = digit->stride * digit->size;
    if (end != before) even = ends_evenly(placement, end); /* 1 divides all */
    before = end;
  }
  return even;
}

/* Groups that share a copy, and those over all copies. */
static bool are_shards_even(const ss_placement *placement)
{
  bool even = true;
  for (int expert = 0; expert < 2 && placement->copies > 1; ++expert) {
    const ss_holder_digits all = ss_placement_holders(placement, expert == 1);
    ss_holder_digits sharers, places;
    even = even && ss_holder_digits_split(&all, placement->copies, &sharers, &places);
    for (int i = 0; even && i < sharers.count; ++i)
      even = ends_evenly(placement, sharers.digit[i].stride * sharers.digit[i].size);
  }
  return even;
}

/* How far domains lie apart on a torus, by the order of axes. */
static ss_coordinates apart_of(const ss_placement *placement)
{
  const ss_coordinates *inside = &placement->inside;
  const int64_t outside[SS_AXIS_COUNT] = {[SS_AXIS_TP] = placement->tp / inside->tp,
                                          [SS_AXIS_CP] = placement->cp / inside->cp,
                                          [SS_AXIS_DP] = placement->dp / inside->dp,
                                          [SS_AXIS_PP] = placement->pp / inside->pp};
  const ss_axis *order = placement->order;
  int64_t stride[SS_AXIS_COUNT], next = 1;
  for (int i = 0; i < SS_AXIS_COUNT; next *= outside[order[i++]]) stride[order[i]] = next;
  return (ss_coordinates){
      .tp = stride[SS_AXIS_TP], .cp = stride[SS_AXIS_CP], .dp = stride[SS_AXIS_DP], .pp = stride[SS_AXIS_PP]};
}

/* Where domains are points of a torus it matters which ones a group has. Coordinates say that, but of stages with
 * copies of the model, and where other domains are taken. */
static bool is_on_torus_evenly(ss_placement *placement, ss_room room)
{
  if (placement->lattice.domains == 0) return true;
  const ss_coordinates *inside = &placement->inside;
  const ss_coordinates apart = placement->apart = apart_of(placement);
  const int64_t ends[] = {apart.tp,
                          apart.cp,
                          apart.dp,
                          apart.pp,
                          apart.tp * (placement->tp / inside->tp),
                          apart.cp * (placement->cp / inside->cp),
                          apart.dp * (placement->dp / inside->dp),
                          apart.pp * (placement->pp / inside->pp)};
  bool even = room.free_gpus == NULL && placement->model_copies == 1;
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) even = even && ends_on_torus_evenly(placement, ends[i]);
  return even;
}

/* Segments that a split fills to the last GPU, or one domain that holds everything, and expert-parallel groups that lie
 * alike. */
static bool is_even(const ss_placement *placement)
{
  const ss_coordinates *inside = &placement->inside;
  const int64_t product = inside->tp * inside->cp * inside->dp * inside->pp;
  const bool fills =
      product == placement->segment || product == placement->tp * placement->cp * placement->dp * placement->pp;
  return fills && ends_evenly(placement, placement->tp * placement->cp_inner) && are_experts_even(placement) &&
         are_shards_even(placement);
}

/* Whether all groups lie alike: which GPUs of a domain are free may differ, and with it what is behind a NIC. */
static void find_even(ss_placement *placement, ss_room room)
{
  const bool alike_behind_nics = placement->nic_gpus == 1 || room.free_gpus == NULL;
  placement->even = is_on_torus_evenly(placement, room) && alike_behind_nics && is_even(placement);
}

void ss_placement_describe(ss_placement *placement, const ss_workload *workload, const ss_machine *machine)
{
  const axis_sizes sizes = workload_sizes(workload);
  *placement = (ss_placement){.tp = sizes.of[SS_AXIS_TP],
                              .cp = sizes.of[SS_AXIS_CP],
                              .dp = sizes.of[SS_AXIS_DP],
                              .pp = sizes.of[SS_AXIS_PP],
                              .cp_inner = workload->parallelism.cp_inner,
                              .copies = ss_weights_copies(workload),
                              .model_copies = ss_schedule_of(workload->schedule.pipeline)->layout->copies,
                              .experts = ss_expert_ranks_of(workload),
                              .cp_splits_weights = workload->parallelism.tensor == SS_TENSOR_SUMMA,
                              .domain_size = machine->domain_size,
                              .nic_gpus = ss_divide_up(machine->domain_size, machine->nics_per_domain),
                              .lattice = ss_lattice_of(machine),
                              .segment = machine->domain_size};
  parse_order(workload->placement.order, placement->order);
}

static ss_status check_ranks(const ss_workload *workload, const ss_machine *machine, ss_error *error)
{
  const int64_t count = ss_workload_gpus(workload);
  if (count <= machine->gpus) return SS_OK;
  return ss_workload_refuse(workload, size_to_blame(workload), error,
                            "dp * tp * %s * pp is %lld ranks, more than the GPUs of %s; allowed: up to %lld",
                            workload->parallelism.tp2 > 1 ? "tp2" : "cp", (long long)count, machine->name,
                            (long long)machine->gpus);
}

/* Reads and checks the split of a domain, but for how it fits a segment. */
static ss_status read_split(const ss_workload *workload, axis_sizes *split, ss_error *error)
{
  *split = (axis_sizes){{1, 1, 1, 1}};
  if (workload->placement.domain[0] == '\0') return SS_OK;
  const ss_status status = parse_domain(workload, split, error);
  return status == SS_OK ? check_divisors(workload, split, error) : status;
}

/* At most: one for each coordinate, neighbours along the sequence, expert-parallel groups. */
#define GROUPS_MAX (SS_AXIS_COUNT + 2)

/* Replicas side by side over whose ranks experts are shared out, or which hold the same ones; 0 where one replica has
 * more ranks than that. */
static int64_t expert_replicas(const ss_placement *placement)
{
  const ss_expert_digit *ep = &placement->experts.digit[SS_EXPERT_DIGITS - 2];
  const int64_t last = placement->experts.digit[SS_EXPERT_DIGITS - 1].size, replica = placement->tp * placement->cp;
  const int64_t ranks = last > 1 ? ep->stride * ep->size : ep->stride;
  return ranks % replica == 0 ? ranks / replica : 0;
}

/* Sizes of the groups of ranks that lie side by side, in the order of placement: those that the first coordinates make
 * up, and expert-parallel ones. With a split of a domain, it is the only group. All ranks come last. */
static int64_t list_groups(const ss_placement *placement, const ss_workload *workload, const axis_sizes *split,
                           int64_t group[GROUPS_MAX])
{
  const axis_sizes sizes = workload_sizes(workload);
  const ss_axis *order = placement->order;
  const int64_t beside = expert_replicas(placement);
  int64_t count = 0, ranks = 1;
  for (int i = 0; i < SS_AXIS_COUNT; ++i) {
    if (order[i] == SS_AXIS_CP) group[count++] = ranks * placement->cp_inner;
    if (order[i] == SS_AXIS_DP && beside > 0) group[count++] = ranks * beside;
    group[count++] = ranks *= sizes.of[order[i]];
  }
  if (workload->placement.domain[0] == '\0') return count;
  group[0] = product_of(split);
  group[1] = ranks;
  return 2;
}

static ss_status refuse_segment(const ss_workload *workload, ss_room room, int64_t segment, ss_error *error)
{
  const bool given = workload->placement.segment != SS_DERIVED;
  int64_t ranks = given ? ss_room_ranks(room, segment) : 0; /* or those of the segments that have room for most */
  for (int64_t any = 1; !given && any <= room.machine->domain_size; ++any)
    if (ss_room_ranks(room, any) > ranks) ranks = ss_room_ranks(room, any);
  return ss_workload_refuse(workload, given ? SS_AT_placement_segment : SS_AT_placement_free, error,
                            "leaves room for %lld ranks in whole segments on %s, the job has %lld; allowed: %s",
                            (long long)ranks, room.machine->name, (long long)ss_workload_gpus(workload),
                            given ? "another segment, or fewer ranks" : "more free GPUs, or fewer ranks");
}

/* The GPUs that are used of each domain, as the workload says or as its groups need. */
static ss_status choose_segment(ss_placement *placement, const ss_workload *workload, ss_room room,
                                const axis_sizes *split, ss_error *error)
{
  int64_t group[GROUPS_MAX];
  placement->segment = workload->placement.segment;
  if (placement->segment == SS_DERIVED) {
    const int64_t groups = list_groups(placement, workload, split, group);
    placement->segment = ss_segment_of_groups(room, group, groups);
  }
  const bool has_room = placement->segment > 0 && ss_room_ranks(room, placement->segment) >= ss_workload_gpus(workload);
  return has_room ? SS_OK : refuse_segment(workload, room, placement->segment, error);
}

/* Checks a placement, and fills in all but the GPUs. */
static ss_status start(ss_placement *placement, const ss_workload *workload, ss_room room, axis_sizes *split,
                       ss_error *error)
{
  ss_placement_describe(placement, workload, room.machine);
  ss_status status = check_ranks(workload, room.machine, error);
  if (status == SS_OK) status = read_split(workload, split, error);
  if (status == SS_OK) status = choose_segment(placement, workload, room, split, error);
  if (status != SS_OK || workload->placement.domain[0] == '\0') return status;
  placement->inside = (ss_coordinates){.tp = split->of[SS_AXIS_TP],
                                       .cp = split->of[SS_AXIS_CP],
                                       .dp = split->of[SS_AXIS_DP],
                                       .pp = split->of[SS_AXIS_PP]};
  find_even(placement, room);
  return check_product(workload, room.machine, split, placement->segment, error);
}

static ss_status list_gpus(ss_placement *placement, const ss_workload *workload, ss_room room, const axis_sizes *split,
                           ss_error *error)
{
  const int64_t count = ss_workload_gpus(workload);
  placement->gpu = malloc((size_t)count * sizeof *placement->gpu);
  ss_status status = placement->gpu != NULL ? SS_OK : SS_ERROR_MEMORY;
  if (status == SS_OK) {
    fill(placement, workload, split);
    status = ss_segment_lay(room, placement->segment, placement->gpu, count);
  }
  if (status == SS_OK) return SS_OK;
  ss_placement_free(placement);
  return ss_error_set(error, status, NULL, 0, "out of memory for %lld ranks", (long long)count);
}

/* As a rank file says. */
static ss_status copy_gpus(ss_placement *placement, const ss_workload *workload, ss_room room, const int32_t *ranks,
                           ss_error *error)
{
  const int64_t count = ss_workload_gpus(workload);
  ss_placement_describe(placement, workload, room.machine);
  const ss_status status = check_ranks(workload, room.machine, error);
  if (status != SS_OK) return status;
  placement->gpu = malloc((size_t)count * sizeof *placement->gpu);
  if (placement->gpu == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld ranks", (long long)count);
  memcpy(placement->gpu, ranks, (size_t)count * sizeof *ranks);
  return SS_OK;
}

ss_status ss_placement_init(ss_placement *placement, const ss_workload *workload, ss_room room, const int32_t *ranks,
                            ss_error *error)
{
  axis_sizes split;
  if (ranks != NULL) return copy_gpus(placement, workload, room, ranks, error);
  const ss_status status = start(placement, workload, room, &split, error);
  return status == SS_OK ? list_gpus(placement, workload, room, &split, error) : status;
}

ss_status ss_placement_split(ss_placement *placement, const ss_workload *workload, ss_room room,
                             const ss_coordinates *inside, ss_error *error)
{
  const axis_sizes split = {
      {[SS_AXIS_TP] = inside->tp, [SS_AXIS_CP] = inside->cp, [SS_AXIS_DP] = inside->dp, [SS_AXIS_PP] = inside->pp}};
  free(placement->gpu);
  placement->gpu = NULL;
  placement->inside = *inside;
  placement->segment = product_of(&split);
  find_even(placement, room);
  return placement->even ? SS_OK : list_gpus(placement, workload, room, &split, error);
}

ss_status ss_placement_init_even(ss_placement *placement, const ss_workload *workload, ss_room room,
                                 const ss_coordinates *inside, ss_error *error)
{
  axis_sizes split;
  if (inside != NULL) {
    ss_placement_describe(placement, workload, room.machine);
    return ss_placement_split(placement, workload, room, inside, error);
  }
  const ss_status status = start(placement, workload, room, &split, error);
  if (status != SS_OK || placement->even) return status;
  return list_gpus(placement, workload, room, &split, error);
}

void ss_placement_free(ss_placement *placement)
{
  free(placement->gpu);
  *placement = (ss_placement){0};
}

int64_t ss_placement_rank(const ss_placement *placement, ss_coordinates at)
{
  return at.tp + placement->tp * (at.cp + placement->cp * (at.dp + placement->dp * at.pp));
}

int64_t ss_placement_gpu(const ss_placement *placement, ss_coordinates at)
{
  return placement->gpu[ss_placement_rank(placement, at)];
}
