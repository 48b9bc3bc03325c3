#include "model/plan/placement_groups.h"

/* What two ranges of digits have in common, each from one stride to the next. */
static int64_t overlap(int64_t from, int64_t to, int64_t other_from, int64_t other_to)
{
  const int64_t first = from > other_from ? from : other_from, last = to < other_to ? to : other_to;
  return last > first ? last / first : 1;
}

/* Of a digit, what a part of the ranks has: that of a domain, or that behind a NIC. */
static int64_t part_of(const ss_placement *placement, const ss_coordinates *inside, ss_stride digit)
{
  const int64_t from = digit.stride, to = digit.stride * digit.size;
  const int64_t tensor = placement->tp, replica = tensor * placement->cp;
  return overlap(from, to, 1, inside->tp) * overlap(from, to, tensor, tensor * inside->cp) *
         overlap(from, to, replica, replica * inside->dp);
}

/* The digits of an axis of ranks: its stride in their numbers, its size, what a domain has of it, and how far domains
 * lie apart. */
typedef struct axis_digits {
  int64_t stride, size, inside, apart;
} axis_digits;

/* Numbers of domains, from one stride to the next: none where both are the same. */
typedef struct range {
  int64_t from, to;
} range;

/* What a digit of ranks has along an axis, as a digit of domains. */
static range range_of(const axis_digits *axis, ss_stride digit)
{
  const int64_t inner = axis->stride * axis->inside, end = axis->stride * axis->size;
  const int64_t first = digit.stride > inner ? digit.stride : inner;
  const int64_t own_end = digit.stride * digit.size, last = own_end < end ? own_end : end;
  if (last <= first) return (range){1, 1};
  return (range){axis->apart * (first / inner), axis->apart * (last / inner)};
}

enum { RANGES_MAX = 3 * SS_HOLDER_DIGITS };

/* What these ranks have of the numbers of domains, smallest first; how many ranges. */
static int ranges_of(const ss_placement *placement, const ss_holder_digits *digits, range ranges[RANGES_MAX])
{
  const ss_coordinates *inside = &placement->inside, *apart = &placement->apart;
  const int64_t replica = placement->tp * placement->cp;
  const axis_digits axis[] = {{1, placement->tp, inside->tp, apart->tp},
                              {placement->tp, placement->cp, inside->cp, apart->cp},
                              {replica, placement->dp, inside->dp, apart->dp}};
  int count = 0;
  for (int i = 0; i < digits->count; ++i)
    for (size_t a = 0; a < sizeof axis / sizeof axis[0]; ++a) {
      const range found = range_of(&axis[a], digits->digit[i]);
      if (found.to <= found.from) continue;
      int at = count++;
      for (; at > 0 && ranges[at - 1].from > found.from; --at) ranges[at] = ranges[at - 1];
      ranges[at] = found;
    }
  return count;
}

/* What ranges have of a dimension, whose domains have numbers from one stride to the next: a single range, `from` 0
 * where they leave a gap. */
static range along(const range *ranges, int count, range dimension)
{
  range all = {1, 1};
  for (int i = 0; i < count; ++i) {
    const int64_t from = ranges[i].from > dimension.from ? ranges[i].from : dimension.from;
    const int64_t to = ranges[i].to < dimension.to ? ranges[i].to : dimension.to;
    if (to <= from) continue;
    if (all.to > 1 && all.to != from) return (range){0, 0};
    all = (range){all.to > 1 ? all.from : from, to};
  }
  return all;
}

/* The box of a torus that these ranks have. */
static ss_lattice_box box_of(const ss_placement *placement, const ss_holder_digits *digits, int64_t domains)
{
  const ss_lattice *lattice = &placement->lattice;
  range ranges[RANGES_MAX];
  const int count = ranges_of(placement, digits, ranges);
  ss_lattice_box box = {0};
  int64_t stride = 1;
  for (int d = 0; d < lattice->dimensions; stride *= lattice->size[d++]) {
    const range own = along(ranges, count, (range){stride, stride * lattice->size[d]});
    if (own.from == 0) return (ss_lattice_box){0};
    if (own.to == own.from) continue;
    if (own.to % own.from != 0 || own.from % stride != 0) return (ss_lattice_box){0};
    ss_lattice_box_add(&box, lattice, d, own.to / own.from, own.from / stride);
  }
  return box.members.domains == domains ? box : (ss_lattice_box){0};
}

/* Sizes of the part of the ranks of a domain that is behind a NIC: what neighbours have of each axis. */
static ss_coordinates behind_nic(const ss_placement *placement)
{
  const ss_coordinates *inside = &placement->inside;
  const int64_t size[SS_AXIS_COUNT] = {
      [SS_AXIS_TP] = inside->tp, [SS_AXIS_CP] = inside->cp, [SS_AXIS_DP] = inside->dp, [SS_AXIS_PP] = inside->pp};
  int64_t behind[SS_AXIS_COUNT], from = 1;
  for (int i = 0; i < SS_AXIS_COUNT; ++i) {
    const ss_axis axis = placement->order[i];
    const int64_t to = from * size[axis];
    behind[axis] = overlap(from, to, 1, placement->nic_gpus);
    from = to;
  }
  return (ss_coordinates){
      .tp = behind[SS_AXIS_TP], .cp = behind[SS_AXIS_CP], .dp = behind[SS_AXIS_DP], .pp = behind[SS_AXIS_PP]};
}

static int64_t gpus_of_stage(const ss_coordinates *behind)
{
  return behind->tp * behind->cp * behind->dp;
}

/* GPUs of a stage behind a NIC, and rings of the groups that these are of, which all have as many there. */
static ss_nic_share nic_share_of(const ss_placement *placement, const ss_holder_digits *digits)
{
  const ss_coordinates behind = behind_nic(placement);
  const int64_t gpus = gpus_of_stage(&behind);
  int64_t own = 1;
  for (int i = 0; i < digits->count; ++i) own *= part_of(placement, &behind, digits->digit[i]);
  return (ss_nic_share){.rings = (int32_t)(gpus / own), .gpus = (int32_t)gpus};
}

int64_t ss_placement_even_senders(const ss_placement *placement)
{
  const ss_coordinates behind = behind_nic(placement);
  return gpus_of_stage(&behind);
}

/* The span of ranks whose numbers have these digits. */
static ss_span digits_span(const ss_placement *placement, const ss_holder_digits *digits)
{
  int64_t size = 1, per_domain = 1;
  SS_ASSERT(placement->even);
  for (int i = 0; i < digits->count; ++i) {
    size *= digits->digit[i].size;
    per_domain *= part_of(placement, &placement->inside, digits->digit[i]);
  }
  const int64_t domains = size / per_domain;
  ss_span span = {.size = size, .domains = domains, .per_domain = per_domain};
  if (placement->lattice.domains > 0 && domains > 1) {
    const ss_lattice_box box = box_of(placement, digits, domains);
    span.torus = ss_torus_place_of(&placement->lattice, &box);
  }
  if (placement->nic_gpus > 1 && domains > 1) span.nic = nic_share_of(placement, digits);
  return span;
}

ss_span ss_placement_even_tensor_span(const ss_placement *placement, int64_t size, int64_t stride)
{
  ss_holder_digits digits = {.count = 0};
  ss_holder_digits_add(&digits, size, stride);
  return digits_span(placement, &digits);
}

ss_span ss_placement_even_stage_span(const ss_placement *placement, bool replica)
{
  ss_holder_digits digits = {.count = 0};
  ss_holder_digits_add(&digits, placement->tp, 1);
  ss_holder_digits_add(&digits, placement->cp, placement->tp);
  if (!replica) ss_holder_digits_add(&digits, placement->dp, placement->tp * placement->cp);
  return digits_span(placement, &digits);
}

ss_span ss_placement_even_expert_span(const ss_placement *placement, ss_expert_axis axis)
{
  ss_holder_digits digits = {.count = 0};
  for (int i = 0; i < SS_EXPERT_DIGITS; ++i) {
    const ss_expert_digit *digit = &placement->experts.digit[i];
    if (digit->axis == axis) ss_holder_digits_add(&digits, digit->size, digit->stride);
  }
  return digits_span(placement, &digits);
}

ss_span ss_placement_even_context_span(const ss_placement *placement, bool inner)
{
  const int64_t size = placement->cp_inner;
  ss_holder_digits digits = {.count = 0};
  if (inner)
    ss_holder_digits_add(&digits, size, placement->tp);
  else
    ss_holder_digits_add(&digits, placement->cp / size, placement->tp * size);
  return digits_span(placement, &digits);
}

/* Of the stages that a last digit stands for, those in a domain. */
static int64_t stages_inside(const ss_placement *placement, const ss_holder_digits *digits, bool together)
{
  const ss_stride *last = &digits->digit[digits->count - 1];
  return together && placement->model_copies > 1 ? last->size : 1;
}

ss_span ss_placement_even_data_span(const ss_placement *placement, ss_data_group group, bool together)
{
  const bool of_copies = group >= SS_DATA_DENSE_COPIES;
  if (of_copies && placement->copies == 1) return (ss_span){.size = 1, .domains = 1, .per_domain = 1};
  const ss_holder_digits all =
      ss_placement_holders(placement, group == SS_DATA_EXPERT || group == SS_DATA_EXPERT_COPIES);
  ss_holder_digits sharers = all, places;
  if (placement->copies != 1)
    (void)ss_holder_digits_split(&all, placement->copies, &sharers, &places); /* even: whole */
  const ss_holder_digits *digits = of_copies ? &places : &sharers;
  ss_span span = digits_span(placement, digits);
  const int64_t inside = stages_inside(placement, digits, together);
  span.domains /= inside;
  span.per_domain *= inside;
  return span;
}

void ss_placement_tensor_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu)
{
  for (at.tp = 0; at.tp < placement->tp; ++at.tp) gpu[at.tp] = (int32_t)ss_placement_gpu(placement, at);
}

int64_t ss_placement_stage_group(const ss_placement *placement, int64_t stage, int64_t replica, int32_t *gpu)
{
  const int64_t width = placement->tp * placement->cp, ranks = replica < 0 ? width * placement->dp : width;
  const int32_t *first = &placement->gpu[stage * width * placement->dp + (replica < 0 ? 0 : replica * width)];
  for (int64_t i = 0; i < ranks; ++i) gpu[i] = first[i];
  return ranks;
}

void ss_placement_context_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu)
{
  for (at.cp = 0; at.cp < placement->cp; ++at.cp) gpu[at.cp] = (int32_t)ss_placement_gpu(placement, at);
}

int64_t ss_placement_shards(const ss_placement *placement)
{
  return placement->tp * (placement->cp_splits_weights ? placement->cp : 1);
}

/* The ranks of one replica of a stage that hold a shard; returns how many. */
static int64_t holders_in_replica(const ss_placement *placement, int64_t stage, int64_t shard, int64_t replica,
                                  int32_t *gpu)
{
  ss_coordinates at = {.tp = shard % placement->tp, .cp = shard / placement->tp, .dp = replica, .pp = stage};
  if (!placement->cp_splits_weights) {
    ss_placement_context_group(placement, at, gpu);
    return placement->cp;
  }
  *gpu = (int32_t)ss_placement_gpu(placement, at);
  return 1;
}

int64_t ss_placement_sharers(ss_holders holders, bool of_copies, int64_t index, int32_t *gpu)
{
  const int64_t shards = holders.count / holders.copies, size = of_copies ? holders.copies : shards;
  for (int64_t i = 0; i < size; ++i) gpu[i] = holders.gpu[of_copies ? index + i * shards : index * shards + i];
  return size;
}

int64_t ss_placement_data_group(const ss_placement *placement, int64_t stage, int64_t shard, int32_t *gpu)
{
  int64_t count = 0;
  for (int64_t replica = 0; replica < placement->dp; ++replica)
    count += holders_in_replica(placement, stage, shard, replica, gpu + count);
  return count;
}

void ss_placement_expert_group(const ss_placement *placement, int64_t stage, ss_expert_axis axis, int64_t group,
                               int32_t *gpu)
{
  const int32_t *stage_gpu = &placement->gpu[stage * placement->tp * placement->cp * placement->dp];
  ss_expert_group_ranks(&placement->experts, axis, group, gpu);
  for (int64_t place = 0; place < placement->experts.size[axis]; ++place) gpu[place] = stage_gpu[gpu[place]];
}
