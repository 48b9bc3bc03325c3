#include "model/schedule/schedule.h"

#include "model/base/number.h"

/* A schedule is how deep a stage goes: it runs forward until it holds `whole` micro-batches, then backward and forward
 * in turn, and does not hold more than `whole` and `halves` together. The functions say how deep if there were no end
 * of micro-batches. */
typedef struct schedule_row {
  ss_in_flight (*depth)(const ss_pipeline_shape *shape, int64_t stage);
  double (*fill_s)(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES]);
  double (*wait_s)(const ss_pipeline_shape *shape, int64_t stage, const double pass_s[SS_PASSES], double after_s);
  ss_schedule_traits traits;
} schedule_row;

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Forward passes of a stage, over its chunks. */
static int64_t forward_passes(const ss_pipeline_shape *shape)
{
  return shape->micro_batches * shape->chunks;
}

static ss_in_flight gpipe_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  (void)stage;
  return (ss_in_flight){.whole = forward_passes(shape)};
}

static ss_in_flight one_forward_one_backward_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_in_flight){.whole = shape->stages - stage};
}

static ss_in_flight interleaved_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  if (shape->chunks == 1) return one_forward_one_backward_depth(shape, stage);
  if (shape->micro_batches == shape->stages) return gpipe_depth(shape, stage);
  const int64_t warmup = 2 * (shape->stages - stage - 1) + (shape->chunks - 1) * shape->stages;
  return (ss_in_flight){.whole = warmup + 1};
}

static ss_in_flight zero_bubble_1_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_in_flight){.whole = shape->stages - stage, .halves = stage};
}

static ss_in_flight zero_bubble_2_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_in_flight){.whole = 2 * (shape->stages - stage) - 1, .halves = 2 * stage};
}

static double plain_fill_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES])
{
  return (pass_s[SS_PASS_FORWARD] + pass_s[SS_PASS_BACKWARD]) / (double)shape->chunks;
}

/* Forward and backward of a stage, less the weight passes that fill the gap: up to `most`, as far as there are any. */
static double filled_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES], double most)
{
  const double gaps = (double)(shape->stages > 1 ? shape->stages - 1 : 1);
  const double fills = ss_min(most, (double)(shape->micro_batches - 1) / gaps);
  return pass_s[SS_PASS_FORWARD] + pass_s[SS_PASS_BACKWARD] - fills * pass_s[SS_PASS_WEIGHT];
}

static double zero_bubble_1_fill_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES])
{
  return ss_max(filled_s(shape, pass_s, 1.0), ss_max(pass_s[SS_PASS_FORWARD], pass_s[SS_PASS_BACKWARD]));
}

static double zero_bubble_2_fill_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES])
{
  return ss_max(filled_s(shape, pass_s, 2.0), ss_max(pass_s[SS_PASS_BACKWARD] - pass_s[SS_PASS_FORWARD], 0.0));
}

static double whole_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double pass_s[SS_PASSES],
                           double after_s)
{
  (void)shape;
  (void)stage;
  (void)pass_s;
  return after_s;
}

static double one_forward_one_backward_wait_s(const ss_pipeline_shape *shape, int64_t stage,
                                              const double pass_s[SS_PASSES], double after_s)
{
  const double warmup = (double)smaller(shape->stages - stage - 1, shape->micro_batches - 1);
  const double forward_s = warmup * pass_s[SS_PASS_FORWARD], backward_s = warmup * pass_s[SS_PASS_BACKWARD];
  const double both_s = ss_max(after_s - forward_s - backward_s, 0.0); /* the waits are one */
  return ss_max(after_s - forward_s, 0.0) + ss_max(after_s - backward_s, 0.0) - both_s;
}

/* With one chunk it is 1f1b. */
static double interleaved_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double pass_s[SS_PASSES],
                                 double after_s)
{
  if (shape->chunks == 1) return one_forward_one_backward_wait_s(shape, stage, pass_s, after_s);
  return whole_wait_s(shape, stage, pass_s, after_s);
}

static const schedule_row schedules[] = {
    [SS_PIPELINE_GPIPE] = {gpipe_depth, plain_fill_s, whole_wait_s, {.splits_backward = false}},
    [SS_PIPELINE_1F1B] = {one_forward_one_backward_depth,
                          plain_fill_s,
                          one_forward_one_backward_wait_s,
                          {.splits_backward = false}},
    [SS_PIPELINE_INTERLEAVED] = {interleaved_depth, plain_fill_s, interleaved_wait_s, {.splits_backward = false}},
    [SS_PIPELINE_ZERO_BUBBLE_1] = {zero_bubble_1_depth, zero_bubble_1_fill_s, whole_wait_s, {.splits_backward = true}},
    [SS_PIPELINE_ZERO_BUBBLE_2] = {zero_bubble_2_depth,
                                   zero_bubble_2_fill_s,
                                   whole_wait_s,
                                   {.splits_backward = true, .runs_into_next = true}},
};

ss_pipeline_shape ss_pipeline_shape_of(const ss_workload *workload)
{
  return (ss_pipeline_shape){.schedule = workload->schedule.pipeline,
                             .stages = workload->parallelism.pp,
                             .micro_batches = ss_workload_micro_batches(workload),
                             .chunks = workload->parallelism.interleave};
}

ss_schedule_traits ss_schedule_traits_of(ss_pipeline schedule)
{
  return schedules[schedule].traits;
}

int64_t ss_schedule_length(const ss_pipeline_shape *shape)
{
  return (ss_schedule_traits_of(shape->schedule).splits_backward ? 3 : 2) * forward_passes(shape);
}

double ss_schedule_fill_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES])
{
  return schedules[shape->schedule].fill_s(shape, pass_s);
}

double ss_schedule_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double pass_s[SS_PASSES], double after_s)
{
  return schedules[shape->schedule].wait_s(shape, stage, pass_s, after_s);
}

ss_in_flight ss_schedule_in_flight(const ss_pipeline_shape *shape, int64_t stage)
{
  const ss_in_flight depth = schedules[shape->schedule].depth(shape, stage);
  const int64_t passes = forward_passes(shape), whole = smaller(depth.whole, passes);
  return (ss_in_flight){.whole = whole, .halves = smaller(depth.halves, passes - whole)};
}

ss_order ss_order_start(const ss_pipeline_shape *shape, int64_t stage)
{
  SS_ASSERT(shape->chunks == 1 || shape->micro_batches % shape->stages == 0);
  return (ss_order){.shape = *shape,
                    .most = ss_schedule_in_flight(shape, stage),
                    .splits_backward = ss_schedule_traits_of(shape->schedule).splits_backward};
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
  const int64_t forward = order->count[SS_PASS_FORWARD];
  const int64_t room = order->most.whole + order->most.halves - (forward - order->count[SS_PASS_WEIGHT]);
  const bool tail = forward == passes;
  ss_pass next[SS_PASSES] = {SS_PASS_BACKWARD};
  turns->passes = 1;
  turns->count = tail ? passes - order->count[SS_PASS_BACKWARD] : passes - forward;
  if (order->splits_backward && (room == 0 || tail))
    next[turns->passes++] = SS_PASS_WEIGHT;
  else if (order->splits_backward)
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

bool ss_order_next(ss_order *order, ss_turns *turns)
{
  const int64_t passes = forward_passes(&order->shape), *count = order->count;
  if (count[SS_PASS_FORWARD] < order->most.whole)
    take_passes(order, SS_PASS_FORWARD, order->most.whole - count[SS_PASS_FORWARD], turns);
  else if (count[SS_PASS_BACKWARD] < passes)
    take_backward_turns(order, passes, turns);
  else if (order->splits_backward && count[SS_PASS_WEIGHT] < passes)
    take_passes(order, SS_PASS_WEIGHT, passes - count[SS_PASS_WEIGHT], turns);
  else
    return false;
  return true;
}

void ss_schedule_emit(const ss_pipeline_shape *shape, int64_t stage, ss_work *work)
{
  ss_order order = ss_order_start(shape, stage);
  for (ss_turns turns; ss_order_next(&order, &turns);)
    for (int64_t turn = 0; turn < turns.count; ++turn)
      for (int64_t i = 0; i < turns.passes; ++i) {
        *work = turns.work[i];
        work++->micro_batch += turn;
      }
}
