/* A workload: one transformer, how it is trained, how it is split and where its ranks sit. */
#ifndef STEPSIM_MODEL_INPUT_WORKLOAD_H
#define STEPSIM_MODEL_INPUT_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/gpu_generation.h"
#include "model/input/origin.h"
#include "model/input/words.h"
#include "model/input/workload_fields.h"

typedef enum ss_attribute_type {
  SS_ATTRIBUTE_TEXT,
  SS_ATTRIBUTE_COUNT,
  SS_ATTRIBUTE_REAL,
  SS_ATTRIBUTE_CHOICE,
  SS_ATTRIBUTE_SET
} ss_attribute_type;

/* The elements in the order of a file: SS_ELEMENT_model, ...; one more than the last is their number. */
typedef enum ss_element {
#define SS_ELEMENT_ID(name, help) SS_ELEMENT_##name,
  SS_ELEMENT_LIST(SS_ELEMENT_ID)
#undef SS_ELEMENT_ID
      SS_ELEMENT_TOTAL
} ss_element;

/* One row of the table. `offset` is into ss_workload: char[SS_TEXT_SIZE], int64_t, double, an enum or ss_word_set by
 * type. */
typedef struct ss_attribute {
  const char *element, *name;
  ss_element of; /* the element */
  ss_attribute_type type;
  size_t offset;
  double fallback, minimum, maximum;
  const char *text_fallback;
  const char *const *words; /* NULL-terminated, for choices and sets */
  const char *help;
} ss_attribute;

/* The `fallback` of a count that must be given, and of one that follows from the others. */
#define SS_REQUIRED (-1)
#define SS_DERIVED  0

/* Index of each row: SS_AT_model_layers, ... */
typedef enum ss_attribute_index {
#define SS_INDEX(element, field)              SS_AT_##element##_##field,
#define SS_INDEX_CHOICE(element, field, list) SS_AT_##element##_##field,
  SS_WORKLOAD_FIELDS(SS_INDEX, SS_INDEX, SS_INDEX, SS_INDEX_CHOICE, SS_INDEX)
#undef SS_INDEX
#undef SS_INDEX_CHOICE
      SS_ATTRIBUTE_TOTAL
} ss_attribute_index;

/* In model/input/documents.h. */
typedef struct ss_document_list ss_document_list;

typedef struct ss_workload {
#define SS_FIELD_TEXT(element, field)         char field[SS_TEXT_SIZE];
#define SS_FIELD_COUNT(element, field)        int64_t field;
#define SS_FIELD_REAL(element, field)         double field;
#define SS_FIELD_CHOICE(element, field, list) ss_##list field;
#define SS_FIELD_SET(element, field)          ss_word_set field;
#define SS_ELEMENT(element, help)                                                                                      \
  struct {                                                                                                             \
    SS_FIELDS_##element(SS_FIELD_TEXT, SS_FIELD_COUNT, SS_FIELD_REAL, SS_FIELD_CHOICE, SS_FIELD_SET)                   \
  } element;
  // NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) -- in the order in which they are documented
  SS_ELEMENT_LIST(SS_ELEMENT)
#undef SS_ELEMENT
#undef SS_FIELD_TEXT
#undef SS_FIELD_COUNT
#undef SS_FIELD_REAL
#undef SS_FIELD_CHOICE
#undef SS_FIELD_SET
  char gpu[SS_GPU_MODEL_SIZE];           /* the model of GPU that it is to run on; empty where that is not known */
  const ss_document_list *document_list; /* what training.document-lengths has; NULL without one; borrowed */
  char file[SS_PATH_SIZE];               /* the file it was read from, for messages */
  int line[SS_ATTRIBUTE_TOTAL];          /* the line each attribute was read from, or SS_LINE_* */
  int element_line[SS_ELEMENT_TOTAL];    /* the line of each element, 0 where the file has none */
} ss_workload;

/* The table as an array of SS_ATTRIBUTE_TOTAL rows, in the order of ss_attribute_index. */
const ss_attribute *ss_workload_attributes(void);

/* The row of ELEMENT.NAME; NULL when there is none. */
const ss_attribute *ss_workload_attribute(const char *element, const char *name);

/* Sets all attributes to their defaults, required ones to 0. */
void ss_workload_init(ss_workload *workload);

/* Takes an attribute back to its default, as if it had not been given; a required one to 0. */
void ss_workload_reset(ss_workload *workload, ss_attribute_index index);

/* Derives the attributes that were not given from others: ffn, expert-ffn, kv-heads, head-size, panels. Call it once,
 * after the last attribute is set. A head size that is not a whole number stays 0, and ss_workload_check refuses it.
 * Layers of the first and last stage stay 0 for an even share, layers of recomputation and of offloading stay 0 for
 * all, etp stays 0 for tp. */
void ss_workload_derive(ss_workload *workload);

/* The line that an attribute came from, or SS_LINE_*; where it was not given, that of its element. */
int ss_workload_line(const ss_workload *workload, ss_attribute_index index);

/* Refuses attribute `index` at this line, for checks made elsewhere. Always SS_ERROR_INPUT. */
ss_status ss_workload_refuse(const ss_workload *workload, ss_attribute_index index, ss_error *error, const char *format,
                             ...) __attribute__((format(printf, 4, 5)));

/* Writes the value of an attribute into `text` as a user would, cut to `size` bytes. */
void ss_workload_value_text(const ss_workload *workload, ss_attribute_index index, char *text, size_t size);

/* Whether two workloads have one value of an attribute; gives one the value that the other has, but not its line. */
bool ss_workload_agree(const ss_workload *a, const ss_workload *b, ss_attribute_index index);
void ss_workload_copy_value(ss_workload *to, const ss_workload *from, ss_attribute_index index);

/* Attributes of a workload that name a file. */
#define SS_WORKLOAD_FILES 3
extern const ss_attribute_index ss_workload_files[SS_WORKLOAD_FILES];

/* The name of such a file, `i` in [0, SS_WORKLOAD_FILES); empty where none is given. */
const char *ss_workload_file(const ss_workload *workload, int i);

/* The feed-forward part of its layers, but for the first dense ones, is a mixture of experts. */
bool ss_workload_has_experts(const ss_workload *workload);

/* The host launches kernels of its routed experts one by one, whose tokens it has to know. */
bool ss_workload_launches_experts(const ss_workload *workload);

/* Lengths of its documents are drawn. */
bool ss_workload_draws_documents(const ss_workload *workload);

/* Its mixer is attention, or has it. */
bool ss_workload_attends(const ss_workload *workload);

/* Its attention turns queries and keys by their positions; latent attention has a part of heads for it. */
bool ss_workload_is_rotary(const ss_workload *workload);

/* Its recomputation is selective, but nothing is: no modules are given, and flash attention keeps no logits. */
bool ss_workload_selects_nothing(const ss_workload *workload);

/* Only adapters are trained (training.lora-rank). */
bool ss_workload_adapts(const ss_workload *workload);

/* Products of a layer that have an adapter (training.lora-rank), a set of ss_lora_module; none where there are none. */
ss_word_set ss_workload_lora_modules(const ss_workload *workload);

/* Whether products of MLPs have adapters; and whether those of routed experts do. */
bool ss_workload_adapts_mlps(const ss_workload *workload);
bool ss_workload_adapts_experts(const ss_workload *workload);

/* Its mixer carries a state along the sequence. */
bool ss_workload_has_states(const ss_workload *workload);

/* The size of the values of a head: value-head-size, or head-size. */
int64_t ss_workload_value_size(const ss_workload *workload);

/* Whether a layer attends to the tokens that an indexer chooses. */
bool ss_workload_is_sparse(const ss_workload *workload);

/* Whether a layer attends to compressed tokens (mixer compressed); whether residual streams go through it. */
bool ss_workload_is_compressed(const ss_workload *workload);
bool ss_workload_has_streams(const ss_workload *workload);

/* The same workload, which attends to all tokens. */
ss_workload ss_workload_without_choice(const ss_workload *workload);

/* Keys that a query sees at most: those in the model's window or chunk, or those that an indexer chooses, else all of
 * the sequence. */
int64_t ss_workload_most_keys(const ss_workload *workload);

/* Experts that a token goes to in the mean: of top-k, those that are none of the zero-experts. */
double ss_workload_choices(const ss_workload *workload);

/* The size of tokens in its routed experts: expert-latent, or the hidden size. */
int64_t ss_workload_expert_hidden(const ss_workload *workload);

/* Some of its layers have an MLP. */
bool ss_workload_has_mlp(const ss_workload *workload);

/* GPUs the workload uses: dp * tp * tp2 * cp * pp. */
int64_t ss_workload_gpus(const ss_workload *workload);

/* How the ranks of a stage are split in expert layers: expert-tensor-parallel size, tp where none is given, and ranks
 * that hold the same experts, edp = tp tp2 cp dp / (etp ep). */
int64_t ss_workload_etp(const ss_workload *workload);
int64_t ss_workload_edp(const ss_workload *workload);

/* Micro-batches of one replica in one iteration: global batch / (dp * micro-batch). */
int64_t ss_workload_micro_batches(const ss_workload *workload);

/* Writes the words of a set with blanks between them into `text`, cut to `size` bytes; empty for none. */
void ss_words_text(ss_attribute_index index, ss_word_set set, char *text, size_t size);

/* The word of a choice, e.g. ss_word(SS_AT_training_attention, workload->training.attention). */
const char *ss_word(ss_attribute_index index, int value);

#endif
