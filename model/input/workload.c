#include "model/input/workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/input/origin.h"

#define SS_WORD(id, word)    word,
#define SS_WORDS(name, list) static const char *const words_##name[] = {list(SS_WORD) NULL};
SS_CHOICE_LISTS(SS_WORDS)
SS_SET_LISTS(SS_WORDS)
#undef SS_WORDS
#undef SS_WORD

/* What a field holds and, for a choice, its words; the row of a set names its list. */
#define SS_FIELD(part, field) (((const ss_workload *)NULL)->part.field)
#define SS_TYPE_OF(part, field)                                                                                        \
  _Generic(SS_FIELD(part, field),                                                                                      \
      const char *: SS_ATTRIBUTE_TEXT,                                                                                 \
      int64_t: SS_ATTRIBUTE_COUNT,                                                                                     \
      double: SS_ATTRIBUTE_REAL,                                                                                       \
      ss_word_set: SS_ATTRIBUTE_SET,                                                                                   \
      default: SS_ATTRIBUTE_CHOICE)
#define SS_WORDS_CASE(name, list) ss_##name : words_##name,
#define SS_WORDS_OF(part, field)  _Generic(SS_FIELD(part, field), SS_CHOICE_LISTS(SS_WORDS_CASE) default : NULL)
#define SS_ROW(part, field, label, text, ...)                                                                          \
  [SS_AT_##part##_##field] = {.element = #part,                                                                        \
                              .of = SS_ELEMENT_##part,                                                                 \
                              .name = label,                                                                           \
                              .type = SS_TYPE_OF(part, field),                                                         \
                              .offset = offsetof(ss_workload, part.field),                                             \
                              .help = text,                                                                            \
                              __VA_ARGS__},
#define SS_TEXT(part, field, label, preset, text) SS_ROW(part, field, label, text, .text_fallback = preset)
#define SS_NUMBER(part, field, label, preset, least, most, text)                                                       \
  SS_ROW(part, field, label, text, .fallback = preset, .minimum = least, .maximum = most)
#define SS_CHOICE(part, field, label, preset, text)                                                                    \
  SS_ROW(part, field, label, text, .fallback = preset, .words = SS_WORDS_OF(part, field))

#define SS_SET(part, field, label, list, text) SS_ROW(part, field, label, text, .words = words_##list)

static const ss_attribute attributes[SS_ATTRIBUTE_TOTAL] = {
#include "model/input/workload_attributes.def"
};

/* Each field has a row. */
#define SS_TEXT(...)   +1
#define SS_NUMBER(...) +1
#define SS_CHOICE(...) +1
#define SS_SET(...)    +1
enum {
  ROWS = 0
#include "model/input/workload_attributes.def"
};
_Static_assert((int)ROWS == (int)SS_ATTRIBUTE_TOTAL, "a field of a workload has no row");

#undef SS_FIELD
#undef SS_TYPE_OF
#undef SS_WORDS_CASE
#undef SS_WORDS_OF
#undef SS_ROW

const ss_attribute *ss_workload_attributes(void)
{
  return attributes;
}

const ss_attribute *ss_workload_attribute(const char *element, const char *name)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++)
    if (strcmp(attributes[i].element, element) == 0 && strcmp(attributes[i].name, name) == 0) return &attributes[i];
  return NULL;
}

void ss_workload_init(ss_workload *workload)
{
  memset(workload, 0, sizeof *workload);
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute *row = &attributes[i];
    char *field = (char *)workload + row->offset;
    const int64_t count = row->fallback > 0 ? (int64_t)row->fallback : 0;
    const int choice = (int)row->fallback;
    switch (row->type) {
    case SS_ATTRIBUTE_TEXT: (void)snprintf(field, SS_TEXT_SIZE, "%s", row->text_fallback); break;
    case SS_ATTRIBUTE_COUNT: memcpy(field, &count, sizeof count); break;
    case SS_ATTRIBUTE_REAL: memcpy(field, &row->fallback, sizeof row->fallback); break;
    case SS_ATTRIBUTE_CHOICE: memcpy(field, &choice, sizeof choice); break;
    case SS_ATTRIBUTE_SET: break; /* empty */
    }
  }
}

void ss_workload_reset(ss_workload *workload, ss_attribute_index index)
{
  ss_workload fresh;
  ss_workload_init(&fresh);
  ss_workload_copy_value(workload, &fresh, index);
  workload->line[index] = SS_LINE_DEFAULT;
}

void ss_workload_derive(ss_workload *workload)
{
  const int64_t hidden = workload->model.hidden, heads = workload->model.heads;
  const int64_t tp = workload->parallelism.tp, tp2 = workload->parallelism.tp2;
  if (workload->model.ffn == SS_DERIVED) workload->model.ffn = 4 * hidden;
  if (workload->model.vision_ffn == SS_DERIVED) workload->model.vision_ffn = 4 * workload->model.vision_hidden;
  if (workload->model.expert_ffn == SS_DERIVED) workload->model.expert_ffn = workload->model.ffn;
  if (workload->model.kv_heads == SS_DERIVED) workload->model.kv_heads = heads;
  if (workload->parallelism.panels == SS_DERIVED) workload->parallelism.panels = tp > tp2 ? tp : tp2;
  /* An uneven quotient stays 0, so that the check can tell it from one that was given. */
  if (workload->model.head_size == SS_DERIVED && heads > 0 && hidden % heads == 0)
    workload->model.head_size = hidden / heads;
}

static size_t size_of(const ss_attribute *row)
{
  static const size_t sizes[] = {[SS_ATTRIBUTE_TEXT] = SS_TEXT_SIZE,
                                 [SS_ATTRIBUTE_COUNT] = sizeof(int64_t),
                                 [SS_ATTRIBUTE_REAL] = sizeof(double),
                                 [SS_ATTRIBUTE_CHOICE] = sizeof(int),
                                 [SS_ATTRIBUTE_SET] = sizeof(ss_word_set)};
  return sizes[row->type];
}

bool ss_workload_agree(const ss_workload *a, const ss_workload *b, ss_attribute_index index)
{
  const ss_attribute *row = &attributes[index];
  const char *of_a = (const char *)a + row->offset, *of_b = (const char *)b + row->offset;
  return row->type == SS_ATTRIBUTE_TEXT ? strcmp(of_a, of_b) == 0 : memcmp(of_a, of_b, size_of(row)) == 0;
}

void ss_workload_copy_value(ss_workload *to, const ss_workload *from, ss_attribute_index index)
{
  const ss_attribute *row = &attributes[index];
  memcpy((char *)to + row->offset, (const char *)from + row->offset, size_of(row));
}

const ss_attribute_index ss_workload_files[SS_WORKLOAD_FILES] = {SS_AT_placement_free, SS_AT_placement_ranks,
                                                                 SS_AT_training_document_lengths};

const char *ss_workload_file(const ss_workload *workload, int i)
{
  return (const char *)workload + attributes[ss_workload_files[i]].offset;
}

const char *ss_word(ss_attribute_index index, int value)
{
  const char *const *words = attributes[index].words;
  SS_ASSERT(words != NULL && value >= 0);
  for (int i = 0; i < value; i++) SS_ASSERT(words[i] != NULL);
  SS_ASSERT(words[value] != NULL);
  return words[value];
}

void ss_words_text(ss_attribute_index index, ss_word_set set, char *text, size_t size)
{
  size_t used = 0;
  SS_ASSERT(size > 0);
  text[0] = '\0';
  for (int i = 0; attributes[index].words[i] != NULL; i++) {
    if ((set & SS_WORD_BIT(i)) == 0 || used >= size) continue;
    const int length = snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", attributes[index].words[i]);
    used += (size_t)length;
  }
}

void ss_workload_value_text(const ss_workload *workload, ss_attribute_index index, char *text, size_t size)
{
  const ss_attribute *row = &attributes[index];
  const void *field = (const char *)workload + row->offset;
  int64_t count;
  double real;
  int choice;
  ss_word_set set;
  switch (row->type) {
  case SS_ATTRIBUTE_TEXT: (void)snprintf(text, size, "%s", (const char *)field); break;
  case SS_ATTRIBUTE_COUNT:
    memcpy(&count, field, sizeof count);
    (void)snprintf(text, size, "%" PRId64, count);
    break;
  case SS_ATTRIBUTE_REAL:
    memcpy(&real, field, sizeof real);
    (void)snprintf(text, size, "%g", real);
    break;
  case SS_ATTRIBUTE_CHOICE:
    memcpy(&choice, field, sizeof choice);
    (void)snprintf(text, size, "%s", ss_word(index, choice));
    break;
  case SS_ATTRIBUTE_SET:
    memcpy(&set, field, sizeof set);
    ss_words_text(index, set, text, size);
    break;
  }
}

int ss_workload_line(const ss_workload *workload, ss_attribute_index index)
{
  return ss_line_is_own(workload->line[index]) ? workload->line[index] : workload->element_line[attributes[index].of];
}

/* The attribute that has set another one: the stack or the framework; else that one itself. */
static ss_attribute_index source_of(const ss_workload *workload, ss_attribute_index index)
{
  if (workload->line[index] != SS_LINE_STACK) return index;
  if (workload->training.stack != SS_STACK_NONE) return SS_AT_training_stack;
  return workload->training.framework != SS_RUNNER_ANY ? SS_AT_training_framework : index;
}

ss_status ss_workload_refuse(const ss_workload *workload, ss_attribute_index index, ss_error *error, const char *format,
                             ...)
{
  char value[SS_TEXT_SIZE], problem[SS_MESSAGE_SIZE];
  ss_workload_value_text(workload, index, value, sizeof value);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  const ss_attribute_index source = source_of(workload, index);
  const int line = ss_workload_line(workload, source);
  const bool overridden = line == SS_LINE_OVERRIDE;
  char of_source[SS_TEXT_SIZE] = "";
  if (source != index) {
    ss_workload_value_text(workload, source, of_source, sizeof of_source);
    return ss_error_set(error, SS_ERROR_INPUT, overridden ? SS_OVERRIDE_FILE : workload->file, overridden ? 0 : line,
                        "%s.%s=\"%s\" of %s.%s=%s: %s", attributes[index].element, attributes[index].name, value,
                        attributes[source].element, attributes[source].name, of_source, problem);
  }
  const char *derived = workload->line[index] == SS_LINE_DERIVED ? " (chosen for the rest of the workload)" : "";
  return ss_error_set(error, SS_ERROR_INPUT, overridden ? SS_OVERRIDE_FILE : workload->file, overridden ? 0 : line,
                      "%s.%s=\"%s\"%s: %s", attributes[index].element, attributes[index].name, value, derived, problem);
}

bool ss_workload_has_experts(const ss_workload *workload)
{
  return workload->model.experts > 0 && workload->model.feed_forward == SS_FEED_FORWARD_AUTO;
}

bool ss_workload_launches_experts(const ss_workload *workload)
{
  const ss_expert_kernels kernels = workload->training.expert_kernels;
  return kernels == SS_EXPERT_KERNELS_EACH || kernels == SS_EXPERT_KERNELS_SEQUENTIAL;
}

bool ss_workload_has_states(const ss_workload *workload)
{
  const ss_mixer mixer = workload->model.mixer;
  return mixer != SS_MIXER_ATTENTION && mixer != SS_MIXER_COMPRESSED && mixer != SS_MIXER_CONVOLUTION &&
         mixer != SS_MIXER_NONE;
}

bool ss_workload_selects_nothing(const ss_workload *workload)
{
  return workload->training.recompute == SS_RECOMPUTE_SELECTIVE && workload->training.recompute_modules == 0 &&
         workload->training.attention == SS_ATTENTION_FLASH;
}

bool ss_workload_draws_documents(const ss_workload *workload)
{
  return workload->training.documents != SS_DOCUMENTS_NONE && workload->training.documents != SS_DOCUMENTS_FIXED;
}

bool ss_workload_attends(const ss_workload *workload)
{
  const ss_mixer mixer = workload->model.mixer;
  return mixer == SS_MIXER_ATTENTION || mixer == SS_MIXER_HYBRID || mixer == SS_MIXER_COMPRESSED;
}

bool ss_workload_is_rotary(const ss_workload *workload)
{
  if (workload->model.rotary != SS_MODEL_ROTARY_AUTO) return workload->model.rotary == SS_MODEL_ROTARY_YES;
  return workload->model.mlp != SS_MLP_GELU;
}

bool ss_workload_adapts(const ss_workload *workload)
{
  return workload->training.lora_rank > 0;
}

ss_word_set ss_workload_lora_modules(const ss_workload *workload)
{
  const ss_word_set all =
      SS_WORD_BIT(SS_LORA_QKV) | SS_WORD_BIT(SS_LORA_PROJ) | SS_WORD_BIT(SS_LORA_FC1) | SS_WORD_BIT(SS_LORA_FC2);
  if (!ss_workload_adapts(workload)) return 0;
  return workload->training.lora_modules == 0 ? all : workload->training.lora_modules;
}

bool ss_workload_adapts_mlps(const ss_workload *workload)
{
  return (ss_workload_lora_modules(workload) & (SS_WORD_BIT(SS_LORA_FC1) | SS_WORD_BIT(SS_LORA_FC2))) != 0;
}

bool ss_workload_adapts_experts(const ss_workload *workload)
{
  const bool routed = workload->model.experts > 0 && workload->training.lora_experts != SS_LORA_EXPERTS_NONE;
  return routed && ss_workload_adapts_mlps(workload);
}

int64_t ss_workload_value_size(const ss_workload *workload)
{
  return workload->model.value_head_size > 0 ? workload->model.value_head_size : workload->model.head_size;
}

bool ss_workload_is_sparse(const ss_workload *workload)
{
  return workload->model.mixer == SS_MIXER_ATTENTION && workload->model.index_top_k > 0;
}

bool ss_workload_is_compressed(const ss_workload *workload)
{
  return workload->model.mixer == SS_MIXER_COMPRESSED;
}

bool ss_workload_has_streams(const ss_workload *workload)
{
  return workload->model.residual_streams > 1;
}

ss_workload ss_workload_without_choice(const ss_workload *workload)
{
  ss_workload whole = *workload;
  whole.model.index_top_k = 0;
  return whole;
}

int64_t ss_workload_most_keys(const ss_workload *workload)
{
  const int64_t chosen = ss_workload_is_sparse(workload) ? workload->model.index_top_k : workload->model.window;
  const int64_t most = workload->model.chunk > 0 ? workload->model.chunk : chosen, tokens = workload->model.sequence;
  return most > 0 && most < tokens ? most : tokens;
}

double ss_workload_choices(const ss_workload *workload)
{
  const double experts = (double)workload->model.experts, top_k = (double)workload->model.top_k;
  const int64_t zero = workload->model.zero_experts;
  return zero > 0 ? top_k * experts / (experts + (double)zero) : top_k;
}

int64_t ss_workload_expert_hidden(const ss_workload *workload)
{
  return workload->model.expert_latent > 0 ? workload->model.expert_latent : workload->model.hidden;
}

bool ss_workload_has_mlp(const ss_workload *workload)
{
  if (ss_workload_has_experts(workload)) return workload->model.dense_layers > 0;
  return workload->model.feed_forward != SS_FEED_FORWARD_NONE;
}

/* Products saturate: what is too large for a machine is refused by comparison, not by overflow. */
static int64_t product(int64_t a, int64_t b)
{
  return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static int64_t stage_ranks(const ss_workload *workload)
{
  const int64_t tensor = product(workload->parallelism.tp, workload->parallelism.tp2);
  return product(product(tensor, workload->parallelism.cp), workload->parallelism.dp);
}

int64_t ss_workload_gpus(const ss_workload *workload)
{
  return product(stage_ranks(workload), workload->parallelism.pp);
}

int64_t ss_workload_etp(const ss_workload *workload)
{
  return workload->parallelism.etp == SS_DERIVED ? workload->parallelism.tp : workload->parallelism.etp;
}

int64_t ss_workload_edp(const ss_workload *workload)
{
  return stage_ranks(workload) / product(ss_workload_etp(workload), workload->parallelism.ep);
}

int64_t ss_workload_micro_batches(const ss_workload *workload)
{
  return workload->training.global_batch / product(workload->parallelism.dp, workload->training.micro_batch);
}
