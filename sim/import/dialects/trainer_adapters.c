#include "sim/import/dialects/trainer_adapters.h"

#include <stdio.h>
#include <string.h>

#include "model/base/dotted.h"
#include "model/plan/layers/layer_modules.h"
#include "sim/import/dialects/megatron_adapters.h"

enum { NO_TARGET = -1 };

/* Names of products in classes of Transformers, as those of Megatron-LM that compute them. */
static const struct {
  const char *name;
  ss_lora_module module;
} targets[] = {{"q_proj", SS_LORA_QKV},      {"k_proj", SS_LORA_QKV},       {"v_proj", SS_LORA_QKV},
               {"qkv_proj", SS_LORA_QKV},    {"o_proj", SS_LORA_PROJ},      {"gate_proj", SS_LORA_FC1},
               {"up_proj", SS_LORA_FC1},     {"gate_up_proj", SS_LORA_FC1}, {"down_proj", SS_LORA_FC2},
               {"q_a_proj", SS_LORA_Q_DOWN}, {"q_b_proj", SS_LORA_Q_UP},    {"kv_a_proj_with_mqa", SS_LORA_KV_DOWN},
               {"kv_b_proj", SS_LORA_KV_UP}, {"in_proj", SS_LORA_IN},       {"out_proj", SS_LORA_OUT}};

/* The product that a word names, behind the names of what it is in; NO_TARGET: another one. Where keys and values come
 * from latents, queries by themselves do not. */
static int target_of(const ss_workload *w, const char *word)
{
  const char *name = ss_last_name(word);
  if (w->model.kv_rank > 0 && strcmp(name, "q_proj") == 0) return SS_LORA_Q_PROJ;
  for (size_t i = 0; i < sizeof targets / sizeof targets[0]; ++i)
    if (strcmp(targets[i].name, name) == 0) return (int)targets[i].module;
  return NO_TARGET;
}

/* The modules that have one where nobody says are not all that latent attention and state spaces have. */
static void adapt_all(ss_sheet *s)
{
  const ss_word_set all = ss_layer_lora_modules(s->workload);
  if ((all & ~ss_workload_lora_modules(s->workload)) == 0) return;
  s->workload->training.lora_modules = all;
  s->workload->line[SS_AT_training_lora_modules] = s->value_line[SS_VALUE_ADAPTERS];
}

static ss_status note_target(const ss_sheet *s, const char *word, ss_error *error)
{
  char text[SS_TEXT_SIZE + 64];
  (void)snprintf(text, sizeof text, "adapters of %s: training.lora-modules has no word for it", word);
  return ss_import_note(s->import, SS_NOTE_MATTERS, text, error);
}

static ss_status read_targets(ss_sheet *s, ss_error *error)
{
  char words[SS_TEXT_SIZE], *rest = NULL;
  unsigned modules = 0;
  ss_status status = SS_OK;
  if (s->value[SS_VALUE_ADAPTS_ALL] > 0.0 || strstr(s->text[SS_KEPT_TARGETS], "all") != NULL) {
    adapt_all(s);
    return SS_OK;
  }
  if (strpbrk(s->text[SS_KEPT_TARGETS], "*^\\(|") != NULL)
    return ss_import_note(s->import, SS_NOTE_MATTERS, "which products a pattern gives adapters: all have one", error);
  memcpy(words, s->text[SS_KEPT_TARGETS], sizeof words);
  for (char *word = strtok_r(words, " ,[]", &rest); word != NULL; word = strtok_r(NULL, " ,[]", &rest)) {
    const int target = target_of(s->workload, word);
    if (target == NO_TARGET && status == SS_OK) status = note_target(s, word, error);
    if (target != NO_TARGET) modules |= SS_WORD_BIT(target);
  }
  s->workload->training.lora_modules = (ss_word_set)modules;
  s->workload->line[SS_AT_training_lora_modules] = s->text_line[SS_KEPT_TARGETS];
  return status;
}

/* Rank 8 where nobody says, as FinetuningArguments of LLaMA-Factory and axolotl's schema have it. */
static ss_status read_adapters(ss_sheet *s, ss_lora_experts experts, ss_error *error)
{
  enum { RANK = 8 };
  if (s->value[SS_VALUE_ADAPTERS] <= 0.0) return SS_OK;
  if (s->workload->model.experts > 0) ss_sheet_set(s, SS_AT_training_lora_experts, experts, SS_VALUE_ADAPTERS);
  ss_sheet_set(s, SS_AT_training_lora_rank, ss_sheet_given(s, SS_VALUE_ADAPTER_RANK, RANK), SS_VALUE_ADAPTERS);
  ss_status status = read_targets(s, error);
  if (status == SS_OK && (s->value[SS_VALUE_QUANTISED] > 0.0 || s->value[SS_VALUE_ADAPTERS] > 1.0))
    status = ss_import_note(s->import, SS_NOTE_MATTERS,
                            "that weights that are not trained have 4 or 8 bits, and are expanded where they are used: "
                            "they have 16",
                            error);
  return status == SS_OK ? ss_megatron_read_adapters(s, error) : status;
}

ss_status ss_tuner_read_adapters(ss_sheet *s, ss_error *error)
{
  return read_adapters(s, SS_LORA_EXPERTS_EACH, error);
}

ss_status ss_trainer_read_adapters(ss_sheet *s, ss_error *error)
{
  const bool asked = strstr(s->text[SS_KEPT_TARGET_PARAMETERS], "expert") != NULL;
  return read_adapters(s, asked ? SS_LORA_EXPERTS_EACH : SS_LORA_EXPERTS_NONE, error);
}
