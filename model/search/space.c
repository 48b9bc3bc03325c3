#include "model/search/space.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/input/stack.h"
#include "model/input/workload.h"
#include "model/search/varied.h"

/* Below these, matrices are too narrow for the units that multiply them. */
#define LEAST_COLUMNS       128
#define LEAST_PANEL_COLUMNS 512

/* A space under construction. */
typedef struct builder {
  ss_space *space;
  int64_t capacity;
  bool complete; /* no allocation has failed */
} builder;

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

unsigned ss_size_of(ss_attribute_index attribute)
{
  switch (attribute) {
#define SS_SIZE_CASE(element, name)                                                                                    \
  case SS_AT_##element##_##name: return SS_SIZE_BIT(SS_SIZE_##name);
    SS_SIZE_LIST(SS_SIZE_CASE)
#undef SS_SIZE_CASE
  default: return 0;
  }
}

unsigned ss_sizes_overridden(const ss_workload *workload)
{
  unsigned sizes = 0;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i)
    if (workload->line[i] == SS_LINE_OVERRIDE) sizes |= ss_size_of((ss_attribute_index)i);
  return sizes;
}

static bool is_pinned(const ss_space *space, ss_size size)
{
  return (space->pins & SS_SIZE_BIT(size)) != 0;
}

/* The first and last value of a size that is tried from `first` to `last`: only its own value if it is pinned.
 */
static int64_t first_of(const ss_space *space, ss_size size, int64_t own, int64_t first)
{
  return is_pinned(space, size) ? most(own, first) : first;
}

static int64_t last_of(const ss_space *space, ss_size size, int64_t own, int64_t last)
{
  return is_pinned(space, size) ? own : last;
}

static bool is_ok_tp(const ss_space *space, const ss_candidate *c)
{
  const ss_workload *w = space->workload;
  const int64_t products = c->tensor == SS_TENSOR_1D ? 3 : 1; /* columns of queries, keys and values together */
  if (space->gpus % (c->tp * c->cp) != 0) return false;
  return is_pinned(space, SS_SIZE_tp) || (w->model.heads % c->tp == 0 && w->model.hidden % c->tp == 0 &&
                                          products * w->model.hidden / c->tp >= LEAST_COLUMNS);
}

static bool is_ok_tp2(const ss_space *space, const ss_candidate *c)
{
  const ss_workload *w = space->workload;
  if (space->gpus % (c->tp * c->tp2 * c->cp) != 0) return false;
  return c->tensor == SS_TENSOR_1D || is_pinned(space, SS_SIZE_tp2) ||
         (w->model.sequence / c->tp2 >= LEAST_COLUMNS &&
          (c->tensor != SS_TENSOR_SUMMA || w->model.hidden % c->tp2 == 0));
}

static bool is_ok_pp(const ss_space *space, const ss_candidate *c)
{
  const ss_workload *w = space->workload;
  const int64_t tensor = c->tp * c->tp2 * c->cp, rest = space->gpus / tensor, layers = w->model.layers;
  const bool given = w->parallelism.first_stage_layers != SS_DERIVED ||
                     w->parallelism.last_stage_layers != SS_DERIVED || w->parallelism.layout[0] != '\0' ||
                     w->parallelism.vision_stages > 0;
  const bool uneven = (space->knobs & SS_KNOB_BIT(SS_KNOB_layout)) != 0;
  if (rest % c->pp != 0 || w->training.global_batch % (rest / c->pp) != 0) return false;
  if (is_pinned(space, SS_SIZE_dp) && rest / c->pp != w->parallelism.dp) return false;
  return is_pinned(space, SS_SIZE_pp) || given || uneven || (least(rest, layers) % c->pp == 0 && layers % c->pp == 0);
}

static void add(builder *b, const ss_candidate *c)
{
  ss_space *space = b->space;
  if (space->count == b->capacity) {
    const int64_t capacity = most(64, 2 * b->capacity);
    ss_candidate *sizes = realloc(space->sizes, (size_t)capacity * sizeof *sizes);
    b->complete = b->complete && sizes != NULL;
    if (sizes == NULL) return;
    space->sizes = sizes;
    b->capacity = capacity;
  }
  space->sizes[space->count++] = *c;
}

/* The micro-batch after `micro_batch`; 0 after the last one. */
static int64_t next_micro_batch(const ss_space *space, const ss_candidate *sizes, int64_t micro_batch)
{
  const ss_workload *w = space->workload;
  const int64_t batch = w->training.global_batch / sizes->dp;
  const int64_t ranks = sizes->tensor == SS_TENSOR_SUMMA ? sizes->tp2 : sizes->tp * sizes->tp2;
  if (is_pinned(space, SS_SIZE_micro_batch)) return micro_batch < w->training.micro_batch ? w->training.micro_batch : 0;
  for (int64_t next = micro_batch + 1; next <= batch; ++next)
    if (batch % next == 0 && next * w->model.sequence % ranks == 0) return next;
  return 0;
}

static void add_micro_batches(builder *b, ss_candidate c)
{
  while ((c.micro_batch = next_micro_batch(b->space, &c, c.micro_batch)) != 0) add(b, &c);
}

static void add_stages(builder *b, ss_candidate c)
{
  const ss_space *space = b->space;
  const ss_workload *w = space->workload;
  const int64_t rest = space->gpus / (c.tp * c.tp2 * c.cp), own = w->parallelism.pp;
  const int64_t last = last_of(space, SS_SIZE_pp, own, least(rest, w->model.layers));
  for (c.pp = first_of(space, SS_SIZE_pp, own, 1); c.pp <= last; ++c.pp) {
    c.dp = rest / c.pp;
    if (is_ok_pp(space, &c)) add_micro_batches(b, c);
  }
}

static void add_panels(builder *b, ss_candidate c)
{
  const int64_t hidden = b->space->workload->model.hidden, first = most(c.tp, c.tp2);
  const bool narrow = hidden / first < LEAST_PANEL_COLUMNS;
  if (is_pinned(b->space, SS_SIZE_panels)) {
    c.panels = b->space->workload->parallelism.panels;
    add_stages(b, c);
    return;
  }
  for (c.panels = first; c.panels < hidden; c.panels *= 2) {
    const bool wide = narrow ? c.panels == first : hidden / c.panels >= LEAST_PANEL_COLUMNS;
    if (wide && hidden % c.panels == 0) add_stages(b, c);
  }
}

/* A second axis of one GPU is 1d, and left to it if 1d is tried as well. */
static void add_tensor(builder *b, ss_candidate c, int64_t least_tp2)
{
  const ss_space *space = b->space;
  const ss_workload *w = space->workload;
  const ss_tensor tensor = c.tensor;
  const int64_t own = w->parallelism.tp, own2 = w->parallelism.tp2;
  const int64_t last = last_of(space, SS_SIZE_tp, own, least(space->gpus, w->model.heads));
  const int64_t longest = tensor == SS_TENSOR_1D ? 1 : least(space->gpus, w->model.sequence);
  const int64_t last2 = last_of(space, SS_SIZE_tp2, own2, longest);
  for (c.tp = first_of(space, SS_SIZE_tp, own, 1); c.tp <= last; ++c.tp) {
    if (!is_ok_tp(space, &c)) continue;
    for (c.tp2 = first_of(space, SS_SIZE_tp2, own2, least_tp2); c.tp2 <= last2; ++c.tp2) {
      if (!is_ok_tp2(space, &c)) continue;
      if (tensor == SS_TENSOR_SUMMA)
        add_panels(b, c);
      else
        add_stages(b, c);
    }
  }
}

/* The context-parallel size after `cp`; 0 after the last one. */
static int64_t next_cp(const ss_space *space, ss_tensor tensor, int64_t cp)
{
  const int64_t own = space->workload->parallelism.cp, sequence = space->workload->model.sequence;
  if ((space->knobs & SS_KNOB_BIT(SS_KNOB_cp)) == 0) return cp < own ? own : 0;
  const int64_t largest = tensor == SS_TENSOR_1D ? space->gpus : 1;
  for (int64_t next = cp + 1; next <= largest; ++next) {
    const bool splits = sequence % next == 0 && (next == 1 || sequence / next >= LEAST_COLUMNS);
    if (space->gpus % next == 0 && (splits || next == own)) return next;
  }
  return 0;
}

static int64_t count_divisors(int64_t number)
{
  int64_t count = 0;
  for (int64_t i = 1; i <= number; ++i) count += number % i == 0;
  return count;
}

/* Splits of a segment over tp, cp and dp, at most; pp has the rest. */
static int64_t splits_max(int64_t segment)
{
  const int64_t divisors = count_divisors(segment);
  return divisors * divisors * divisors;
}

/* Whole segments of that size make up the GPUs, and there are domains for them. */
static bool takes_segment(const ss_space *space, int64_t segment)
{
  SS_ASSERT(segment > 0);
  return space->gpus % segment == 0 && ss_room_ranks(space->room, segment) >= space->gpus;
}

static bool tries_segments(const ss_space *space)
{
  return (space->knobs & SS_KNOB_BIT(SS_KNOB_segment)) != 0;
}

/* All ranks fit in one segment: of the size that the workload says, or as large as they need. */
static bool fits_in_one(const ss_space *space)
{
  const bool given = !tries_segments(space) && space->workload->placement.segment != SS_DERIVED;
  return space->gpus <= space->segment_max &&
         ss_room_ranks(space->room, given ? space->segment_max : space->gpus) >= space->gpus;
}

/* Without a segment that is given, segments are tried where whole domains cannot make up the GPUs, as a prediction then
 * takes a part of each, too. */
static bool needs_segments(const ss_space *space)
{
  const bool given = space->workload->placement.segment != SS_DERIVED;
  return !given && !fits_in_one(space) && !takes_segment(space, space->room.machine->domain_size);
}

/* The GPUs that may be used of a domain, and how many placements that makes. */
static void choose_segments(ss_space *space)
{
  const int64_t own = space->workload->placement.segment, domain = space->room.machine->domain_size;
  space->segment_min = space->segment_max = own != SS_DERIVED ? own : domain;
  space->placements_max = splits_max(space->segment_max);
  if (needs_segments(space)) space->knobs |= SS_KNOB_BIT(SS_KNOB_segment);
  if (!tries_segments(space)) return;
  int64_t largest = domain;
  while (largest > 1 && !takes_segment(space, largest)) --largest;
  space->segment_max = domain;
  space->segment_min = least(largest, domain / 2 + 1);
  space->placements_max = 0;
  for (int64_t segment = space->segment_min; segment <= domain; ++segment)
    if (takes_segment(space, segment)) space->placements_max += splits_max(segment);
  space->placements_max = most(space->placements_max, 1);
}

ss_status ss_space_init(ss_space *space, const ss_workload *workload, const ss_machine *machine,
                        const ss_space_rule *rule)
{
  *space = (ss_space){.workload = workload,
                      .gpus = rule->gpus,
                      .knobs = ss_knob_unique(rule->knobs),
                      .pins = rule->pins,
                      .room = {machine, rule->free_gpus}};
  choose_segments(space);
  builder b = {.space = space, .complete = true};
  for (int tensor = SS_TENSOR_1D; tensor <= SS_TENSOR_SUMMA; ++tensor)
    if (rule->tensors & SS_TENSOR_BIT(tensor)) {
      const bool repeats = tensor == SS_TENSOR_2D && (rule->tensors & SS_TENSOR_BIT(SS_TENSOR_1D)) != 0;
      ss_candidate c = {.tensor = (ss_tensor)tensor, .model = ss_balanced_of(workload), .knobs = space->knobs};
      while ((c.cp = next_cp(space, c.tensor, c.cp)) != 0) add_tensor(&b, c, repeats ? 2 : 1);
    }
  if (b.complete) return SS_OK;
  ss_space_free(space);
  return SS_ERROR_MEMORY;
}

void ss_space_free(ss_space *space)
{
  free(space->sizes);
  space->sizes = NULL;
  space->count = 0;
}

static int64_t add_attribute(ss_attribute_index attribute, ss_attribute_index *list, int64_t count)
{
  for (int64_t i = 0; i < count; ++i)
    if (list[i] == attribute) return count;
  list[count] = attribute;
  return count + 1;
}

/* The number of stages and replicas affects blocks only through what the block cache reads from the job. */
/* What a stack sets for some sizes only. */
static int64_t add_stack(ss_stack stack, ss_attribute_index *varied, int64_t count)
{
  int64_t rows;
  const ss_stack_setting *row = ss_stack_settings(&rows);
  for (int64_t i = 0; i < rows; ++i)
    if (ss_stack_includes(stack, row[i].stack) && row[i].of != SS_STACK_OF_ALWAYS)
      count = add_attribute(row[i].attribute, varied, count);
  return count;
}

int64_t ss_space_block_attributes(const ss_space *space, ss_attribute_index *varied)
{
  static const ss_attribute_index sizes[] = {SS_AT_parallelism_tensor, SS_AT_parallelism_cp,
#define SS_SIZE_ATTRIBUTE(element, name) SS_AT_##element##_##name,
                                             SS_SIZE_LIST(SS_SIZE_ATTRIBUTE)
#undef SS_SIZE_ATTRIBUTE
  };
  int64_t count = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (sizes[i] != SS_AT_parallelism_pp && sizes[i] != SS_AT_parallelism_dp)
      count = add_attribute(sizes[i], varied, count);
  for (int i = 0; i < SS_KNOB_TOTAL; ++i)
    if ((space->knobs & SS_KNOB_BIT(i)) != 0 && ss_knobs()[i].of_blocks)
      count = add_attribute(ss_knobs()[i].attribute, varied, count);
  return add_stack(ss_stack_followed(space->workload), varied, count);
}

static void set_sizes(const ss_candidate *candidate, ss_workload *workload)
{
  workload->parallelism.tensor = candidate->tensor;
  workload->parallelism.tp = candidate->tp;
  workload->parallelism.tp2 = candidate->tp2;
  workload->parallelism.cp = candidate->cp;
  workload->parallelism.pp = candidate->pp;
  workload->parallelism.dp = candidate->dp;
}

/* The divisor of `size` after `divisor` that divides `room`, too; 0 after the last one. */
static int64_t next_share(int64_t size, int64_t room, int64_t divisor)
{
  for (int64_t next = divisor + 1; next <= least(size, room); ++next)
    if (size % next == 0 && room % next == 0) return next;
  return 0;
}

/* TorchTitan numbers ranks as the default is, whatever a file has for others. */
static bool numbers_ranks(const ss_workload *workload)
{
  return workload->training.framework == SS_RUNNER_TORCHTITAN &&
         workload->line[SS_AT_placement_order] != SS_LINE_OVERRIDE;
}

/* Launchers of frameworks lay ranks out one node after the other. */
static bool can_launch(const ss_space *space, const ss_candidate *sizes, const ss_coordinates *inside)
{
  const ss_workload *w = space->workload;
  const ss_coordinates all = {.tp = sizes->tp, .cp = sizes->tp2 * sizes->cp, .dp = sizes->dp, .pp = sizes->pp};
  if (w->training.framework == SS_RUNNER_ANY) return true;
  return ss_placement_fills(numbers_ranks(w) ? "tp,cp,dp,pp" : w->placement.order, &all, inside);
}

/* The placements that fill segments; returns how many. */
static int64_t fill_segments(const ss_space *space, const ss_candidate *sizes, int64_t segment, ss_coordinates *inside)
{
  const int64_t context = sizes->tp2 * sizes->cp;
  int64_t count = 0;
  ss_coordinates at = {0};
  while ((at.tp = next_share(sizes->tp, segment, at.tp)) != 0) {
    const int64_t beside_tp = segment / at.tp;
    for (at.cp = 0; (at.cp = next_share(context, beside_tp, at.cp)) != 0;) {
      const int64_t beside_cp = beside_tp / at.cp;
      for (at.dp = 0; (at.dp = next_share(sizes->dp, beside_cp, at.dp)) != 0;) {
        at.pp = beside_cp / at.dp;
        if (sizes->pp % at.pp == 0 && can_launch(space, sizes, &at)) inside[count++] = at;
      }
    }
  }
  return count;
}

int64_t ss_space_placements(const ss_space *space, const ss_candidate *sizes, ss_coordinates *inside)
{
  int64_t count = 0;
  if (fits_in_one(space)) {
    const int64_t context = sizes->tp2 * sizes->cp;
    *inside = (ss_coordinates){.tp = sizes->tp, .cp = context, .dp = sizes->dp, .pp = sizes->pp};
    return 1;
  }
  for (int64_t segment = space->segment_max; segment >= space->segment_min; --segment)
    if (takes_segment(space, segment)) count += fill_segments(space, sizes, segment, inside + count);
  return count;
}

void ss_candidate_put(ss_candidate *candidate, const ss_coordinates *inside)
{
  candidate->inside = *inside;
  if ((candidate->knobs & SS_KNOB_BIT(SS_KNOB_segment)) != 0)
    candidate->value.of[SS_KNOB_segment] = (int32_t)(inside->tp * inside->cp * inside->dp * inside->pp);
}

bool ss_space_next_values(const ss_space *space, ss_candidate *sizes, ss_workload *scratch, bool first)
{
  set_sizes(sizes, scratch);
  return ss_knob_next(space->knobs, space->workload, scratch, &sizes->value, first);
}

static void place(const ss_candidate *candidate, ss_workload *workload)
{
  const ss_coordinates *inside = &candidate->inside;
  (void)snprintf(workload->placement.domain, sizeof workload->placement.domain,
                 "tp=%" PRId64 ",cp=%" PRId64 ",dp=%" PRId64 ",pp=%" PRId64, inside->tp, inside->cp, inside->dp,
                 inside->pp);
}

/* A stack, or else the exchange of context-parallel ranks, is what the sizes of the candidate ask for, and then the
 * knobs what they vary. */
static void follow_stack(const ss_candidate *candidate, ss_workload *workload)
{
  ss_stack_apply(workload);
  ss_knob_apply(candidate->knobs, &candidate->value, workload);
}

void ss_candidate_choose(const ss_candidate *candidate, ss_workload *workload)
{
  set_sizes(candidate, workload);
  workload->parallelism.panels = SS_DERIVED;
  if (candidate->tensor == SS_TENSOR_SUMMA) workload->parallelism.panels = candidate->panels;
  workload->line[SS_AT_parallelism_panels] = SS_LINE_DEFAULT; /* of another layout */
  workload->training.micro_batch = candidate->micro_batch;
  ss_knob_apply(candidate->knobs, &candidate->value, workload);
  if (numbers_ranks(workload)) ss_workload_reset(workload, SS_AT_placement_order);
  if (ss_stack_followed(workload) != SS_STACK_NONE || candidate->cp > 1) follow_stack(candidate, workload);
  ss_workload_derive(workload);
}

void ss_candidate_apply(const ss_candidate *candidate, ss_workload *workload)
{
  ss_candidate_choose(candidate, workload);
  place(candidate, workload);
}
