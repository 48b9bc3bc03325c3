#include "model/plan/split.h"

#include "model/input/workload.h"
#include "model/plan/layout_text.h"

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

bool ss_split_is_even(const ss_workload *workload, const ss_pipeline_shape *shape)
{
  const int64_t parts = stage_parts(shape);
  shares s;
  if (workload->parallelism.layout[0] != '\0') return true;
  if (!share_out(workload, shape->stages, &s)) return false;
  return s.first % parts == 0 && s.last % parts == 0 && s.other % parts == 0;
}

static void fill_evenly(const ss_workload *workload, const ss_pipeline_shape *shape, ss_virtual_stage *part)
{
  const int64_t count = ss_shape_parts(shape);
  shares s;
  SS_ASSERT(share_out(workload, shape->stages, &s));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t stage = ss_schedule_chunk(shape, (ss_model_part){.index = i}).stage;
    const int64_t layers = stage == 0 ? s.first : stage == shape->stages - 1 ? s.last : s.other;
    part[i] = (ss_virtual_stage){.layers = layers / stage_parts(shape)};
  }
  part[count - 1].modules = workload->model.mtp_modules;
  part[0].layers -= workload->parallelism.account_for_embedding == SS_YES;
  part[count - 1].layers -= workload->parallelism.account_for_loss == SS_YES;
}

static void fill_as_laid_out(const char *layout, ss_virtual_stage *part)
{
  ss_layout_reader reader = ss_layout_read(layout);
  *part = (ss_virtual_stage){0};
  for (ss_layout_element element; ss_layout_next(&reader, &element);) {
    part->layers += element == SS_LAYOUT_LAYER;
    part->modules += element == SS_LAYOUT_MODULE;
    if (element == SS_LAYOUT_END) *++part = (ss_virtual_stage){0};
  }
}

void ss_split_fill(const ss_workload *workload, const ss_pipeline_shape *shape, ss_virtual_stage *part)
{
  const int64_t count = ss_shape_parts(shape);
  if (workload->parallelism.layout[0] != '\0')
    fill_as_laid_out(workload->parallelism.layout, part);
  else
    fill_evenly(workload, shape, part);
  for (int64_t i = 0; i < count; ++i) part[i].states = part[i].modules + (i > 0 ? part[i - 1].states : 1);
}

int64_t ss_split_module_part(const ss_workload *workload, const ss_pipeline_shape *shape)
{
  if (workload->model.mtp_modules == 0) return -1;
  if (workload->parallelism.layout[0] == '\0') return ss_shape_parts(shape) - 1;
  ss_layout_reader reader = ss_layout_read(workload->parallelism.layout);
  int64_t part = 0;
  for (ss_layout_element element; ss_layout_next(&reader, &element) && element != SS_LAYOUT_MODULE;)
    part += element == SS_LAYOUT_END;
  return part;
}

int64_t ss_split_parts_max(const ss_workload *workload)
{
  const int64_t even = workload->model.layers + 2; /* ends of the model can be parts by themselves */
  const int64_t laid_out = ss_layout_sum_of(workload->parallelism.layout).parts;
  return laid_out > even ? laid_out : even;
}
