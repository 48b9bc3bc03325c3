#include "model/schedule/schedule.h"

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/input/workload.h"
#include "model/schedule/gpipe.h"
#include "model/schedule/interleaved.h"
#include "model/schedule/one_forward_one_backward.h"
#include "model/schedule/v_schedules.h"
#include "model/schedule/zero_bubble.h"

static const ss_schedule *const schedules[] = {
    [SS_PIPELINE_GPIPE] = &ss_gpipe,
    [SS_PIPELINE_1F1B] = &ss_one_forward_one_backward,
    [SS_PIPELINE_EAGER_1F1B] = &ss_eager_one_forward_one_backward,
    [SS_PIPELINE_INTERLEAVED] = &ss_interleaved,
    [SS_PIPELINE_ZERO_BUBBLE_1] = &ss_zero_bubble_1,
    [SS_PIPELINE_ZERO_BUBBLE_2] = &ss_zero_bubble_2,
    [SS_PIPELINE_V_MIN] = &ss_v_min,
    [SS_PIPELINE_V_HALF] = &ss_v_half,
    [SS_PIPELINE_V_ZB] = &ss_v_zero_bubble,
    [SS_PIPELINE_DUALPIPE_V] = &ss_dualpipe_v,
    [SS_PIPELINE_DUALPIPE] = &ss_dualpipe,
};

const ss_schedule *ss_schedule_of(ss_pipeline pipeline)
{
  return schedules[pipeline];
}

int64_t ss_schedule_copies_max(void)
{
  int64_t most = 1;
  for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; ++i)
    if (schedules[i]->layout->copies > most) most = schedules[i]->layout->copies;
  return most;
}

ss_pipeline_shape ss_pipeline_shape_of(const ss_workload *workload)
{
  const ss_schedule *schedule = ss_schedule_of(workload->schedule.pipeline);
  const bool given = schedule->chunks == SS_CHUNKS_GIVEN;
  return (ss_pipeline_shape){.schedule = schedule,
                             .stages = workload->parallelism.pp,
                             .micro_batches = ss_workload_micro_batches(workload),
                             .chunks = given ? workload->parallelism.interleave : schedule->chunks,
                             .group = workload->schedule.interleave_group,
                             .pairs = schedule->pairs && workload->schedule.overlap_ep != SS_EP_OVERLAP_NONE};
}

int64_t ss_pipeline_even_layers(const ss_workload *workload)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(workload);
  const int64_t parts = ss_shape_parts(&shape);
  return ss_divide_up(workload->model.layers, parts);
}

ss_model_part ss_schedule_part(const ss_pipeline_shape *shape, ss_chunk chunk)
{
  return shape->schedule->layout->part_of(shape, chunk);
}

ss_chunk ss_schedule_chunk(const ss_pipeline_shape *shape, ss_model_part part)
{
  return shape->schedule->layout->chunk_of(shape, part);
}

int64_t ss_schedule_holder(const ss_pipeline_shape *shape, int64_t stage, int64_t copy)
{
  if (shape->schedule->layout->copies == 1) return stage;
  const int64_t index = ss_schedule_part(shape, (ss_chunk){.stage = stage}).index;
  return ss_schedule_chunk(shape, (ss_model_part){copy, index}).stage;
}

/* The chunk so many parts of the model further on, in the same copy; false beyond its ends. */
static bool chunk_beside(const ss_pipeline_shape *shape, ss_chunk chunk, int64_t parts, ss_chunk *other)
{
  ss_model_part part = ss_schedule_part(shape, chunk);
  part.index += parts;
  if (part.index < 0 || part.index >= ss_shape_parts(shape)) return false;
  *other = ss_schedule_chunk(shape, part);
  return true;
}

bool ss_schedule_receiver(const ss_pipeline_shape *shape, ss_chunk chunk, ss_pass pass, ss_chunk *receiver)
{
  return pass != SS_PASS_WEIGHT && chunk_beside(shape, chunk, pass == SS_PASS_FORWARD ? 1 : -1, receiver);
}

bool ss_schedule_sender(const ss_pipeline_shape *shape, ss_chunk chunk, ss_pass pass, ss_chunk *sender)
{
  return pass != SS_PASS_WEIGHT && chunk_beside(shape, chunk, pass == SS_PASS_FORWARD ? -1 : 1, sender);
}

double ss_schedule_fill_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES])
{
  return shape->schedule->walks ? 0.0 : shape->schedule->fill_s(shape, pass_s);
}

double ss_schedule_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double pass_s[SS_PASSES], double after_s)
{
  return shape->schedule->wait_s(shape, stage, pass_s, after_s);
}

int64_t ss_schedule_length(const ss_pipeline_shape *shape)
{
  return (shape->schedule->splits_backward ? 3 : 2) * ss_shape_passes(shape);
}

ss_moments ss_schedule_moments(const ss_pipeline_shape *shape, int64_t stage)
{
  return shape->schedule->order->moments(shape, stage);
}

bool ss_schedule_moment(const ss_pipeline_shape *shape, ss_moments *moments, ss_moment *moment)
{
  return shape->schedule->order->moment(shape, moments, moment);
}

ss_in_flight ss_schedule_held(const ss_pipeline_shape *shape, const ss_moment *moment, int64_t chunk)
{
  return shape->schedule->order->held(shape, moment, chunk);
}

ss_order ss_order_start(const ss_pipeline_shape *shape, int64_t stage)
{
  SS_ASSERT(shape->chunks == 1 || shape->schedule->takes(shape));
  ss_order order = {.shape = *shape, .stage = stage};
  if (shape->schedule->order->by_depth) order.most = ss_schedule_in_flight(shape, stage);
  return order;
}

bool ss_order_next(ss_order *order, ss_turns *turns)
{
  return order->shape.schedule->order->next(order, turns);
}

int64_t ss_order_round(const ss_order *order)
{
  return order->shape.schedule->order->round(&order->shape) * order->shape.chunks;
}

int64_t ss_order_rounds_after(const ss_order *order, int64_t passes)
{
  const int64_t round = ss_order_round(order), all = ss_shape_passes(&order->shape);
  const int64_t left = all - all % round - passes;
  return left > 0 ? left / round : 0;
}

void ss_order_skip(ss_order *order, int64_t rounds)
{
  const int64_t passes = rounds * ss_order_round(order);
  for (int pass = 0; pass < SS_PASSES; ++pass)
    if (pass != SS_PASS_WEIGHT || order->shape.schedule->splits_backward) order->count[pass] += passes;
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
