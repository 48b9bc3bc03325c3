#include "model/schedule/v_schedules.h"

#include "model/schedule/parts.h"
#include "model/schedule/plain.h"
#include "model/schedule/turn_order.h"

/* Passes of a block: its length in slots, as long as a pass each. */
#define BLOCK 6

/* A building block (arXiv 2405.15362 section 3.2): how many slots after the stage before (forward: chunk 0 down, 1 up;
 * backward: chunk 1 down, 0 up) a pass comes, and how many slots after the turns at the ends of the V: from forward of
 * chunk 0 to that of chunk 1 on the last stage, from forward to backward on the first, and from backward of chunk 1 to
 * that of chunk 0 on the last. */
typedef struct block {
  int64_t forward[SS_TURN_CHUNKS], backward[SS_TURN_CHUNKS];
  int64_t turns[3];
} block;

/* Where the passes of the first micro-batch are on a stage. */
typedef struct slots {
  int64_t of[SS_TURN_CHUNKS][SS_PASSES];
} slots;

/* The first slot after backward of a chunk that no pass has, in any block. */
static int64_t free_slot(const slots *s, int64_t chunk, bool taken[BLOCK])
{
  int64_t slot = s->of[chunk][SS_PASS_BACKWARD] + 1;
  while (taken[slot % BLOCK]) ++slot;
  taken[slot % BLOCK] = true;
  return slot;
}

static slots slots_of(const ss_order *order, const block *b)
{
  const int64_t last = order->shape.stages - 1, stage = order->stage;
  const int64_t turn = last * b->forward[0] + b->turns[0], loss = turn + last * b->forward[1] + b->turns[1],
                back = loss + last * b->backward[1] + b->turns[2];
  slots s = {.of = {{stage * b->forward[0], back + (last - stage) * b->backward[0]},
                    {turn + (last - stage) * b->forward[1], loss + stage * b->backward[1]}}};
  bool taken[BLOCK] = {false};
  for (int chunk = 0; chunk < SS_TURN_CHUNKS; ++chunk)
    for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass) taken[s.of[chunk][pass] % BLOCK] = true;
  s.of[1][SS_PASS_WEIGHT] = free_slot(&s, 1, taken);
  s.of[0][SS_PASS_WEIGHT] = free_slot(&s, 0, taken);
  return s;
}

/* A pass that is not done, and its slot. */
typedef struct waiting {
  ss_pass pass;
  int64_t chunk, slot;
} waiting;

/* The next pass of each kind and chunk of which there are any, by slot. */
static int64_t list_waiting(const ss_order *order, const slots *s, waiting *list)
{
  int64_t count = 0;
  for (int64_t chunk = 0; chunk < SS_TURN_CHUNKS; ++chunk)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const int64_t done = order->done[chunk][pass];
      if (done == order->shape.micro_batches) continue;
      const waiting next = {(ss_pass)pass, chunk, s->of[chunk][pass] + BLOCK * done};
      int64_t at = count++;
      for (; at > 0 && list[at - 1].slot > next.slot; --at) list[at] = list[at - 1];
      list[at] = next;
    }
  return count;
}

/* Turns of the passes that come within a block from the next one on, until others join them or they are done. */
static bool next_of_block(ss_order *order, ss_turns *turns, const block *b)
{
  const slots s = slots_of(order, b);
  waiting list[SS_TURN_PASSES];
  const int64_t count = list_waiting(order, &s, list);
  *turns = (ss_turns){.count = order->shape.micro_batches};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t blocks = (list[i].slot - list[0].slot) / BLOCK;
    if (blocks == 0)
      ss_turn_order_add(order, &(ss_work){.pass = list[i].pass, .chunk = list[i].chunk}, turns);
    else if (blocks < turns->count)
      turns->count = blocks;
  }
  ss_turn_order_take(order, turns);
  return count > 0;
}

/* No two passes of a stage share a slot of the block: where forward goes down and up a slot per stage, they are an odd
 * number of slots apart, and where P is a multiple of 3 the last gap has to be longer. */
static bool next_of_min(ss_order *order, ss_turns *turns)
{
  const int64_t gap = order->shape.stages % 3 == 0 ? 3 : 1;
  const block b = {.forward = {1, 1}, .backward = {1, 1}, .turns = {gap, 1, gap}};
  return next_of_block(order, turns, &b);
}

static bool next_of_half(ss_order *order, ss_turns *turns)
{
  const block even = {.forward = {2, 1}, .backward = {1, 2}, .turns = {4, 2, 2}},
              odd = {.forward = {2, 1}, .backward = {1, 2}, .turns = {1, 2, 5}};
  return next_of_block(order, turns, order->shape.stages % 2 == 0 ? &even : &odd);
}

static const ss_work forward_0 = {.pass = SS_PASS_FORWARD}, forward_1 = {.pass = SS_PASS_FORWARD, .chunk = 1},
                     backward_0 = {.pass = SS_PASS_BACKWARD}, backward_1 = {.pass = SS_PASS_BACKWARD, .chunk = 1},
                     weight_0 = {.pass = SS_PASS_WEIGHT}, weight_1 = {.pass = SS_PASS_WEIGHT, .chunk = 1};
static const ss_work whole_0 = {.pass = SS_PASS_BACKWARD, .whole = true},
                     whole_1 = {.pass = SS_PASS_BACKWARD, .chunk = 1, .whole = true},
                     paired_0 = {.pass = SS_PASS_BACKWARD, .whole = true, .paired = true},
                     paired_1 = {.pass = SS_PASS_BACKWARD, .chunk = 1, .whole = true, .paired = true};

#define COUNT(...) (sizeof(ss_work[]){__VA_ARGS__} / sizeof(ss_work))
#define TURNS(times, ...)                                                                                              \
  (ss_phase_turns)                                                                                                     \
  {                                                                                                                    \
    .count = (times), .passes = (int64_t)COUNT(__VA_ARGS__), .work = { __VA_ARGS__ }                                   \
  }

/* From the last forward pass on, when stage and those after it have `own` micro-batches to bring back, and the stages
 * after it `after`: half of the weight passes wait until the stage has nothing else to do. Others are part of backward
 * where that is `whole`. */
static bool last_phase_of(int64_t phase, int64_t own, int64_t after, bool whole, ss_phase_turns *turns)
{
  const ss_work full_0 = whole ? whole_0 : backward_0, full_1 = whole ? whole_1 : backward_1;
  const int64_t half = own / 2, left_1 = after < half ? after : half, left_0 = after - left_1;
  switch (phase) {
  case 0: *turns = TURNS(half, full_1, weight_1, full_0, weight_0); break;
  case 1: *turns = TURNS(own % 2, full_1, weight_1, backward_0); break;
  case 2: *turns = TURNS(half, backward_1, backward_0); break;
  case 3: *turns = TURNS(left_1, weight_1, backward_0); break;
  case 4: *turns = TURNS(left_0, weight_0, backward_0); break;
  case 5: *turns = TURNS(half - left_1, weight_1); break;
  case 6: *turns = TURNS(own - (half - left_1), weight_0); break;
  default: return false;
  }
  return true;
}

/* Phases before those of last_phase_of(). */
enum { ZERO_BUBBLE_FIRST_PHASES = 5, DUALPIPE_FIRST_PHASES = 8 };

/* arXiv 2401.10241 figure 6 (ZB-V): forward of chunk 0 until that of chunk 1 comes back, then both in turn until the
 * first backward pass is due; from then on one of each, as many held as before, until there is no more forward. */
static bool zero_bubble_phase(const ss_order *order, ss_phase_turns *turns)
{
  const int64_t stages = order->shape.stages, own = order->stage + 1, after = stages - own;
  const int64_t micro_batches = order->shape.micro_batches;
  const int64_t most = micro_batches > 2 * stages ? micro_batches : 2 * stages;
  switch (order->phase) {
  case 0: *turns = TURNS(2 * after, forward_0); break;
  case 1: *turns = TURNS(own, forward_0, forward_1); break;
  case 2: *turns = TURNS(after, backward_1, weight_1, forward_1); break;
  case 3:
    *turns = TURNS(most - stages - after, backward_1, weight_1, forward_0, backward_0, weight_0, forward_1);
    break;
  case 4: *turns = TURNS(after, backward_1, weight_1, backward_0, weight_0, forward_1); break;
  default: return last_phase_of(order->phase - ZERO_BUBBLE_FIRST_PHASES, own, after, false, turns);
  }
  return true;
}

static bool next_of_zero_bubble(ss_order *order, ss_turns *turns)
{
  return ss_phase_order_next(order, turns, zero_bubble_phase);
}

/* A stage of the V that it is in, with its order of work: how many stages there are up to it, and after it. Two copies
 * of the model make two of them, each of half of the stages from either end to the middle, with half of the
 * micro-batches (DualPipe "cut in half", https://hackmd.io/@ufotalent/r1lVXsa9Jg). */
typedef struct v_place {
  int64_t own, after, micro_batches;
} v_place;

static v_place place_of(const ss_order *order)
{
  const ss_pipeline_shape *shape = &order->shape;
  const int64_t stages = shape->stages / shape->schedule->layout->copies;
  const int64_t own = order->stage < stages ? order->stage + 1 : shape->stages - order->stage;
  return (v_place){.own = own, .after = stages - own, .micro_batches = ss_shape_copy_batches(shape)};
}

/* DualPipe and DualPipeV of github.com/deepseek-ai/DualPipe (arXiv 2412.19437 section 3.2.1): as ZB-V until the first
 * backward passes are done; then forward of each chunk together with backward of the other, but for the first of the
 * stage where the V turns ("to further reduce bubble size", dualpipe.py). Where passes do not run together they follow
 * one another, forward first. */
static bool dualpipe_phase(const ss_order *order, ss_phase_turns *turns)
{
  const v_place p = place_of(order);
  const int64_t own = p.own, after = p.after, stages = own + after;
  const int64_t most = p.micro_batches > 2 * stages ? p.micro_batches : 2 * stages, main = most - stages - after;
  const bool pairs = order->shape.pairs;
  const int64_t apart = pairs && after == 0 ? 1 : 0;
  switch (order->phase) {
  case 0: *turns = TURNS(2 * after, forward_0); break;
  case 1: *turns = TURNS(own, forward_0, forward_1); break;
  case 2: *turns = TURNS(after, backward_1, weight_1, forward_1); break;
  case 3: *turns = TURNS(apart, forward_0, whole_1, weight_1, paired_0, forward_1, weight_0); break;
  case 4: *turns = TURNS(pairs ? main - apart : 0, paired_1, forward_0, weight_1, paired_0, forward_1, weight_0); break;
  case 5: *turns = TURNS(pairs ? 0 : main, forward_0, whole_1, weight_1, forward_1, whole_0, weight_0); break;
  case 6: *turns = TURNS(pairs ? after : 0, whole_1, weight_1, paired_0, forward_1, weight_0); break;
  case 7: *turns = TURNS(pairs ? 0 : after, whole_1, weight_1, forward_1, whole_0, weight_0); break;
  default: return last_phase_of(order->phase - DUALPIPE_FIRST_PHASES, own, after, true, turns);
  }
  return true;
}

static bool next_of_dualpipe(ss_order *order, ss_turns *turns)
{
  return ss_phase_order_next(order, turns, dualpipe_phase);
}

#define V_ORDER(next_turns)                                                                                            \
  {                                                                                                                    \
    .next = (next_turns), .round = ss_turn_order_round, .moments = ss_turn_order_moments,                              \
    .moment = ss_turn_order_moment, .held = ss_turn_order_held                                                         \
  }

static const ss_order_methods min_order = V_ORDER(next_of_min), half_order = V_ORDER(next_of_half),
                              zero_bubble_order = V_ORDER(next_of_zero_bubble),
                              dualpipe_order = V_ORDER(next_of_dualpipe);

/* "num_chunks % 2 == 0 and num_chunks >= num_ranks * 2" of DualPipe's step(). */
static bool takes_both_ways(const ss_pipeline_shape *shape)
{
  return shape->stages % 2 == 0 && shape->micro_batches % 2 == 0 && shape->micro_batches >= 2 * shape->stages;
}

#define V_ROW(parts, methods, in_pairs, takes_batches)                                                                 \
  {                                                                                                                    \
    .layout = &(parts), .chunks = 2, .order = &(methods), .needs_stages = true, .splits_backward = true,               \
    .pairs = (in_pairs), .walks = true, .takes = (takes_batches), .depth = ss_turn_order_depth                         \
  }

const ss_schedule ss_v_min = V_ROW(ss_parts_v, min_order, false, ss_plain_takes);
const ss_schedule ss_v_half = V_ROW(ss_parts_v, half_order, false, ss_plain_takes);
const ss_schedule ss_v_zero_bubble = V_ROW(ss_parts_v, zero_bubble_order, false, ss_plain_takes);
const ss_schedule ss_dualpipe_v = V_ROW(ss_parts_v, dualpipe_order, true, ss_plain_takes);
const ss_schedule ss_dualpipe = V_ROW(ss_parts_both_ways, dualpipe_order, true, takes_both_ways);
