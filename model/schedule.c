#include "model/schedule.h"

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Both schedules are: a warm-up of forward passes, pairs of one forward and one backward, the rest backward. */
static int64_t gpipe_warmup(int64_t stage, int64_t stages, int64_t micro_batches)
{
  (void)stage;
  (void)stages;
  return micro_batches;
}

static int64_t one_forward_one_backward_warmup(int64_t stage, int64_t stages, int64_t micro_batches)
{
  return smaller(stages - stage - 1, micro_batches);
}

static int64_t warmup(ss_pipeline pipeline, int64_t stage, int64_t stages, int64_t micro_batches)
{
  static int64_t (*const warmups[])(int64_t, int64_t, int64_t) = {
      [SS_PIPELINE_GPIPE] = gpipe_warmup, [SS_PIPELINE_1F1B] = one_forward_one_backward_warmup};
  return warmups[pipeline](stage, stages, micro_batches);
}

ss_work ss_schedule_work(ss_pipeline pipeline, int64_t stage, int64_t stages, int64_t micro_batches, int64_t index)
{
  const int64_t head = warmup(pipeline, stage, stages, micro_batches);
  const int64_t pairs = micro_batches - head;
  if (index < head) return (ss_work){false, index};
  const int64_t step = index - head;
  if (step >= 2 * pairs) return (ss_work){true, step - pairs};
  return step % 2 == 0 ? (ss_work){false, head + step / 2} : (ss_work){true, step / 2};
}

int64_t ss_schedule_in_flight(ss_pipeline pipeline, int64_t stage, int64_t stages, int64_t micro_batches)
{
  return smaller(warmup(pipeline, stage, stages, micro_batches) + 1, micro_batches);
}
