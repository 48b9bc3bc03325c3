#include "model/schedule/gpipe.h"

#include "model/schedule/depth_order.h"
#include "model/schedule/parts.h"
#include "model/schedule/plain.h"

ss_in_flight ss_gpipe_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  (void)stage;
  return (ss_in_flight){.whole = ss_shape_passes(shape)};
}

const ss_schedule ss_gpipe = {
    .layout = &ss_parts_round,
    .chunks = 1,
    .order = &ss_depth_order,
    .takes = ss_plain_takes,
    .depth = ss_gpipe_depth,
    .fill_s = ss_plain_fill_s,
    .wait_s = ss_plain_wait_s,
};
