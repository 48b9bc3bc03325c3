/* Number formats of Megatron-LM: what products, weights and what is gathered are in. */
#include "sim/import/dialects/megatron_formats.h"

#include <stddef.h>

#include "model/block/recipe.h"
#include "model/input/origin.h"

/* 16 bits, with recipes of Transformer Engine that need a format, too. */
static const ss_megatron_format precisions[] = {
    {SS_PRECISION_BF16, 1, 0, 0, 0, 0},        {SS_PRECISION_FP16, 2, 0, 0, 0, 0},
    {SS_PRECISION_FP8, 1, 1, 1, 0, 0},         {SS_PRECISION_FP8_WGRAD16, 1, 1, 1, 1, 0},
    {SS_PRECISION_FP8_CURRENT, 1, 1, 2, 0, 0}, {SS_PRECISION_FP8_BLOCK, 1, 2, 3, 0, 0},
    {SS_PRECISION_MXFP8, 1, 2, 4, 0, 0},       {SS_PRECISION_NVFP4, 1, 0, 0, 0, 1},
};

static ss_status read_precision(ss_sheet *s, ss_error *error)
{
  const bool fp8 = s->value[SS_VALUE_FP8] > 0.0, fp4 = s->value[SS_VALUE_FP4] > 0.0;
  const int64_t base = ss_sheet_given(s, SS_VALUE_BASE, 0), recipe = fp8 ? ss_sheet_given(s, SS_VALUE_RECIPE, 1) : 0;
  const bool wgrad16 = recipe == 1 && (s->value[SS_VALUE_WGRAD16] > 0.0 || s->value[SS_VALUE_WGRAD8] == 0.0);
  if (fp8 && fp4)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_FP4],
                        "has fp8, in line %d, and fp4 (megatron/core/transformer/transformer_config.py); allowed: one "
                        "of both",
                        s->value_line[SS_VALUE_FP8]);
  if (base == 0 && !fp8 && !fp4) return SS_OK;
  for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; ++i) {
    const bool is = fp4 || fp8 ? precisions[i].fp4 == fp4 && (fp4 || precisions[i].recipe == recipe)
                               : precisions[i].base == base && precisions[i].recipe == 0 && precisions[i].fp4 == 0;
    if (!is || precisions[i].wgrad16 != wgrad16) continue;
    ss_sheet_set(s, SS_AT_training_precision, precisions[i].precision,
                 fp4 ? SS_VALUE_FP4 : (fp8 ? SS_VALUE_FP8 : SS_VALUE_BASE));
    return SS_OK;
  }
  return SS_OK;
}

const ss_megatron_format *ss_megatron_format_of(ss_precision precision)
{
  for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; ++i)
    if (precisions[i].precision == precision) return &precisions[i];
  return NULL;
}

static void write_precision(ss_sheet *s)
{
  const ss_megatron_format *own = ss_megatron_format_of(s->workload->training.precision);
  if (own == NULL) return;
  ss_sheet_give(s, SS_VALUE_BASE, own->base);
  ss_sheet_give(s, SS_VALUE_FP8, own->fp8);
  ss_sheet_give(s, SS_VALUE_RECIPE, own->recipe);
  ss_sheet_give(s, SS_VALUE_WGRAD16, own->wgrad16);
  ss_sheet_give(s, SS_VALUE_FP4, own->fp4);
  if (own->wgrad16) s->value[SS_VALUE_WGRAD8] = 0.0;
}

/* Weights as products take them: fp8_param_gather, or fp4_param_gather. */
static ss_status read_weights(ss_sheet *s, ss_error *error)
{
  const bool fp4 = s->workload->training.precision == SS_PRECISION_NVFP4;
  const ss_sheet_value which = fp4 ? SS_VALUE_GATHERED_4 : SS_VALUE_GATHERED_8;
  (void)error;
  if (s->value[which] != SS_NOT_GIVEN)
    ss_sheet_set(s, SS_AT_training_weights_type, s->value[which] > 0.0 ? SS_AS_OPERANDS : SS_AS_16BIT, which);
  return SS_OK;
}

static void write_weights(ss_sheet *s)
{
  const bool fp4 = s->workload->training.precision == SS_PRECISION_NVFP4;
  const bool operands = s->workload->training.weights_type == SS_AS_OPERANDS;
  s->value[SS_VALUE_GATHERED_8] = operands && !fp4;
  s->value[SS_VALUE_GATHERED_4] = operands && fp4;
}

/* Transformer Engine gathers what products of tensor-parallel ranks read in the type that they read. */
static ss_status read_gathers(ss_sheet *s, ss_error *error)
{
  ss_workload *w = s->workload;
  (void)error;
  if (w->line[SS_AT_training_precision] == SS_LINE_CHOSEN) return SS_OK;
  const bool quantises = w->training.precision != SS_PRECISION_BF16 && w->training.precision != SS_PRECISION_FP16;
  ss_import_set(s->import, SS_AT_training_gather_type, quantises ? SS_AS_OPERANDS : SS_AS_16BIT,
                w->line[SS_AT_training_precision]);
  return SS_OK;
}

/* A matter of scales from earlier iterations. reduce_amax of DelayedScaling (transformer_engine/common/recipe) stands
 * in files of NeMo; without it, no matter over which ranks. */
static ss_status read_scales(ss_sheet *s, ss_error *error)
{
  const ss_precision precision = s->workload->training.precision;
  (void)error;
  if (precision != SS_PRECISION_FP8 && precision != SS_PRECISION_FP8_WGRAD16) return SS_OK;
  if (s->value[SS_VALUE_SHARED_SCALES] == 0.0)
    ss_sheet_set(s, SS_AT_training_amax_reduction, SS_AMAX_NONE, SS_VALUE_SHARED_SCALES);
  else if (s->value[SS_VALUE_TENSOR_SCALES] > 0.0)
    ss_sheet_set(s, SS_AT_training_amax_reduction, SS_AMAX_TENSOR, SS_VALUE_TENSOR_SCALES);
  return SS_OK;
}

/* Of attention that is not fused, and of other recipes, it says nothing: fp8_dpa of those of 128 and 16 values finds no
 * kernel (Transformer Engine, get_attention_backend of pytorch/attention/dot_product_attention/utils.py). */
static ss_status read_attention_type(ss_sheet *s, ss_error *error)
{
  const ss_precision precision = s->workload->training.precision;
  const bool tensors =
      precision == SS_PRECISION_FP8 || precision == SS_PRECISION_FP8_WGRAD16 || precision == SS_PRECISION_FP8_CURRENT;
  const bool fused = s->workload->training.attention == SS_ATTENTION_FLASH;
  (void)error;
  if (s->value[SS_VALUE_ATTENTION_8] <= 0.0 || !fused || !(tensors || precision == SS_PRECISION_MXFP8)) return SS_OK;
  ss_sheet_set(s, SS_AT_training_attention_type, SS_AS_OPERANDS, SS_VALUE_ATTENTION_8);
  return SS_OK;
}

static void write_scales(ss_sheet *s)
{
  ss_sheet_give(s, SS_VALUE_TENSOR_SCALES, s->workload->training.amax_reduction == SS_AMAX_TENSOR);
}

/* One layer each where nobody says: TransformerConfig. */
static ss_status read_halves(ss_sheet *s, ss_error *error)
{
  const double first = s->value[SS_VALUE_FIRST_HALVES], last = s->value[SS_VALUE_LAST_HALVES];
  const bool on = s->value[SS_VALUE_HALVES] > 0.0;
  const ss_workload *w = s->workload;
  (void)error;
  if (s->value[SS_VALUE_HALVES] == SS_NOT_GIVEN) return SS_OK;
  if (!on && w->training.bf16_first_layers + w->training.bf16_last_layers == 0) return SS_OK;
  ss_sheet_set(s, SS_AT_training_bf16_first_layers, first >= 0.0 ? (int64_t)first * on : on, SS_VALUE_FIRST_HALVES);
  ss_sheet_set(s, SS_AT_training_bf16_last_layers, last >= 0.0 ? (int64_t)last * on : on, SS_VALUE_LAST_HALVES);
  return SS_OK;
}

static void write_halves(ss_sheet *s)
{
  const int64_t first = s->workload->training.bf16_first_layers, last = s->workload->training.bf16_last_layers;
  s->value[SS_VALUE_HALVES] = first + last > 0;
  if (first + last == 0) return;
  s->value[SS_VALUE_FIRST_HALVES] = (double)first;
  s->value[SS_VALUE_LAST_HALVES] = (double)last;
}

ss_status ss_megatron_read_formats(ss_sheet *sheet, ss_error *error)
{
  ss_status status = read_precision(sheet, error);
  if (status == SS_OK) status = read_weights(sheet, error);
  if (status == SS_OK) status = read_gathers(sheet, error);
  if (status == SS_OK) status = read_scales(sheet, error);
  if (status == SS_OK) status = read_attention_type(sheet, error);
  if (status == SS_OK) status = read_halves(sheet, error);
  return status;
}

void ss_megatron_write_formats(ss_sheet *sheet)
{
  write_precision(sheet);
  write_weights(sheet);
  write_scales(sheet);
  write_halves(sheet);
}

/* Which modules a recipe of quantisation leaves in more bits stands in a file of its own. */
ss_status ss_megatron_read_precise(ss_sheet *s, ss_error *error)
{
  ss_workload *w = s->workload;
  const ss_precision precision = w->training.precision;
  const bool delayed = precision == SS_PRECISION_FP8 || precision == SS_PRECISION_FP8_WGRAD16;
  if (!ss_recipe_quantises(precision) || delayed) return SS_OK;
  if (s->value[SS_VALUE_QUANT_RECIPE] > 0.0)
    return ss_import_note(s->import, SS_NOTE_MATTERS,
                          "what quant_recipe leaves in more bits: training.precise-modules has it", error);
  if (s->value[SS_VALUE_PRECISE_MODULES] <= 0.0 || w->model.mtp_modules == 0) return SS_OK;
  w->training.precise_modules = SS_WORD_BIT(SS_PRECISE_MTP);
  w->line[SS_AT_training_precise_modules] = s->value_line[SS_VALUE_PRECISE_MODULES];
  return SS_OK;
}

void ss_megatron_write_precise(ss_sheet *sheet)
{
  const ss_word_set modules = sheet->workload->training.precise_modules;
  if (modules != 0) sheet->value[SS_VALUE_PRECISE_MODULES] = (modules & SS_WORD_BIT(SS_PRECISE_MTP)) != 0;
}
