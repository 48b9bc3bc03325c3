#include "model/schedule/one_forward_one_backward.h"

#include "model/base/number.h"
#include "model/schedule/depth_order.h"
#include "model/schedule/parts.h"
#include "model/schedule/plain.h"

ss_in_flight ss_one_forward_one_backward_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_in_flight){.whole = shape->stages - stage};
}

static ss_in_flight eager_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_in_flight){.whole = 2 * (shape->stages - stage) - 1};
}

/* What is left of a wait with so many warm-up passes asked for. */
static double left_s(const ss_pipeline_shape *shape, int64_t asked, const double *pass_s, double after_s)
{
  const int64_t most = shape->micro_batches - 1;
  const double warmup = (double)(asked < most ? asked : most);
  const double forward_s = warmup * pass_s[SS_PASS_FORWARD], backward_s = warmup * pass_s[SS_PASS_BACKWARD];
  const double both_s = ss_max(after_s - forward_s - backward_s, 0.0); /* the waits are one */
  return ss_max(after_s - forward_s, 0.0) + ss_max(after_s - backward_s, 0.0) - both_s;
}

double ss_one_forward_one_backward_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double *pass_s,
                                          double after_s)
{
  return left_s(shape, shape->stages - stage - 1, pass_s, after_s);
}

static double eager_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double *pass_s, double after_s)
{
  return left_s(shape, 2 * (shape->stages - stage - 1), pass_s, after_s);
}

const ss_schedule ss_one_forward_one_backward = {
    .layout = &ss_parts_round,
    .chunks = 1,
    .order = &ss_depth_order,
    .one_each = true,
    .pairs = true,
    .takes = ss_plain_takes,
    .depth = ss_one_forward_one_backward_depth,
    .fill_s = ss_plain_fill_s,
    .wait_s = ss_one_forward_one_backward_wait_s,
};

const ss_schedule ss_eager_one_forward_one_backward = {
    .layout = &ss_parts_round,
    .chunks = 1,
    .order = &ss_depth_order,
    .pairs = true,
    .needs_stages = true,
    .takes = ss_plain_takes,
    .depth = eager_depth,
    .fill_s = ss_plain_fill_s,
    .wait_s = eager_wait_s,
};
