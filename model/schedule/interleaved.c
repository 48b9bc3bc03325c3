#include "model/schedule/interleaved.h"

#include "model/schedule/depth_order.h"
#include "model/schedule/gpipe.h"
#include "model/schedule/one_forward_one_backward.h"
#include "model/schedule/parts.h"
#include "model/schedule/plain.h"

/* A group has at least a micro-batch for each stage, also the last one (forward_backward_pipelining_with_interleaving
 * of Megatron-LM, megatron/core/pipeline_parallel/schedules.py). */
static bool takes_groups(const ss_pipeline_shape *shape)
{
  const int64_t group = ss_shape_group(shape), rest = shape->micro_batches % group;
  return group >= shape->stages && group <= shape->micro_batches && (rest == 0 || rest >= shape->stages);
}

static ss_in_flight depth(const ss_pipeline_shape *shape, int64_t stage)
{
  if (shape->chunks == 1) return ss_one_forward_one_backward_depth(shape, stage);
  if (shape->micro_batches == shape->stages) return ss_gpipe_depth(shape, stage);
  const int64_t warmup = 2 * (shape->stages - stage - 1) + (shape->chunks - 1) * ss_shape_group(shape);
  return (ss_in_flight){.whole = warmup + 1};
}

static double wait_s(const ss_pipeline_shape *shape, int64_t stage, const double *pass_s, double after_s)
{
  if (shape->chunks == 1) return ss_one_forward_one_backward_wait_s(shape, stage, pass_s, after_s);
  return ss_plain_wait_s(shape, stage, pass_s, after_s);
}

const ss_schedule ss_interleaved = {
    .layout = &ss_parts_round,
    .chunks = SS_CHUNKS_GIVEN,
    .order = &ss_depth_order,
    .one_each = true,
    .pairs = true,
    .needs_stages = true,
    .takes = takes_groups,
    .depth = depth,
    .fill_s = ss_plain_fill_s,
    .wait_s = wait_s,
};
