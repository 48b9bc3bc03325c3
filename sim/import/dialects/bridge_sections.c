/* src/megatron/bridge/training of NVIDIA-NeMo/Megatron-Bridge. */
#include "sim/import/dialects/bridge_sections.h"

#include <string.h>

const char ss_bridge_mixed_precision[] = "mixed-precision.", ss_bridge_comm_overlap[] = "comm-overlap.";

/* What is behind a section of a key; NULL: it is not in the section. Names have _ or -. */
static const char *behind(const char *key, const char *section)
{
  for (; *section != '\0'; ++key, ++section)
    if ((*key == '_' ? '-' : *key) != *section) return NULL;
  return key;
}

/* The setting of that name in a section; NULL: there is none. */
static const ss_setting *find(const ss_settings *settings, const char *section, const char *name)
{
  for (int64_t i = 0; i < settings->count; ++i) {
    const char *own = behind(settings->setting[i].key, section);
    if (own != NULL && strcmp(own, name) == 0) return &settings->setting[i];
  }
  return NULL;
}

bool ss_bridge_has_section(const ss_settings *settings, const char *section)
{
  for (int64_t i = 0; i < settings->count; ++i)
    if (behind(settings->setting[i].key, section) != NULL) return true;
  return false;
}

static bool is_among(const char *name, const char *const *names)
{
  while (*names != NULL && strcmp(*names, name) != 0) ++names;
  return *names != NULL;
}

/* The fields of MixedPrecisionConfig (mixed_precision.py), whoever gives them their value: a recipe by its name, or a
 * section, in which the class has what is not said. */
static const char *const of_mixed_precision[] = {"fp32",
                                                 "fp16",
                                                 "bf16",
                                                 "params_dtype",
                                                 "pipeline_dtype",
                                                 "autocast_dtype",
                                                 "autocast_enabled",
                                                 "grad_reduce_in_fp32",
                                                 "fp8",
                                                 "fp8_recipe",
                                                 "first_last_layers_bf16",
                                                 "fp8_margin",
                                                 "fp8_amax_history_len",
                                                 "fp8_amax_compute_algo",
                                                 "fp8_wgrad",
                                                 "fp8_dot_product_attention",
                                                 "fp8_multi_head_attention",
                                                 "fp8_param",
                                                 "fp8_param_gather",
                                                 "fp4",
                                                 "fp4_recipe",
                                                 "fp4_param",
                                                 "fp4_param_gather",
                                                 "loss_scale",
                                                 "initial_loss_scale",
                                                 "min_loss_scale",
                                                 "loss_scale_window",
                                                 "hysteresis",
                                                 "num_layers_at_start_in_bf16",
                                                 "num_layers_at_end_in_bf16",
                                                 "reuse_grad_buf_for_mxfp8_param_ag",
                                                 NULL};

static bool mixes(const ss_settings *settings)
{
  if (ss_bridge_has_section(settings, ss_bridge_mixed_precision)) return true;
  const ss_setting *named = find(settings, "", "mixed_precision");
  if (named == NULL) named = find(settings, "", "mixed-precision");
  return named != NULL && json_is_string(named->value);
}

/* What comm_overlap (comm_overlap.py) sets of the model in any case, and of the rest only with the distributed
 * optimizer. */
static const char *const of_model[] = {"tp_comm_overlap",     "overlap_p2p_comm",
                                       "batch_p2p_comm",      "overlap_moe_expert_parallel_comm",
                                       "delay_wgrad_compute", NULL};
static const char *const of_ranks[] = {"overlap_grad_reduce", "overlap_param_gather", "delay_wgrad_compute", NULL};

static bool has_distributed(const ss_settings *settings)
{
  const ss_setting *own = find(settings, "ddp.", "use_distributed_optimizer");
  return own != NULL && json_is_true(own->value);
}

bool ss_bridge_is_void(const ss_settings *settings, const ss_setting *setting)
{
  const char *model = behind(setting->key, "model."), *ddp = behind(setting->key, "ddp."),
             *optimizer = behind(setting->key, "optimizer."), *overlap = behind(setting->key, ss_bridge_comm_overlap);
  const char *ranks = ddp != NULL ? ddp : optimizer, *name = model != NULL ? model : ranks;
  if (overlap != NULL) return is_among(overlap, of_ranks) && !is_among(overlap, of_model) && !has_distributed(settings);
  if (name == NULL) return false;
  if (is_among(name, of_mixed_precision) && mixes(settings)) return true;
  if (!is_among(name, model != NULL ? of_model : of_ranks)) return false;
  return ss_bridge_has_section(settings, ss_bridge_comm_overlap) && (model != NULL || has_distributed(settings));
}
