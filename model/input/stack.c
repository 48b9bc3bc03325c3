#include "model/input/stack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/exchange.h"
#include "model/input/gpu_generation.h"

#define SS_STACK(id, title, files, base)
#define SS_STACK_RUNS(id, generation, property, value, where)
#define SS_STACK_ROW(id, element, field, word, of, on, where, always)                                                  \
  {id, SS_AT_##element##_##field, SS_STACK_OF_##of, always, on, word, where},
#define SS_STACK_SETS(id, element, field, word, of, where) SS_STACK_ROW(id, element, field, word, of, "", where, false)
#define SS_STACK_SETS_ON(id, element, field, word, of, on, where)                                                      \
  SS_STACK_ROW(id, element, field, word, of, on, where, false)
#define SS_STACK_DOES(id, element, field, word, of, where) SS_STACK_ROW(id, element, field, word, of, "", where, true)
static const ss_stack_setting settings[] = {
#include "model/input/stacks.def"
};

#define SS_STACK(id, title, files, base) [id] = {title, files, base},
#define SS_STACK_RUNS(id, generation, property, value, where)
#define SS_STACK_SETS(id, element, field, word, of, where)
#define SS_STACK_SETS_ON(id, element, field, word, of, on, where)
#define SS_STACK_DOES(id, element, field, word, of, where)
static const ss_stack_title titles[] = {
#include "model/input/stacks.def"
};

#define SETTINGS ((int64_t)(sizeof settings / sizeof settings[0]))

static bool is_of(const ss_workload *w, ss_stack_of of)
{
  switch (of) {
#define SS_STACK_OF_CASE(id, test, text)                                                                               \
  case SS_STACK_OF_##id: return test;
    SS_STACK_OF_LIST(SS_STACK_OF_CASE)
#undef SS_STACK_OF_CASE
  }
  return false;
}

/* Whether a GPU is one of the models, blanks between them; any is where there are none. */
static bool is_on(const char *gpu, const char *models)
{
  const size_t length = strlen(gpu);
  for (const char *word = models; *word != '\0'; word += strspn(word, " ")) {
    const size_t end = strcspn(word, " ");
    if (end == length && memcmp(word, gpu, length) == 0) return true;
    word += end;
  }
  return models[0] == '\0';
}

static bool applies(const ss_workload *w, const ss_stack_setting *row)
{
  return is_on(w->gpu, row->on) && is_of(w, row->of);
}

const ss_stack_setting *ss_stack_settings(int64_t *count)
{
  *count = SETTINGS;
  return settings;
}

ss_stack_title ss_stack_title_of(ss_stack stack)
{
  return titles[stack];
}

bool ss_stack_includes(ss_stack stack, ss_stack other)
{
  while (stack != other && stack != SS_STACK_NONE) stack = titles[stack].base;
  return stack == other;
}

const char *ss_stack_of_text(ss_stack_of of)
{
  static const char *const texts[] = {
#define SS_STACK_OF_TEXT(id, test, text) text,
      SS_STACK_OF_LIST(SS_STACK_OF_TEXT)
#undef SS_STACK_OF_TEXT
  };
  return texts[of];
}

/* The rows of a stack only set choices, sets of words and counts. */
static void set_number(ss_workload *workload, const ss_attribute *row, int64_t number)
{
  const int word = (int)number;
  const ss_word_set set = (ss_word_set)number;
  char *field = (char *)workload + row->offset;
  SS_ASSERT(row->type == SS_ATTRIBUTE_CHOICE || row->type == SS_ATTRIBUTE_COUNT || row->type == SS_ATTRIBUTE_SET);
  if (row->type == SS_ATTRIBUTE_CHOICE)
    memcpy(field, &word, sizeof word);
  else if (row->type == SS_ATTRIBUTE_SET)
    memcpy(field, &set, sizeof set);
  else
    memcpy(field, &number, sizeof number);
}

/* The number of the word that is the first `length` letters of `text`. */
static int word_of(const ss_attribute *row, const char *text, size_t length)
{
  int word = 0;
  while (strlen(row->words[word]) != length || memcmp(row->words[word], text, length) != 0) {
    ++word;
    SS_ASSERT(row->words[word] != NULL);
  }
  return word;
}

static int64_t number_of(const ss_attribute *row, const char *value)
{
  if (row->type == SS_ATTRIBUTE_COUNT) return strtoll(value, NULL, 10);
  if (row->type == SS_ATTRIBUTE_CHOICE) return word_of(row, value, strlen(value));
  int64_t set = 0;
  for (; *value != '\0'; value += strspn(value, " ")) {
    const size_t length = strcspn(value, " ");
    set |= SS_WORD_BIT(word_of(row, value, length));
    value += length;
  }
  return set;
}

ss_stack ss_stack_followed(const ss_workload *workload)
{
  const bool is_titan = workload->training.framework == SS_RUNNER_TORCHTITAN;
  return workload->training.stack == SS_STACK_NONE && is_titan ? SS_STACK_TORCHTITAN_2025 : workload->training.stack;
}

static void forget(ss_workload *workload)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    if (workload->line[i] != SS_LINE_STACK && workload->line[i] != SS_LINE_DERIVED) continue;
    set_number(workload, row, (int64_t)row->fallback);
    workload->line[i] = SS_LINE_DEFAULT;
  }
}

/* The rows of the stack on which it is built come first: its own may depend on what those have set. */
static void apply_rows(ss_workload *workload, ss_stack stack)
{
  const bool whole = workload->training.stack != SS_STACK_NONE;
  if (titles[stack].base != SS_STACK_NONE) apply_rows(workload, titles[stack].base);
  for (int64_t i = 0; i < SETTINGS; ++i) {
    const ss_stack_setting *row = &settings[i];
    const int line = workload->line[row->attribute];
    if (row->stack != stack || (!whole && !row->always)) continue;
    if ((line != SS_LINE_DEFAULT && line != SS_LINE_STACK) || !applies(workload, row)) continue;
    const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
    set_number(workload, attribute, number_of(attribute, row->value));
    workload->line[row->attribute] = SS_LINE_STACK;
  }
}

const ss_stack_setting *ss_stack_setting_of(const ss_workload *workload, ss_attribute_index attribute)
{
  const ss_stack_setting *found = NULL;
  bool holds = false;
  for (ss_stack stack = workload->training.stack; stack != SS_STACK_NONE && !holds; stack = titles[stack].base)
    for (int64_t i = 0; i < SETTINGS; ++i) {
      if (settings[i].stack != stack || settings[i].attribute != attribute) continue;
      const bool is_in_force = applies(workload, &settings[i]);
      if (found == NULL || is_in_force) found = &settings[i];
      holds = holds || is_in_force;
    }
  return found;
}

void ss_stack_apply(ss_workload *workload)
{
  const ss_stack stack = ss_stack_followed(workload);
  forget(workload);
  if (stack != SS_STACK_NONE) apply_rows(workload, stack);
  ss_exchange_choose(workload);
}

void ss_stack_complete(ss_workload *workload, const char *accelerator)
{
  if (accelerator != NULL) ss_gpu_model(accelerator, workload->gpu);
  ss_stack_apply(workload);
  ss_workload_derive(workload);
}
