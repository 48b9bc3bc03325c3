#include "model/schedule/depth_order.h"

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* The k-th pass of a kind. Micro-batches go in groups of one per stage through a chunk before the next chunk has its
 * turn, forward from the first chunk to the last, else back. With one chunk they go in order. */
static ss_work work_at(const ss_pipeline_shape *shape, ss_pass pass, int64_t k)
{
  const int64_t stages = shape->stages, chunks = shape->chunks;
  if (chunks == 1) return (ss_work){.pass = pass, .micro_batch = k};
  const int64_t turn = k / stages % chunks;
  return (ss_work){.pass = pass,
                   .chunk = pass == SS_PASS_FORWARD ? turn : chunks - 1 - turn,
                   .micro_batch = k / (stages * chunks) * stages + k % stages};
}

/* Turns in which the next pass of each kind is `next`, [turns->passes], at most `turns->count`: until one of them
 * changes its chunk. */
static void take_turns(ss_order *order, const ss_pass *next, ss_turns *turns)
{
  for (int64_t i = 0; i < turns->passes; ++i) {
    const int64_t k = order->count[next[i]], stages = order->shape.stages;
    turns->work[i] = work_at(&order->shape, next[i], k);
    if (order->shape.chunks > 1) turns->count = smaller(turns->count, stages - k % stages);
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
  return shape->chunks > 1 ? shape->stages : 0;
}

static int64_t turns_until(int64_t end, int64_t first, int64_t step)
{
  return end < first ? 0 : (end - first) / step + 1;
}

static int64_t first_forward_turn(const ss_pipeline_shape *shape, int64_t whole)
{
  return (whole / shape->stages + 1) * shape->stages;
}

/* With several chunks: the end of the first forward passes, of which there are as many as a stage holds; then whenever
 * backward comes to another chunk, and whenever forward does, until a round later. How much each chunk holds repeats
 * after a round, and goes up or down evenly in between. */
static ss_moments moments_of(const ss_pipeline_shape *shape, int64_t stage)
{
  const int64_t stages = shape->stages;
  ss_moments moments = {.stage = stage, .count = 1, .most = ss_schedule_in_flight(shape, stage)};
  if (shape->chunks == 1) return moments;
  const int64_t whole = moments.most.whole;
  const int64_t end = smaller(whole + stages * shape->chunks, ss_shape_passes(shape));
  moments.backward = turns_until(end, whole + stages, stages);
  moments.count += moments.backward + turns_until(end, first_forward_turn(shape, whole), stages);
  return moments;
}

static bool moment_of(const ss_pipeline_shape *shape, ss_moments *moments, ss_moment *moment)
{
  if (moments->index == moments->count) return false;
  const int64_t index = moments->index++;
  *moment = (ss_moment){.most = moments->most};
  if (shape->chunks == 1) return true;
  const int64_t whole = moments->most.whole, round = shape->stages * shape->chunks;
  const bool by_backward = index <= moments->backward;
  const int64_t turns = by_backward ? index : index - moments->backward - 1;
  const int64_t forward = (by_backward ? whole : first_forward_turn(shape, whole)) + turns * shape->stages;
  const int64_t rounds = forward / round, rounds_back = (forward - whole) / round;
  moment->ahead = (rounds - rounds_back) * shape->stages;
  moment->forward = forward - rounds * round;
  moment->backward = forward - whole - rounds_back * round;
  return true;
}

/* Of the first `passes` of a round, those through the chunk that has its turn `turn`-th. */
static int64_t passes_in_turn(int64_t stages, int64_t turn, int64_t passes)
{
  const int64_t rest = passes - turn * stages;
  return rest < 0 ? 0 : smaller(rest, stages);
}

static ss_in_flight held(const ss_pipeline_shape *shape, const ss_moment *moment, int64_t chunk)
{
  const int64_t stages = shape->stages, last = shape->chunks - 1;
  if (last == 0) return moment->most;
  return (ss_in_flight){.whole = moment->ahead + passes_in_turn(stages, chunk, moment->forward) -
                                 passes_in_turn(stages, last - chunk, moment->backward)};
}

const ss_order_methods ss_depth_order = {
    .next = next, .round = round_of, .moments = moments_of, .moment = moment_of, .held = held, .by_depth = true};
