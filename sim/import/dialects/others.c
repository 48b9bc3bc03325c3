#include "sim/import/dialects/others.h"

#include <stddef.h>
#include <string.h>

#define BY_SET "the config.json of its model, with --set or a file of a framework that is read for the strategy"

/* Steps that learn from what the model generates are several programs, of which one trains. */
#define BY_PART                                                                                                        \
  "the config.json of its model, and what its training part is, as arguments of Megatron-LM, settings of another "     \
  "framework that is read, or --set"

/* The command line of NeMo-Run writes all that a recipe sets, with the overrides behind it: nemo_run/cli/api.py of
 * NVIDIA-NeMo/Run at 52e1ad5. */
#define NEMO_YAML "the YAML that nemo llm pretrain --factory NAME --to-yaml FILE writes, with overrides behind it"

/* The first that has a key is it. Sources: docs/config-reference.qmd of axolotl-ai-cloud/axolotl, examples of
 * hiyouga/LLaMA-Factory, TrainingArguments of huggingface/transformers, ClusterConfig of huggingface/accelerate
 * (src/accelerate/commands/config/config_args.py), examples of huggingface/nanotron, recipes/configs of
 * pytorch/torchtune. */
static const struct {
  const char *title;
  const char *keys[4]; /* a dot ahead: the last name of a key; the rest is NULL */
  const char *allowed;
} others[] = {
    {"NeMo's recipes, programs in Python", {"factory"}, NEMO_YAML},
    {"torchtune", {"._component_"}, BY_SET},
    {"verl",
     {"algorithm.adv_estimator", "actor_rollout_ref.model.path", "actor_rollout_ref.rollout.name",
      "rollout.prompt_length"},
     BY_PART},
    {"slime", {"rollout-batch-size", "rollout_batch_size", "rollout-function-path"}, BY_PART},
    {"NeMo-RL", {"grpo.num_prompts_per_step", "grpo.max_num_steps", "policy.model_name"}, BY_PART},
};

/* Programs in Python, by a text that they have; the last row is of any. */
static const struct {
  const char *text, *title, *allowed;
} programs[] = {
    {"nemo_run", "of NeMo-Run", NEMO_YAML},
    {"nemo.collections", "of NeMo", NEMO_YAML},
    {"megatron.bridge", "of Megatron-Bridge",
     "a file with recipes, which are functions whose names end with config, or the YAML that to_yaml of a "
     "ConfigContainer writes, as run_config.yaml of a checkpoint"},
    {"torchtitan", "of TorchTitan",
     "the command that starts it (torchrun -m torchtitan.train --module llama3 --config llama3_8b ...) in a script, "
     "with "
     "what the program sets as options behind it"},
    {"", "of nobody that is known", "a config.json, and settings of a framework in a file or on a command line"}};

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

bool ss_others_is_program(const char *first)
{
  static const char *const words[] = {"import ", "from ", "def ", "class ", "@", "\"\"\"", "'''"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (strncmp(first, words[i], strlen(words[i])) == 0) return true;
  return false;
}

ss_status ss_others_check_program(const ss_source *source, const char *first, ss_error *error)
{
  size_t i = 0;
  if (!ss_others_is_program(first)) return SS_OK;
  while (strstr(source->text, programs[i].text) == NULL) ++i;
  return ss_error_set(error, SS_ERROR_INPUT, source->path, 0,
                      "is a program in Python, %s, which is not run; allowed: %s", programs[i].title,
                      programs[i].allowed);
}
