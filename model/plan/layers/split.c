#include "model/plan/layers/split.h"

#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/layers/layout_text.h"

/* Layers of a stage, with the ends that count as layers: of the first, the last, and each of the others. */
typedef struct shares {
  int64_t first, last, other;
} shares;

/* Parts of a copy of the model on a stage. */
static int64_t stage_parts(const ss_pipeline_shape *shape)
{
  return shape->chunks / shape->schedule->layout->copies;
}

/* False where the stages without a number of their own have no even share of at least one layer each. */
static bool share_out(const ss_workload *w, int64_t stages, shares *s)
{
  const int64_t first = w->parallelism.first_stage_layers, last = w->parallelism.last_stage_layers;
  const int64_t ends = (w->parallelism.account_for_embedding == SS_YES) + (w->parallelism.account_for_loss == SS_YES);
  const int64_t layers = w->model.layers + ends, rest = layers - first - last;
  const int64_t others = stages - (first != SS_DERIVED) - (last != SS_DERIVED);
  *s = (shares){first, last, others > 0 ? rest / others : 0};
  if (stages == 1) {
    *s = (shares){layers, layers, layers};
    return (first == SS_DERIVED || first == layers) && (last == SS_DERIVED || last == layers);
  }
  if (first == SS_DERIVED) s->first = s->other;
  if (last == SS_DERIVED) s->last = s->other;
  return others == 0 ? rest == 0 : rest >= others && rest % others == 0;
}

/* Parts that have only layers of a tower, unless a layout says which these are. */
static int64_t tower_parts(const ss_workload *workload)
{
  return workload->parallelism.layout[0] != '\0' ? 0 : workload->parallelism.vision_stages;
}

bool ss_split_is_even(const ss_workload *workload, const ss_pipeline_shape *shape)
{
  const int64_t parts = stage_parts(shape), others = ss_shape_parts(shape) - tower_parts(workload);
  shares s;
  if (workload->parallelism.layout[0] != '\0') return true;
  if (others < ss_shape_parts(shape)) return others > 0 && share_out(workload, others, &s);
  if (!share_out(workload, shape->stages, &s)) return false;
  return s.first % parts == 0 && s.last % parts == 0 && s.other % parts == 0;
}

/* The decoder on parts of its own, each as if it were a stage. */
static void fill_behind_tower(const ss_workload *workload, int64_t count, ss_virtual_stage *part)
{
  shares s;
  SS_ASSERT(share_out(workload, count, &s));
  for (int64_t i = 0; i < count; ++i) part[i].layers = i == 0 ? s.first : i == count - 1 ? s.last : s.other;
}

static void fill_by_stage(const ss_workload *workload, const ss_pipeline_shape *shape, ss_virtual_stage *part)
{
  const int64_t count = ss_shape_parts(shape);
  shares s;
  SS_ASSERT(share_out(workload, shape->stages, &s));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t stage = ss_schedule_chunk(shape, (ss_model_part){.index = i}).stage;
    const int64_t layers = stage == 0 ? s.first : stage == shape->stages - 1 ? s.last : s.other;
    part[i].layers = layers / stage_parts(shape);
  }
}

/* Layers of a tower, of which earlier parts have one more where they do not divide. */
static void fill_tower(int64_t layers, int64_t count, ss_virtual_stage *part)
{
  for (int64_t i = 0; i < count; ++i) part[i].vision = layers / count + (i < layers % count);
}

static void fill_evenly(const ss_workload *workload, const ss_pipeline_shape *shape, ss_virtual_stage *part)
{
  const int64_t count = ss_shape_parts(shape), first = tower_parts(workload);
  for (int64_t i = 0; i < count; ++i) part[i] = (ss_virtual_stage){0};
  fill_tower(workload->model.vision_layers, first > 0 ? first : 1, part);
  if (first > 0)
    fill_behind_tower(workload, count - first, part + first);
  else
    fill_by_stage(workload, shape, part);
  part[count - 1].modules = workload->model.mtp_modules;
  part[first].layers -= workload->parallelism.account_for_embedding == SS_YES;
  part[count - 1].layers -= workload->parallelism.account_for_loss == SS_YES;
}

/* A tower of which a layout says nothing is ahead of the embedding, in its part. */
static void fill_as_laid_out(const ss_workload *workload, ss_virtual_stage *part)
{
  ss_layout_reader reader = ss_layout_read(workload->parallelism.layout);
  int64_t vision = 0;
  *part = (ss_virtual_stage){0};
  for (ss_layout_element element; ss_layout_next(&reader, &element);) {
    part->layers += element == SS_LAYOUT_LAYER;
    part->modules += element == SS_LAYOUT_MODULE;
    part->vision += element == SS_LAYOUT_VISION;
    vision += element == SS_LAYOUT_VISION;
    if (element == SS_LAYOUT_EMBEDDING && vision == 0) part->vision = workload->model.vision_layers;
    if (element == SS_LAYOUT_END) *++part = (ss_virtual_stage){0};
  }
}

/* The ends of the tower, the embedding, and what parts send on. */
static void place_ends(const ss_workload *workload, int64_t count, ss_virtual_stage *part)
{
  const int64_t embedding = ss_split_embedding_part(workload);
  int64_t projector = embedding;
  part[embedding].embedding = true;
  part[0].patches = ss_has_tower(workload);
  while (projector > 0 && part[projector].vision == 0) --projector;
  part[projector].projector = ss_has_tower(workload);
  for (int64_t i = 1; i < count; ++i) part[i].vision_first = part[i - 1].vision_first + part[i - 1].vision;
  for (int64_t i = 0; i < embedding; ++i) part[i].cargo = i < projector ? SS_CARGO_PATCHES : SS_CARGO_IMAGES;
  for (int64_t i = embedding; i < count; ++i) {
    const bool modules = part[i].modules > 0 || (i > embedding && part[i - 1].cargo == SS_CARGO_MODULES);
    part[i].cargo = modules ? SS_CARGO_MODULES : SS_CARGO_STATES;
  }
}

void ss_split_fill(const ss_workload *workload, const ss_pipeline_shape *shape, ss_virtual_stage *part)
{
  if (workload->parallelism.layout[0] != '\0')
    fill_as_laid_out(workload, part);
  else
    fill_evenly(workload, shape, part);
  place_ends(workload, ss_shape_parts(shape), part);
}

/* The part of a layout that has the first element of a kind. */
static int64_t part_with(const char *layout, ss_layout_element first)
{
  ss_layout_reader reader = ss_layout_read(layout);
  int64_t part = 0;
  for (ss_layout_element element; ss_layout_next(&reader, &element) && element != first;)
    part += element == SS_LAYOUT_END;
  return part;
}

int64_t ss_split_embedding_part(const ss_workload *workload)
{
  const char *layout = workload->parallelism.layout;
  return layout[0] == '\0' ? tower_parts(workload) : part_with(layout, SS_LAYOUT_EMBEDDING);
}

int64_t ss_split_module_part(const ss_workload *workload, const ss_pipeline_shape *shape)
{
  if (workload->model.mtp_modules == 0) return -1;
  if (workload->parallelism.layout[0] == '\0') return ss_shape_parts(shape) - 1;
  return part_with(workload->parallelism.layout, SS_LAYOUT_MODULE);
}

int64_t ss_split_parts_max(const ss_workload *workload)
{
  const int64_t even = workload->model.layers + workload->model.vision_layers + 2; /* ends can be parts by themselves */
  const int64_t laid_out = ss_layout_sum_of(workload->parallelism.layout).parts;
  return laid_out > even ? laid_out : even;
}
