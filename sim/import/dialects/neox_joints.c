/* What follows from several settings of GPT-NeoX, before what follows from those of DeepSpeed. */
#include <string.h>

#include "model/base/number.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/megatron_positions.h"
#include "sim/import/dialects/megatron_replicas.h"
#include "sim/import/files/settings.h"

/* Tables are padded to a multiple of this; columns of an MLP to a multiple of that: neox_args.py, and ParallelMLP of
 * megatron/model/transformer.py. */
enum { VOCABULARY_MULTIPLE = 128, COLUMNS = 256 };

/* Two thirds of the size that is said, in two halves, are the columns of a gated MLP, so that it has as many parameters
 * as one without a gate: ParallelMLP. */
static ss_status read_sizes(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const bool gated = s->is_set[SS_AT_model_mlp] && w->model.mlp == SS_MLP_SWIGLU;
  const double factor = s->value[SS_VALUE_EXPANSION] > 0.0 ? s->value[SS_VALUE_EXPANSION] : 4.0;
  const int64_t said = ss_sheet_given(s, SS_VALUE_EXPERT_FFN, (int64_t)(factor * (double)w->model.hidden));
  const int64_t columns = gated ? said * 2 / 3 / 2 : said;
  s->import->vocabulary_multiple = ss_sheet_given(s, SS_VALUE_VOCABULARY_MULTIPLE, VOCABULARY_MULTIPLE);
  if (s->value[SS_VALUE_DROPOUT] > 0.0) ss_sheet_set(s, SS_AT_training_dropout, SS_YES, SS_VALUE_DROPOUT);
  if (!s->is_set[SS_AT_model_hidden] && s->value[SS_VALUE_EXPERT_FFN] <= 0.0) return SS_OK;
  ss_status status = SS_OK;
  if (gated && columns < w->model.hidden)
    status = ss_import_note(s->import, SS_NOTE_MATTERS,
                            "that intermediate_size may be meant for each half of a gated MLP: a third of it is taken, "
                            "as ParallelMLP does",
                            error);
  if (status != SS_OK) return status;
  return ss_sheet_set_within(s, SS_AT_model_ffn, (double)(ss_divide_up(columns, COLUMNS) * COLUMNS),
                             SS_VALUE_EXPERT_FFN, error);
}

/* The first word in lists within lists that is not a number; NULL: there is none. */
static const char *word_in(const json_t *value, int depth) // NOLINT(misc-no-recursion) -- few levels
{
  enum { MOST_DEPTH = 4 };
  if (json_is_string(value)) return json_string_value(value);
  for (size_t i = 0; depth < MOST_DEPTH && i < json_array_size(value); ++i) {
    const char *word = word_in(json_array_get(value, i), depth + 1);
    if (word != NULL) return word;
  }
  return NULL;
}

/* The first setting of attention_config that has a word: it is lists within lists, which become settings with numbers
 * for names. */
static const ss_setting *attention_of(const ss_sheet *s, const char **word)
{
  static const char name[] = "attention?config";
  *word = NULL;
  for (int64_t i = 0; i < s->settings->count; ++i) {
    const ss_setting *setting = &s->settings->setting[i];
    const bool is_it = strncmp(setting->key, name, 9) == 0 && strncmp(setting->key + 10, name + 10, 6) == 0;
    if (is_it) *word = word_in(setting->value, 0);
    if (is_it && *word != NULL) return setting;
  }
  return NULL;
}

/* Kinds of layers, of which flash is a kernel, and global is attention without one (attention_config of neox_args.py).
 */
static ss_status read_attention(ss_sheet *s, ss_error *error)
{
  const char *word;
  const ss_setting *setting = attention_of(s, &word);
  const int line = setting != NULL && setting->line > 0 ? setting->line : 1;
  if (word != NULL && strcmp(word, "flash") != 0 && strcmp(word, "global") != 0)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, line,
                        "attention_config: has layers of %.32s; allowed: flash or global, and --set model.kinds", word);
  const bool flash = word != NULL && strcmp(word, "flash") == 0;
  if (s->is_set[SS_AT_model_layers] || word != NULL)
    ss_import_set(s->import, SS_AT_training_attention, flash ? SS_ATTENTION_FLASH : SS_ATTENTION_UNFUSED, line);
  return SS_OK;
}

static ss_status read_deepspeed(ss_sheet *s, ss_error *error)
{
  ss_status status = SS_OK;
  for (int i = 0; status == SS_OK && i < ss_deepspeed_joint_count; ++i)
    if (ss_deepspeed_joints[i].read != NULL) status = ss_deepspeed_joints[i].read(s, error);
  return status;
}

const ss_joint ss_neox_joints[] = {{read_sizes, NULL},
                                   {ss_megatron_read_positions, NULL},
                                   {read_attention, NULL},
                                   {ss_megatron_read_replicas, NULL},
                                   {read_deepspeed, NULL}};
const int ss_neox_joint_count = sizeof ss_neox_joints / sizeof ss_neox_joints[0];
