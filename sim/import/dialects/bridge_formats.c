/* src/megatron/bridge/training/mixed_precision.py of NVIDIA-NeMo/Megatron-Bridge. */
#include "sim/import/dialects/bridge_formats.h"

#include <stdio.h>
#include <string.h>

#include "model/base/dotted.h"
#include "model/input/origin.h"
#include "sim/import/dialects/bridge_sections.h"
#include "sim/import/dialects/megatron_formats.h"

/* Of SS_VALUE_RECIPE: what a section has that does not say it. */
enum { TENSORWISE = 2 };

/* Recipes by their names: 1 for bf16 and 2 for
 * fp16 besides, fp8_param_gather or fp4_param_gather, grad_reduce_in_fp32, and how many layers at either end stay in 16
 * bits. The last one is what MixedPrecisionConfig has where a section does not say it. */
static const struct mixed {
  const char *name;
  ss_precision precision;
  int base;
  bool gathers, sums_in_fp32;
  int first, last;
} mixed[] = {{"bf16_mixed", SS_PRECISION_BF16, 1, false, true, 0, 0},
             {"fp16_mixed", SS_PRECISION_FP16, 2, false, false, 0, 0},
             {"bf16_with_fp8_delayed_scaling_mixed", SS_PRECISION_FP8, 1, true, true, 0, 0},
             {"fp16_with_fp8_delayed_scaling_mixed", SS_PRECISION_FP8, 2, true, false, 0, 0},
             {"bf16_with_mxfp8_mixed", SS_PRECISION_MXFP8, 1, true, true, 0, 0},
             {"fp16_with_mxfp8_mixed", SS_PRECISION_MXFP8, 2, true, false, 0, 0},
             {"bf16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_CURRENT, 1, true, true, 1, 1},
             {"nemotron_h_bf16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_CURRENT, 1, true, true, 2, 2},
             {"nanov2_bf16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_BLOCK, 1, true, true, 2, 2},
             {"fp16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_CURRENT, 2, true, false, 1, 1},
             {"bf16_with_fp8_subchannel_scaling_mixed", SS_PRECISION_FP8_BLOCK, 1, false, true, 0, 0},
             {"fp16_with_fp8_subchannel_scaling_mixed", SS_PRECISION_FP8_BLOCK, 2, false, false, 0, 0},
             {"bf16_with_nvfp4_mixed", SS_PRECISION_NVFP4, 1, true, true, 0, 0},
             {"nemotron_3_super_bf16_with_nvfp4_mixed", SS_PRECISION_NVFP4, 1, true, true, 0, 14},
             {NULL, SS_PRECISION_BF16, 1, false, true, 0, 0}};

static const char mixed_class[] = "megatron.bridge.training.mixed_precision.MixedPrecisionConfig";

/* get_mixed_precision_config takes names with - as well. */
static bool is_named(const char *recipe, const char *name)
{
  for (; *recipe != '\0' && (*name == '-' ? '_' : *name) == *recipe; ++recipe) ++name;
  return *recipe == *name;
}

static const struct mixed *mixed_of(const char *name)
{
  const struct mixed *row = mixed;
  while (row->name != NULL && !is_named(row->name, name)) ++row;
  return row->name != NULL ? row : NULL;
}

static ss_status refuse_mixed(const ss_sheet *s, ss_sheet_text which, ss_error *error)
{
  char problem[SS_MESSAGE_SIZE / 2] = "is no recipe of mixed_precision; allowed:";
  for (const struct mixed *row = mixed; row->name != NULL; ++row) {
    const size_t used = strlen(problem);
    (void)snprintf(problem + used, sizeof problem - used, " %s", row->name);
  }
  return ss_sheet_refuse(s, which, problem, error);
}

/* What a section or a recipe has where no setting says it. */
static void fill(ss_sheet *s, ss_sheet_value which, double value, int line)
{
  if (s->value[which] != SS_NOT_GIVEN) return;
  s->value[which] = value;
  s->value_line[which] = line;
}

static void fill_mixed(ss_sheet *s, const struct mixed *row, int line)
{
  const ss_megatron_format *own = ss_megatron_format_of(row->precision);
  fill(s, SS_VALUE_BASE, row->base, line);
  fill(s, SS_VALUE_FP8, own->fp8, line);
  fill(s, SS_VALUE_RECIPE, row->name != NULL ? own->recipe : TENSORWISE, line);
  fill(s, SS_VALUE_WGRAD8, 1.0, line);
  fill(s, SS_VALUE_FP4, own->fp4, line);
  fill(s, SS_VALUE_GATHERED_8, row->gathers && own->fp4 == 0, line);
  fill(s, SS_VALUE_GATHERED_4, row->gathers && own->fp4 != 0, line);
  fill(s, SS_VALUE_HALVES, row->first + row->last > 0, line);
  fill(s, SS_VALUE_FIRST_HALVES, row->first, line);
  fill(s, SS_VALUE_LAST_HALVES, row->last, line);
  if (!s->is_set[SS_AT_training_gradients])
    ss_import_set(s->import, SS_AT_training_gradients, row->sums_in_fp32 ? SS_GRADIENTS_FP32 : SS_GRADIENTS_16BIT,
                  line > 0 ? line : 1);
}

/* Of a section, which has a class or a function that is a recipe, or says neither and is of that class. */
static ss_status read_section(ss_sheet *s, ss_error *error)
{
  const char *whole = s->text[SS_KEPT_MIXED_CLASS], *own = ss_last_name(whole);
  const bool is_class = whole[0] == '\0' || strcmp(own, ss_last_name(mixed_class)) == 0;
  if (whole[0] == '\0' && s->workload->line[SS_AT_training_gradients] > 0) return SS_OK; /* fields over a recipe */
  const struct mixed *row = is_class ? &mixed[sizeof mixed / sizeof mixed[0] - 1] : mixed_of(own);
  if (row == NULL) return refuse_mixed(s, SS_KEPT_MIXED_CLASS, error);
  fill_mixed(s, row, s->text_line[SS_KEPT_MIXED_CLASS]);
  return SS_OK;
}

ss_status ss_bridge_read_formats(ss_sheet *s, ss_error *error)
{
  const char *name = s->text[SS_KEPT_MIXED];
  const struct mixed *row = name[0] != '\0' ? mixed_of(name) : NULL;
  if (row != NULL) fill_mixed(s, row, s->text_line[SS_KEPT_MIXED]);
  if (name[0] != '\0') return row != NULL ? SS_OK : refuse_mixed(s, SS_KEPT_MIXED, error);
  return ss_bridge_has_section(s->settings, ss_bridge_mixed_precision) ? read_section(s, error) : SS_OK;
}

ss_gradients ss_bridge_gradients(const ss_workload *w)
{
  if (w->training.gradients != SS_GRADIENTS_AUTO) return w->training.gradients;
  return w->training.precision == SS_PRECISION_FP16 ? SS_GRADIENTS_16BIT : SS_GRADIENTS_FP32;
}

/* The recipe that a job is; NULL: it is none. Those of fp16 are for jobs that have it, whose losses are scaled. */
static const struct mixed *mixed_like(const ss_workload *w)
{
  for (const struct mixed *row = mixed; row->name != NULL; ++row) {
    const bool alike = row->precision == w->training.precision &&
                       row->gathers == (w->training.weights_type == SS_AS_OPERANDS) &&
                       row->sums_in_fp32 == (ss_bridge_gradients(w) == SS_GRADIENTS_FP32) &&
                       row->first == w->training.bf16_first_layers && row->last == w->training.bf16_last_layers;
    if (alike && (row->base == 2) == (row->precision == SS_PRECISION_FP16)) return row;
  }
  return NULL;
}

bool ss_bridge_mixes(const ss_workload *w)
{
  return mixed_like(w) == NULL;
}

void ss_bridge_write_formats(ss_sheet *s)
{
  const struct mixed *row = mixed_like(s->workload);
  (void)snprintf(s->text[row != NULL ? SS_KEPT_MIXED : SS_KEPT_MIXED_CLASS], SS_TEXT_SIZE, "%s",
                 row != NULL ? row->name : mixed_class);
}

static bool mixes_in(const ss_workload *w, ss_precision first, ss_precision last)
{
  return ss_bridge_mixes(w) && w->training.precision >= first && w->training.precision <= last;
}

bool ss_bridge_mixes_fp16(const ss_workload *w)
{
  return mixes_in(w, SS_PRECISION_FP16, SS_PRECISION_FP16);
}

bool ss_bridge_mixes_bf16(const ss_workload *w)
{
  return ss_bridge_mixes(w) && !ss_bridge_mixes_fp16(w);
}

bool ss_bridge_mixes_fp4(const ss_workload *w)
{
  return mixes_in(w, SS_PRECISION_NVFP4, SS_PRECISION_NVFP4);
}

bool ss_bridge_mixes_no_fp4(const ss_workload *w)
{
  return ss_bridge_mixes(w) && !ss_bridge_mixes_fp4(w);
}

bool ss_bridge_mixes_no_fp8(const ss_workload *w)
{
  return mixes_in(w, SS_PRECISION_BF16, SS_PRECISION_FP16) || ss_bridge_mixes_fp4(w);
}

bool ss_bridge_mixes_delayed(const ss_workload *w)
{
  return mixes_in(w, SS_PRECISION_FP8, SS_PRECISION_FP8_WGRAD16);
}

bool ss_bridge_reuses_buffers(const ss_workload *w)
{
  return w->training.precision == SS_PRECISION_MXFP8 && w->training.weights_type == SS_AS_OPERANDS &&
         w->parallelism.sharding < SS_SHARDING_GRADIENTS;
}

bool ss_bridge_mixes_buffers(const ss_workload *w)
{
  return ss_bridge_mixes(w) && ss_bridge_reuses_buffers(w);
}
