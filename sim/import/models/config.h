/* config.json of Hugging Face transformers: the models that are known, and what is shared by those who read their keys.
 */
#ifndef STEPSIM_SIM_IMPORT_MODELS_CONFIG_H
#define STEPSIM_SIM_IMPORT_MODELS_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/import/files/source.h"
#include "sim/import/models/draft.h"

/* Tokens of a sequence, unless the model has room for fewer. */
#define SS_CONFIG_SEQUENCE 4096

/* Values of model_type. */
/* clang-format off */
#define SS_CONFIG_MODEL_LIST(X)                                                                                        \
  X(llama) X(qwen2) X(qwen3) X(qwen3_moe) X(mistral) X(mixtral) X(deepseek_v2) X(deepseek_v3) X(kimi_k2) X(gemma2)     \
  X(gemma3_text) X(gpt_oss) X(phi) X(phi3) X(phimoe) X(nemotron) X(nemotron_h) X(gpt_neox) X(bloom) X(llama4_text)     \
  X(gemma) X(olmo2) X(qwen2_moe) X(glm4_moe) X(qwen3_next) X(qwen2_5_vl_text) X(qwen3_vl_text) X(qwen3_vl_moe_text)    \
  X(qwen3_5_text) X(qwen3_5_moe_text) X(deepseek_v32) X(glm_moe_dsa) X(glm4_moe_lite) X(glm4v_moe_text) X(glm)         \
  X(glm4) X(kimi_linear) X(dots1) X(bailing_moe) X(bailing_moe_v2) X(minimax_m2) X(mimo_v2_flash) X(ernie4_5)          \
  X(ernie4_5_moe) X(hunyuan_v1_dense) X(hunyuan_v1_moe) X(granite) X(granitemoe) X(granitemoehybrid) X(olmo3)          \
  X(olmoe) X(cohere) X(cohere2) X(exaone4) X(seed_oss) X(smollm3) X(ministral3) X(arcee) X(starcoder2) X(lfm2)         \
  X(lfm2_moe) X(minimax) X(minimax_m1) X(falcon_h1) X(jamba) X(bamba) X(afmoe) X(apertus) X(exaone_moe) X(hy_v3)       \
  X(solar_open) X(mistral4) X(step3p5) X(gemma4_text) X(olmo_hybrid) X(longcat_flash)     \
  X(step3_text) X(gpt2) X(gpt_bigcode) X(gptj) X(codegen) X(gpt_neo) X(opt) X(falcon) X(mpt) X(bert) X(roberta)        \
  X(stablelm) X(olmo) X(internlm2) X(internlm3) X(exaone) X(baichuan) X(deepseek) X(qwen) X(chatglm) X(minicpm)        \
  X(dbrx) X(mamba) X(mamba2) X(falcon_mamba) X(mimo) X(deepseek_v4)
/* clang-format on */

typedef enum ss_config_model {
#define SS_CONFIG_MODEL_ID(name) SS_CONFIG_##name,
  SS_CONFIG_MODEL_LIST(SS_CONFIG_MODEL_ID)
#undef SS_CONFIG_MODEL_ID
      SS_CONFIG_MODELS
} ss_config_model;

/* A set of models, of which constants are made with | & and ~. */
__extension__ typedef unsigned __int128 ss_config_models;
#define SS_OF(name) ((ss_config_models)1 << SS_CONFIG_##name)
#define SS_OF_ANY   (~(ss_config_models)0)

_Static_assert(SS_CONFIG_MODELS <= 8 * sizeof(ss_config_models), "a set has no bit for a model");

typedef struct ss_config {
  ss_import *import;
  const ss_source *source;
  const json_t *root; /* of the model of text, which may stand in another model's text_config */
  const char *from;   /* where it begins in the file */
  ss_config_model model;
  const char *word; /* of the model */
  bool is_whole;    /* keys of the model of text stand among those of the one that it is a part of */
} ss_config;

typedef struct ss_config_key ss_config_key;

/* What a key of a file means. Several rows may have one key, for different models. */
struct ss_config_key {
  const char *key;
  /* Takes a value, or refuses it. */
  ss_status (*take)(const ss_config *config, const ss_config_key *row, const json_t *value, ss_error *error);
  int64_t number;   /* what `take` needs: the only value that is allowed, or the one that a flag sets */
  const char *text; /* what `take` needs: what is left out, or another key */
  ss_config_models models;
  ss_attribute_index attribute; /* that it is, if it is one */
};

/* Whether the model is one of a set. */
static inline bool ss_config_is_of(const ss_config *config, ss_config_models models)
{
  return (models >> config->model & 1) != 0;
}

/* Whether a value asks for nothing: null, false, 0, or empty. */
bool ss_config_is_off(const json_t *value);

/* The line of a key; 1 where it cannot be found. */
int ss_config_line(const ss_config *config, const char *key);

/* Refuses the value of a key: KEY=VALUE: and the formatted problem. Always SS_ERROR_INPUT. */
ss_status ss_config_refuse(const ss_config *config, const char *key, const json_t *value, ss_error *error,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Whole numbers that are allowed, and what holds where there is none or null. */
typedef struct ss_config_range {
  int64_t least, most, fallback;
} ss_config_range;

/* The whole number of a key. SS_ERROR_INPUT outside of the range. */
ss_status ss_config_count(const ss_config *config, const char *key, ss_config_range range, int64_t *count,
                          ss_error *error);

/* Whether a key says true; false where there is none or null. SS_ERROR_INPUT where it is no boolean. */
ss_status ss_config_flag(const ss_config *config, const char *key, bool *is_true, ss_error *error);

#endif
