#include "sim/import/models/model_classes.h"

#include <stdio.h>
#include <string.h>

#include "model/base/dotted.h"
#include "sim/import/models/sizes.h"

/* FAMILYConfigSIZE of nemo/collections/llm/gpt/model/{base,llama,mistral,mixtral,nemotron,qwen2,qwen3}.py of
 * NVIDIA/NeMo, and FAMILYModelProviderSIZE of src/megatron/bridge/models of NVIDIA-NeMo/Megatron-Bridge, which has the
 * same numbers. Vocabularies are those of the tokenizers, which the classes leave to them. */
static const struct {
  const char *family, *size, *of;
} classes[] = {
#define LLAMA_2   "vocabulary=32000 mlp=swiglu "
#define LLAMA_3   "kv-heads=8 vocabulary=128256 mlp=swiglu "
#define TIED      " tied-embeddings=yes"
#define MIXTRAL   "kv-heads=8 vocabulary=32000 mlp=swiglu experts=8 top-k=2 "
#define NEMOTRON  "vocabulary=256000 mlp=relu2 "
#define QWEN_3    "kv-heads=8 head-size=128 vocabulary=151936 mlp=swiglu qk-norm=yes "
#define QWEN_3MOE "kv-heads=4 head-size=128 vocabulary=151936 mlp=swiglu qk-norm=yes experts=128 top-k=8 "
    {"GPT", "175B", "vocabulary=50304 mlp=gelu layers=96 hidden=12288 heads=96 ffn=49152" TIED},
    {"Llama2", "7B", LLAMA_2 "layers=32 hidden=4096 heads=32 ffn=11008"},
    {"Llama2", "13B", LLAMA_2 "layers=40 hidden=5120 heads=40 ffn=13824"},
    {"Llama2", "70B", LLAMA_2 "layers=80 hidden=8192 heads=64 kv-heads=8 ffn=28672"},
    {"Llama3", "8B", LLAMA_3 "layers=32 hidden=4096 heads=32 ffn=14336"},
    {"Llama3", "70B", LLAMA_3 "layers=80 hidden=8192 heads=64 ffn=28672"},
    {"Llama31", "8B", LLAMA_3 "layers=32 hidden=4096 heads=32 ffn=14336"},
    {"Llama31", "70B", LLAMA_3 "layers=80 hidden=8192 heads=64 ffn=28672"},
    {"Llama31", "405B", LLAMA_3 "layers=126 hidden=16384 heads=128 ffn=53248"},
    {"Llama32", "1B", LLAMA_3 "layers=16 hidden=2048 heads=32 ffn=8192" TIED},
    {"Llama32", "3B", LLAMA_3 "layers=28 hidden=3072 heads=24 ffn=8192" TIED},
    {"Mixtral", "8x7B", MIXTRAL "layers=32 hidden=4096 heads=32 ffn=14336"},
    {"Mixtral", "8x22B", MIXTRAL "layers=56 hidden=6144 heads=48 ffn=16384"},
    {"Nemotron3", "4B", NEMOTRON "layers=32 hidden=3072 heads=24 kv-heads=8 head-size=128 ffn=9216"},
    {"Nemotron3", "8B", NEMOTRON "layers=32 hidden=4096 heads=32 ffn=16384"},
    {"Nemotron4", "15B", NEMOTRON "layers=32 hidden=6144 heads=48 kv-heads=8 ffn=24576"},
    {"Nemotron4", "340B", NEMOTRON "layers=96 hidden=18432 heads=96 kv-heads=8 ffn=73728"},
    {"Qwen25", "7B", "vocabulary=152064 mlp=swiglu layers=28 hidden=3584 heads=28 kv-heads=4 ffn=18944"},
    {"Qwen25", "14B", "vocabulary=152064 mlp=swiglu layers=48 hidden=5120 heads=40 kv-heads=8 ffn=13824"},
    {"Qwen25", "32B", "vocabulary=152064 mlp=swiglu layers=64 hidden=5120 heads=40 kv-heads=8 ffn=27648"},
    {"Qwen25", "72B", "vocabulary=152064 mlp=swiglu layers=80 hidden=8192 heads=64 kv-heads=8 ffn=29568"},
    {"Qwen3", "600M", QWEN_3 "layers=28 hidden=1024 heads=16 ffn=3072" TIED},
    {"Qwen3", "1P7B", QWEN_3 "layers=28 hidden=2048 heads=16 ffn=6144" TIED},
    {"Qwen3", "4B", QWEN_3 "layers=36 hidden=2560 heads=32 ffn=9728" TIED},
    {"Qwen3", "8B", QWEN_3 "layers=36 hidden=4096 heads=32 ffn=12288"},
    {"Qwen3", "14B", QWEN_3 "layers=40 hidden=5120 heads=40 ffn=17408"},
    {"Qwen3", "32B", QWEN_3 "layers=64 hidden=5120 heads=64 ffn=25600"},
    {"Qwen3", "30B_A3B", QWEN_3MOE "layers=48 hidden=2048 heads=32 ffn=6144 expert-ffn=768"},
    {"Qwen3", "235B_A22B", QWEN_3MOE "layers=94 hidden=4096 heads=64 ffn=12288 expert-ffn=1536"},
};

enum { CLASSES = sizeof classes / sizeof classes[0] };

/* What stands between a family and a size. Bridge has experts in the name of the family, too. */
static const char *const infixes[] = {"Config", "MoEModelProvider", "ModelProvider"};

/* The class without its module. */
static const char *name_of(const ss_setting *setting)
{
  const char *text = json_string_value(setting->value);
  return text != NULL ? ss_last_name(text) : NULL;
}

static bool is_class(int i, const char *name)
{
  char expected[SS_TEXT_SIZE];
  for (size_t k = 0; k < sizeof infixes / sizeof infixes[0]; ++k) {
    (void)snprintf(expected, sizeof expected, "%s%s%s", classes[i].family, infixes[k], classes[i].size);
    if (strcmp(expected, name) == 0) return true;
  }
  return false;
}

/* The setting that names the class of a model; of NeMo 2 the model has a configuration. */
static const ss_setting *find_class(const ss_settings *settings)
{
  static const char *const keys[] = {"model.config._target_", "model._target_"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
    const ss_setting *setting = ss_settings_find(settings, keys[i]);
    if (setting != NULL && json_is_string(setting->value)) return setting;
  }
  return NULL;
}

const ss_setting *ss_model_class_set(ss_import *import, const ss_settings *settings)
{
  const ss_setting *named = find_class(settings);
  ss_workload *w = import->workload;
  int i = 0;
  if (named == NULL) return NULL;
  while (i < CLASSES && !is_class(i, name_of(named))) ++i;
  if (i == CLASSES) return named;
  ss_sizes_set(import, &(ss_sizes){classes[i].of, NULL, NULL}, named->line);
  (void)snprintf(w->model.name, SS_TEXT_SIZE, "%s-%s", classes[i].family, classes[i].size);
  w->line[SS_AT_model_name] = named->line;
  return named;
}

ss_status ss_model_class_refuse(const ss_settings *settings, const ss_setting *named, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, named->line,
                      "%s=%.100s: is a class that has the sizes of the model, and which is not known; allowed: a "
                      "config.json ahead of this file",
                      named->key, json_string_value(named->value));
}
