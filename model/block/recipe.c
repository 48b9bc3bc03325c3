#include "model/block/recipe.h"

#define ALL_PRODUCTS(format) .forward = (format), .input_gradient = (format), .weight_gradient = (format)

/* As Transformer Engine has them (transformer_engine/common/recipe), and scales of rows as torchao has them
 * (manual_float8_matmul_with_args_in_hp of torchao/float8/float8_linear.py, which keeps 16 bits and quantises them
 * again backward). With scales from earlier iterations its norms quantise by themselves; else a kernel reads what they
 * have written (pytorch/csrc/extensions/normalization.cpp). What is gathered of weights:
 * megatron/core/distributed/param_and_grad_buffer.py, which takes 16 bits for MXFP8, whose two copies are not shorter.
 */
const ss_recipe *ss_recipe_of(ss_precision precision)
{
  static const ss_recipe recipes[] = {
      [SS_PRECISION_BF16] = {ALL_PRODUCTS(SS_FORMAT_16BIT), .gathered_bytes = 2.0},
      [SS_PRECISION_FP16] = {ALL_PRODUCTS(SS_FORMAT_16BIT), .gathered_bytes = 2.0},
      [SS_PRECISION_FP8] = {ALL_PRODUCTS(SS_FORMAT_FP8), .attention = SS_FORMAT_FP8, .scaling = SS_SCALING_DELAYED,
                            .fuses_casts = true, .gathered_bytes = 1.0},
      [SS_PRECISION_FP8_WGRAD16] = {.forward = SS_FORMAT_FP8,
                                    .input_gradient = SS_FORMAT_FP8,
                                    .weight_gradient = SS_FORMAT_16BIT,
                                    .attention = SS_FORMAT_FP8,
                                    .scaling = SS_SCALING_DELAYED,
                                    .fuses_casts = true,
                                    .gathered_bytes = 1.0},
      [SS_PRECISION_FP8_CURRENT] = {ALL_PRODUCTS(SS_FORMAT_FP8), .attention = SS_FORMAT_FP8,
                                    .scaling = SS_SCALING_TENSOR, .gathered_bytes = 1.0},
      [SS_PRECISION_FP8_ROWS] = {ALL_PRODUCTS(SS_FORMAT_FP8), .scaling = SS_SCALING_ROWS, .gathered_bytes = 2.0},
      [SS_PRECISION_FP8_BLOCK] = {.forward = SS_FORMAT_FP8_BLOCK,
                                  .input_gradient = SS_FORMAT_FP8_BLOCK,
                                  .weight_gradient = SS_FORMAT_FP8_TILE,
                                  .scaling = SS_SCALING_BLOCKS,
                                  .gathered_bytes = 1.0},
      [SS_PRECISION_MXFP8] = {ALL_PRODUCTS(SS_FORMAT_MXFP8), .attention = SS_FORMAT_MXFP8, .scaling = SS_SCALING_BLOCKS,
                              .gathered_bytes = 2.0},
      [SS_PRECISION_NVFP4] = {ALL_PRODUCTS(SS_FORMAT_NVFP4), .attention = SS_FORMAT_FP8, .scaling = SS_SCALING_TENSOR,
                              .gathered_bytes = 0.5 + 1.0 / 16.0},
  };
  return &recipes[precision];
}

bool ss_recipe_quantises(ss_precision precision)
{
  return ss_recipe_of(precision)->forward != SS_FORMAT_16BIT;
}

bool ss_recipe_takes_bytes(ss_precision precision)
{
  return ss_format_row_of(ss_recipe_of(precision)->forward)->value_bytes == 1.0;
}

bool ss_recipe_attends(ss_precision precision)
{
  return ss_recipe_of(precision)->attention != SS_FORMAT_16BIT;
}

bool ss_recipe_gathers(ss_precision precision)
{
  return ss_recipe_quantises(precision) && ss_recipe_of(precision)->scaling != SS_SCALING_ROWS;
}

static double copy_bytes(ss_format format)
{
  return format == SS_FORMAT_16BIT ? 0.0 : ss_format_row_of(format)->activation_bytes;
}

static bool scales_tensors(const ss_recipe *recipe)
{
  const bool of_tensors = recipe->scaling == SS_SCALING_DELAYED || recipe->scaling == SS_SCALING_TENSOR;
  return of_tensors && recipe->forward == SS_FORMAT_FP8;
}

bool ss_recipe_transposes(const ss_recipe *recipe)
{
  return scales_tensors(recipe) && recipe->weight_gradient == SS_FORMAT_FP8;
}

bool ss_recipe_transposes_frozen(const ss_recipe *recipe, const ss_machine *machine)
{
  return scales_tensors(recipe) && !ss_recipe_shares_copy(recipe, machine);
}

bool ss_recipe_shares_copy(const ss_recipe *recipe, const ss_machine *machine)
{
  return scales_tensors(recipe) && machine->mxfp8_flop_per_s > 0.0;
}

double ss_recipe_input_copies_bytes(const ss_recipe *recipe, bool one_copy)
{
  return copy_bytes(recipe->forward) + (one_copy ? 0.0 : copy_bytes(recipe->weight_gradient));
}

double ss_recipe_gradient_copies_bytes(const ss_recipe *recipe, bool one_copy)
{
  return copy_bytes(recipe->input_gradient) + (one_copy ? 0.0 : copy_bytes(recipe->weight_gradient));
}

double ss_recipe_gathered_gradient_bytes(const ss_recipe *recipe)
{
  if (recipe->weight_gradient == SS_FORMAT_16BIT || recipe->weight_gradient == SS_FORMAT_FP8)
    return ss_format_row_of(recipe->weight_gradient)->activation_bytes;
  return ss_recipe_gradient_copies_bytes(recipe, false);
}

double ss_recipe_weight_copies_bytes(const ss_recipe *recipe, const ss_machine *machine)
{
  if (recipe->forward == SS_FORMAT_16BIT || recipe->scaling == SS_SCALING_ROWS) return 0.0;
  const double other = ss_format_row_of(recipe->input_gradient)->weight_bytes;
  return ss_format_row_of(recipe->forward)->weight_bytes + (ss_recipe_shares_copy(recipe, machine) ? 0.0 : other);
}

double ss_recipe_kept_bytes(const ss_recipe *recipe, const ss_machine *machine, bool frozen)
{
  if (frozen && ss_recipe_transposes_frozen(recipe, machine)) return recipe->gathered_bytes;
  return ss_recipe_weight_copies_bytes(recipe, machine);
}

bool ss_recipe_lacks(ss_precision precision, const ss_machine *machine, ss_engine engine)
{
  const ss_engine used = ss_format_row_of(ss_recipe_of(precision)->forward)->engine;
  return ss_engine_instead(used) == engine && ss_engine_peak_flop_per_s(machine, engine) <= 0.0;
}
