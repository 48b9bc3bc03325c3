/* Number formats of Megatron-LM: what products, weights and what is gathered are in. */
#include "sim/import/dialects/megatron_formats.h"

#include <stdbool.h>

#include "model/input/origin.h"

/* 16 bits, with recipes of Transformer Engine that need a format, too. */
static const struct {
  ss_precision precision;
  int base, fp8, recipe, wgrad16, fp4;
} precisions[] = {
    {SS_PRECISION_BF16, 1, 0, 0, 0, 0},        {SS_PRECISION_FP16, 2, 0, 0, 0, 0},
    {SS_PRECISION_FP8, 1, 1, 1, 0, 0},         {SS_PRECISION_FP8_WGRAD16, 1, 1, 1, 1, 0},
    {SS_PRECISION_FP8_CURRENT, 1, 1, 2, 0, 0}, {SS_PRECISION_FP8_BLOCK, 1, 2, 3, 0, 0},
    {SS_PRECISION_MXFP8, 1, 2, 4, 0, 0},       {SS_PRECISION_NVFP4, 1, 0, 0, 0, 1},
};

static ss_status read_precision(ss_sheet *s, ss_error *error)
{
  const bool fp8 = s->value[SS_VALUE_FP8] > 0.0, fp4 = s->value[SS_VALUE_FP4] > 0.0;
  const int64_t base = ss_sheet_given(s, SS_VALUE_BASE, 0), recipe = fp8 ? ss_sheet_given(s, SS_VALUE_RECIPE, 1) : 0;
  const bool wgrad16 = recipe == 1 && s->value[SS_VALUE_WGRAD16] > 0.0;
  (void)error;
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

static void write_precision(ss_sheet *s)
{
  for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; ++i) {
    if (precisions[i].precision != s->workload->training.precision) continue;
    ss_sheet_give(s, SS_VALUE_BASE, precisions[i].base);
    ss_sheet_give(s, SS_VALUE_FP8, precisions[i].fp8);
    ss_sheet_give(s, SS_VALUE_RECIPE, precisions[i].recipe);
    ss_sheet_give(s, SS_VALUE_WGRAD16, precisions[i].wgrad16);
    ss_sheet_give(s, SS_VALUE_FP4, precisions[i].fp4);
  }
}

/* Recipes of Megatron-Bridge by their name (src/megatron/bridge/training/mixed_precision.py): fp8_param_gather, and how
 * many layers at either end stay in 16 bits. */
static const struct {
  ss_precision precision;
  ss_held_as weights;
  int halves;
} mixed[] = {
    {SS_PRECISION_BF16, SS_AS_16BIT, 0},      {SS_PRECISION_FP16, SS_AS_16BIT, 0},
    {SS_PRECISION_FP8, SS_AS_OPERANDS, 0},    {SS_PRECISION_FP8_CURRENT, SS_AS_OPERANDS, 1},
    {SS_PRECISION_FP8_BLOCK, SS_AS_16BIT, 0}, {SS_PRECISION_MXFP8, SS_AS_OPERANDS, 0},
    {SS_PRECISION_NVFP4, SS_AS_16BIT, 0},     {SS_PRECISION_FP8_CURRENT, SS_AS_OPERANDS, 2},
};

static ss_status read_mixed(ss_sheet *s, ss_error *error)
{
  const int64_t number = ss_sheet_given(s, SS_VALUE_MIXED, 0);
  (void)error;
  if (number < 1 || number > (int64_t)(sizeof mixed / sizeof mixed[0])) return SS_OK;
  const int64_t halves = s->value[SS_VALUE_HALVES] == 0.0 ? 0 : mixed[number - 1].halves;
  ss_sheet_set(s, SS_AT_training_precision, mixed[number - 1].precision, SS_VALUE_MIXED);
  if (!s->is_set[SS_AT_training_weights_type])
    ss_sheet_set(s, SS_AT_training_weights_type, mixed[number - 1].weights, SS_VALUE_MIXED);
  if (halves > 0) ss_sheet_set(s, SS_AT_training_bf16_first_layers, halves, SS_VALUE_MIXED);
  if (halves > 0) ss_sheet_set(s, SS_AT_training_bf16_last_layers, halves, SS_VALUE_MIXED);
  return SS_OK;
}

static void write_mixed(ss_sheet *s)
{
  size_t i = 1; /* bf16 holds without it */
  const ss_workload *w = s->workload;
  while (i < sizeof mixed / sizeof mixed[0] && mixed[i].precision != w->training.precision) ++i;
  if (i < sizeof mixed / sizeof mixed[0]) s->value[SS_VALUE_MIXED] = (double)(i + 1);
  if (w->training.precision == SS_PRECISION_FP8_CURRENT) s->value[SS_VALUE_HALVES] = 0.0;
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
  (void)error;
  if (s->value[SS_VALUE_HALVES] <= 0.0) return SS_OK;
  const double first = s->value[SS_VALUE_FIRST_HALVES], last = s->value[SS_VALUE_LAST_HALVES];
  ss_sheet_set(s, SS_AT_training_bf16_first_layers, first >= 0.0 ? (int64_t)first : 1, SS_VALUE_FIRST_HALVES);
  ss_sheet_set(s, SS_AT_training_bf16_last_layers, last >= 0.0 ? (int64_t)last : 1, SS_VALUE_LAST_HALVES);
  return SS_OK;
}

static void write_halves(ss_sheet *s)
{
  const int64_t first = s->workload->training.bf16_first_layers, last = s->workload->training.bf16_last_layers;
  if (first + last == 0) return;
  s->value[SS_VALUE_HALVES] = 1.0;
  s->value[SS_VALUE_FIRST_HALVES] = (double)first;
  s->value[SS_VALUE_LAST_HALVES] = (double)last;
}

ss_status ss_megatron_read_formats(ss_sheet *sheet, ss_error *error)
{
  ss_status status = read_mixed(sheet, error);
  if (status == SS_OK) status = read_precision(sheet, error);
  if (status == SS_OK) status = read_gathers(sheet, error);
  if (status == SS_OK) status = read_scales(sheet, error);
  if (status == SS_OK) status = read_attention_type(sheet, error);
  if (status == SS_OK) status = read_halves(sheet, error);
  return status;
}

void ss_megatron_write_formats(ss_sheet *sheet)
{
  write_mixed(sheet);
  write_precision(sheet);
  write_scales(sheet);
  write_halves(sheet);
}
