#include "model/schedule/depth_order.h"

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* The turn of a chunk: a group of micro-batches goes through it. Turns are counted over all groups. */
typedef struct turn {
  int64_t index, first, passes; /* first: passes of the kind before it */
} turn;

/* Turns of whole groups; the last group may have fewer micro-batches. */
static int64_t whole_turns(const ss_pipeline_shape *shape)
{
  return shape->micro_batches / ss_shape_group(shape) * shape->chunks;
}

static int64_t rest_of(const ss_pipeline_shape *shape)
{
  return shape->micro_batches % ss_shape_group(shape);
}

static turn turn_of(const ss_pipeline_shape *shape, int64_t index)
{
  const int64_t group = ss_shape_group(shape), whole = whole_turns(shape), rest = rest_of(shape);
  if (index < whole || rest == 0) return (turn){index, index * group, group};
  return (turn){index, whole * group + (index - whole) * rest, rest};
}

/* The turn that the k-th pass of a kind is in. */
static turn turn_at(const ss_pipeline_shape *shape, int64_t k)
{
  const int64_t group = ss_shape_group(shape), whole = whole_turns(shape), rest = rest_of(shape);
  if (k < whole * group || rest == 0) return turn_of(shape, k / group);
  return turn_of(shape, whole + (k - whole * group) / rest);
}

/* The k-th pass of a kind. The micro-batches of a group go through a chunk before the next chunk has its turn, forward
 * from the first chunk to the last, else back. With one chunk they go in order. */
static ss_work work_at(const ss_pipeline_shape *shape, ss_pass pass, int64_t k)
{
  const int64_t chunks = shape->chunks;
  if (chunks == 1) return (ss_work){.pass = pass, .micro_batch = k};
  const turn t = turn_at(shape, k);
  const int64_t chunk = t.index % chunks;
  return (ss_work){.pass = pass,
                   .chunk = pass == SS_PASS_FORWARD ? chunk : chunks - 1 - chunk,
                   .micro_batch = t.index / chunks * ss_shape_group(shape) + k - t.first};
}

/* Turns in which the next pass of each kind is `next`, [turns->passes], at most `turns->count`: until one of them
 * changes its chunk. */
static void take_turns(ss_order *order, const ss_pass *next, ss_turns *turns)
{
  for (int64_t i = 0; i < turns->passes; ++i) {
    const int64_t k = order->count[next[i]];
    turns->work[i] = work_at(&order->shape, next[i], k);
    if (order->shape.chunks == 1) continue;
    const turn t = turn_at(&order->shape, k);
    turns->count = smaller(turns->count, t.first + t.passes - k);
  }
  for (int64_t i = 0; i < turns->passes; ++i) order->count[next[i]] += turns->count;
}

/* Backward passes, each with what goes with it. In the tail, when there is no forward pass left, each wait for a
 * backward pass is filled with a weight pass. */
static void take_backward_turns(ss_order *order, int64_t passes, ss_turns *turns)
{
  const bool splits_backward = order->shape.schedule->splits_backward;
  const int64_t forward = order->count[SS_PASS_FORWARD];
  const int64_t room = order->most.whole + order->most.halves - (forward - order->count[SS_PASS_WEIGHT]);
  const bool tail = forward == passes;
  ss_pass next[SS_PASSES] = {SS_PASS_BACKWARD};
  turns->passes = 1;
  turns->count = tail ? passes - order->count[SS_PASS_BACKWARD] : passes - forward;
  if (splits_backward && (room == 0 || tail))
    next[turns->passes++] = SS_PASS_WEIGHT;
  else if (splits_backward)
    turns->count = smaller(turns->count, room);
  if (!tail) next[turns->passes++] = SS_PASS_FORWARD;
  take_turns(order, next, turns);
  turns->work[0].paired = order->shape.pairs && !tail;
}

/* `count` passes of one kind. */
static void take_passes(ss_order *order, ss_pass pass, int64_t count, ss_turns *turns)
{
  turns->passes = 1;
  turns->count = count;
  take_turns(order, &pass, turns);
}

static bool next(ss_order *order, ss_turns *turns)
{
  const int64_t passes = ss_shape_passes(&order->shape), *count = order->count;
  if (count[SS_PASS_FORWARD] < order->most.whole)
    take_passes(order, SS_PASS_FORWARD, order->most.whole - count[SS_PASS_FORWARD], turns);
  else if (count[SS_PASS_BACKWARD] < passes)
    take_backward_turns(order, passes, turns);
  else if (order->shape.schedule->splits_backward && count[SS_PASS_WEIGHT] < passes)
    take_passes(order, SS_PASS_WEIGHT, passes - count[SS_PASS_WEIGHT], turns);
  else
    return false;
  return true;
}

static int64_t round_of(const ss_pipeline_shape *shape)
{
  return shape->chunks > 1 ? ss_shape_group(shape) : 0;
}

/* With several chunks: the end of the first forward passes, of which there are as many as a stage holds; then whenever
 * backward comes to another chunk, and whenever forward does, until a round later. How much each chunk holds repeats
 * after a round, if all groups are whole, and goes up or down evenly in between. */
static ss_moments moments_of(const ss_pipeline_shape *shape, int64_t stage)
{
  ss_moments moments = {.stage = stage, .count = 1, .most = ss_schedule_in_flight(shape, stage)};
  if (shape->chunks == 1) return moments;
  const int64_t whole = moments.most.whole, passes = ss_shape_passes(shape);
  const int64_t round_later = whole + ss_shape_group(shape) * shape->chunks;
  const int64_t end = rest_of(shape) == 0 ? smaller(round_later, passes) : passes;
  moments.backward = turn_at(shape, end - whole).index;
  moments.count += moments.backward + turn_at(shape, end).index - turn_at(shape, whole).index;
  return moments;
}

static bool moment_of(const ss_pipeline_shape *shape, ss_moments *moments, ss_moment *moment)
{
  if (moments->index == moments->count) return false;
  const int64_t index = moments->index++, whole = moments->most.whole;
  *moment = (ss_moment){.most = moments->most, .paired = shape->pairs && whole < ss_shape_passes(shape)};
  if (shape->chunks == 1) return true;
  if (index <= moments->backward)
    moment->forward = whole + turn_of(shape, index).first;
  else
    moment->forward = turn_of(shape, turn_at(shape, whole).index + index - moments->backward).first;
  moment->backward = moment->forward - whole;
  moment->forward_chunk = work_at(shape, SS_PASS_FORWARD, moment->forward).chunk;
  moment->backward_chunk = work_at(shape, SS_PASS_BACKWARD, moment->backward).chunk;
  return true;
}

/* Of the first `passes` of a kind, those through the chunk that has its turn `place`-th in a group. */
static int64_t passes_through(const ss_pipeline_shape *shape, int64_t passes, int64_t place)
{
  const turn t = turn_at(shape, passes);
  const int64_t now = t.index % shape->chunks;
  const int64_t before = smaller(t.index / shape->chunks * ss_shape_group(shape), shape->micro_batches);
  if (place < now) return before + t.passes;
  return before + (place == now ? passes - t.first : 0);
}

static ss_in_flight held(const ss_pipeline_shape *shape, const ss_moment *moment, int64_t chunk)
{
  const int64_t last = shape->chunks - 1, paired = moment->paired && chunk == moment->forward_chunk;
  if (last == 0) return (ss_in_flight){moment->most.whole + paired, moment->most.halves};
  return (ss_in_flight){.whole = passes_through(shape, moment->forward, chunk) -
                                 passes_through(shape, moment->backward, last - chunk) + paired};
}

const ss_order_methods ss_depth_order = {
    .next = next, .round = round_of, .moments = moments_of, .moment = moment_of, .held = held, .by_depth = true};
