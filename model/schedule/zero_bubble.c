#include "model/schedule/zero_bubble.h"

#include "model/base/number.h"
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

/* Forward and backward of a stage, less the weight passes that fill the gap: up to `most`, as far as there are any. */
static double filled_s(const ss_pipeline_shape *shape, const double *pass_s, double most)
{
  const double gaps = (double)(shape->stages > 1 ? shape->stages - 1 : 1);
  const double fills = ss_min(most, (double)(shape->micro_batches - 1) / gaps);
  return pass_s[SS_PASS_FORWARD] + pass_s[SS_PASS_BACKWARD] - fills * pass_s[SS_PASS_WEIGHT];
}

static double fill_1_s(const ss_pipeline_shape *shape, const double *pass_s)
{
  return ss_max(filled_s(shape, pass_s, 1.0), ss_max(pass_s[SS_PASS_FORWARD], pass_s[SS_PASS_BACKWARD]));
}

static double fill_2_s(const ss_pipeline_shape *shape, const double *pass_s)
{
  return ss_max(filled_s(shape, pass_s, 2.0), ss_max(pass_s[SS_PASS_BACKWARD] - pass_s[SS_PASS_FORWARD], 0.0));
}

const ss_schedule ss_zero_bubble_1 = {
    .layout = &ss_parts_round,
    .chunks = 1,
    .order = &ss_depth_order,
    .needs_stages = true,
    .splits_backward = true,
    .takes = ss_plain_takes,
    .depth = depth_1,
    .fill_s = fill_1_s,
    .wait_s = ss_plain_wait_s,
};

const ss_schedule ss_zero_bubble_2 = {
    .layout = &ss_parts_round,
    .chunks = 1,
    .order = &ss_depth_order,
    .needs_stages = true,
    .splits_backward = true,
    .runs_into_next = true,
    .takes = ss_plain_takes,
    .depth = depth_2,
    .fill_s = fill_2_s,
    .wait_s = ss_plain_wait_s,
};
