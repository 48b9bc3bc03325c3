#include "sim/import/dialects/others.h"

#include <stddef.h>
#include <string.h>

#define OF_DEEPSPEED                                                                                                   \
  "the config.json of its model, and the JSON of DeepSpeed that its deepspeed names, with --set for the rest"
#define BY_SET "the config.json of its model, with --set or a file of a framework that is read for the strategy"

/* The first that has a key is it. Sources: docs/config-reference.qmd of axolotl-ai-cloud/axolotl, examples of
 * hiyouga/LLaMA-Factory, TrainingArguments of huggingface/transformers, ClusterConfig of huggingface/accelerate
 * (src/accelerate/commands/config/config_args.py), examples of huggingface/nanotron, recipes/configs of
 * pytorch/torchtune. */
static const struct {
  const char *title;
  const char *keys[4]; /* a dot ahead: the last name of a key; the rest is NULL */
  const char *allowed;
} others[] = {
    {"axolotl", {"base_model", "base_model_config"}, OF_DEEPSPEED},
    {"LLaMA-Factory", {"finetuning_type", "cutoff_len"}, OF_DEEPSPEED},
    {"a trainer of Transformers, such as LLaMA-Factory's",
     {"per_device_train_batch_size", "save_only_model", "do_train"},
     OF_DEEPSPEED},
    {"Accelerate", {"distributed_type", "compute_environment", "downcast_bf16"}, BY_SET},
    {"nanotron", {"tokens.sequence_length", "optimizer.zero_stage", "model.model_config.hidden_size"}, BY_SET},
    {"torchtune", {"._component_"}, BY_SET},
};

static bool is_key(const char *key, const char *name)
{
  const size_t length = strlen(key), size = strlen(name);
  if (name[0] != '.') return strcmp(key, name) == 0;
  return length > size && strcmp(key + length - size, name) == 0;
}

static const ss_setting *setting_of(const ss_settings *settings, size_t other)
{
  for (int64_t i = 0; i < settings->count; ++i)
    for (size_t k = 0; k < sizeof others[other].keys / sizeof others[other].keys[0]; ++k)
      if (others[other].keys[k] != NULL && is_key(settings->setting[i].key, others[other].keys[k]))
        return &settings->setting[i];
  return NULL;
}

ss_status ss_others_check(const ss_settings *settings, ss_error *error)
{
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    const ss_setting *setting = setting_of(settings, i);
    if (setting != NULL)
      return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, setting->line,
                          "%.64s: is of %s, whose files are not read; allowed: %s", setting->key, others[i].title,
                          others[i].allowed);
  }
  return SS_OK;
}
