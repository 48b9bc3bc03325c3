#include "model/schedule/zero_bubble.h"

#include "model/schedule/depth_order.h"
#include "model/schedule/parts.h"
#include "model/schedule/plain.h"

static ss_in_flight depth_1(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_in_flight){.whole = shape->stages - stage, .halves = stage};
}

static ss_in_flight depth_2(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_in_flight){.whole = 2 * (shape->stages - stage) - 1, .halves = 2 * stage};
}

const ss_schedule ss_zero_bubble_1 = {
    .layout = &ss_parts_round,
    .chunks = 1,
    .order = &ss_depth_order,
    .needs_stages = true,
    .splits_backward = true,
    .walks = true,
    .takes = ss_plain_takes,
    .depth = depth_1,
};

const ss_schedule ss_zero_bubble_2 = {
    .layout = &ss_parts_round,
    .chunks = 1,
    .order = &ss_depth_order,
    .needs_stages = true,
    .splits_backward = true,
    .runs_into_next = true,
    .walks = true,
    .takes = ss_plain_takes,
    .depth = depth_2,
};
