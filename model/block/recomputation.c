#include "model/block/recomputation.h"

#include "model/base/number.h"
#include "model/input/workload.h"

bool ss_builder_recomputes_logits(const ss_builder *b)
{
  return ss_builder_is_selective(b) && b->workload->training.recompute_modules == 0;
}

bool ss_builder_recomputes_whole(const ss_builder *b)
{
  const bool grouped = b->workload->training.recompute_method == SS_RECOMPUTE_UNIFORM && b->layer;
  return b->workload->training.recompute == SS_RECOMPUTE_FULL && (b->recomputes || grouped);
}

void ss_builder_recompute_whole(ss_builder *b)
{
  if (!ss_builder_recomputes_whole(b)) return;
  for (int64_t i = 0; i < b->count; ++i) b->operation[i].remade_bytes = b->operation[i].stored_bytes;
  ss_builder_run_again_first(b, 0, b->count);
}

bool ss_builder_offloads(const ss_builder *b, ss_offload_module module)
{
  return (b->workload->training.offload_modules & SS_WORD_BIT(module)) != 0;
}

void ss_builder_keep_input(ss_builder *b, ss_recompute_module module, double bytes)
{
  if (ss_builder_recomputes(b, module) && bytes > 0.0) ss_builder_add(b, (ss_operation){.stored_bytes = bytes});
}

int64_t ss_builder_open(ss_builder *b, ss_recompute_module module)
{
  const int64_t first = b->count;
  if (ss_builder_keeps_gathered(b) || b->recipe->weight_gradient != SS_FORMAT_16BIT)
    ss_builder_keep_input(b, module, SS_ELEMENT_BYTES * b->own_tokens * b->own_hidden);
  if (ss_builder_recomputes(b, SS_RECOMPUTE_LAYERNORM)) ss_builder_remake(b, first, b->count);
  return b->count;
}

/* All that the operations of a checkpoint store is made again before their gradients. */
void ss_builder_close(ss_builder *b, ss_recompute_module module, int64_t first)
{
  if (!ss_builder_recomputes(b, module)) return;
  ss_builder_remake(b, first, b->count);
  ss_builder_run_again(b, first, b->count);
}

void ss_builder_remake(ss_builder *b, int64_t first, int64_t end)
{
  for (int64_t i = first; i < end; ++i)
    if (!b->operation[i].keeps_norm) b->operation[i].remade_bytes = b->operation[i].stored_bytes;
}

/* What is made again from `first` on, and not by a region inside. */
static double remade_bytes(const ss_builder *b, int64_t first)
{
  double bytes = 0.0;
  for (int64_t i = first; i < b->count; ++i) bytes += b->operation[i].remade_bytes;
  for (int64_t i = 0; i < b->regions; ++i)
    if (b->region[i].first >= first) bytes -= b->region[i].remade_bytes;
  return bytes;
}

void ss_builder_run_again(ss_builder *b, int64_t first, int64_t end)
{
  ss_builder_add_region(
      b, (ss_region){.first = first, .end = end, .before = b->count, .remade_bytes = remade_bytes(b, first)});
}

void ss_builder_run_again_first(ss_builder *b, int64_t first, int64_t end)
{
  ss_builder_add_region(
      b, (ss_region){.first = first, .end = end, .before = SS_OPERATIONS_MAX, .remade_bytes = remade_bytes(b, first)});
}

void ss_builder_offload(ss_builder *b, ss_offload_module module, int64_t first)
{
  for (int64_t i = first; i < b->count && ss_builder_offloads(b, module); ++i) b->operation[i].offloaded = true;
}

void ss_builder_add_input_norm(ss_builder *b, ss_activity activity, ss_offload_module module)
{
  b->norm_first = b->count;
  ss_builder_add_norm(b, activity, b->hidden);
  b->norm_end = b->count;
  ss_builder_offload(b, module, b->norm_first);
}

void ss_builder_end_input_norm(ss_builder *b)
{
  if (ss_builder_recomputes(b, SS_RECOMPUTE_LAYERNORM)) ss_builder_run_again(b, b->norm_first, b->norm_end);
}

int64_t ss_region_start(const ss_builder *b, const ss_region *region)
{
  return (region->before < b->count ? region->before : b->count) - 1;
}

/* Backward comes to the operations from the last to the first: what runs again then is there in addition, and what an
 * operation kept is gone when its gradients are there. */
double ss_builder_working_bytes(const ss_builder *b)
{
  double now = 0.0, most = 0.0;
  for (int64_t i = b->count; b->regions > 0 && i-- > 0;) {
    for (int64_t r = 0; r < b->regions; ++r)
      if (ss_region_start(b, &b->region[r]) == i) now += b->region[r].remade_bytes;
    most = ss_max(most, now);
    now -= b->operation[i].stored_bytes;
  }
  return most;
}
