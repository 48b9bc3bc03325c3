#include "model/input/stack.h"

#include <stdbool.h>
#include <string.h>

#define SS_STACK(id, title, files)
#define SS_STACK_SETS(id, element, field, word, of, where)                                                             \
  {id, SS_AT_##element##_##field, word, SS_STACK_OF_##of, where},
static const ss_stack_setting settings[] = {
#include "model/input/stacks.def"
};

#define SS_STACK(id, title, files) [id] = {title, files},
#define SS_STACK_SETS(id, element, field, word, of, where)
static const ss_stack_title titles[] = {
#include "model/input/stacks.def"
};

#define SETTINGS ((int64_t)(sizeof settings / sizeof settings[0]))

static bool applies(const ss_workload *w, ss_stack_of of)
{
  switch (of) {
#define SS_STACK_OF_CASE(id, test, text)                                                                               \
  case SS_STACK_OF_##id: return test;
    SS_STACK_OF_LIST(SS_STACK_OF_CASE)
#undef SS_STACK_OF_CASE
  }
  return false;
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

const char *ss_stack_of_text(ss_stack_of of)
{
  static const char *const texts[] = {
#define SS_STACK_OF_TEXT(id, test, text) text,
      SS_STACK_OF_LIST(SS_STACK_OF_TEXT)
#undef SS_STACK_OF_TEXT
  };
  return texts[of];
}

static void set_word(ss_workload *workload, ss_attribute_index attribute, const char *value)
{
  const ss_attribute *row = &ss_workload_attributes()[attribute];
  SS_ASSERT(row->type == SS_ATTRIBUTE_CHOICE);
  int word = 0;
  for (; strcmp(row->words[word], value) != 0; ++word) SS_ASSERT(row->words[word + 1] != NULL);
  memcpy((char *)workload + row->offset, &word, sizeof word);
}

/* The rows of a stack only set choices, so that nothing else can come from one. */
static void forget(ss_workload *workload)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    if (workload->line[i] != SS_LINE_STACK) continue;
    set_word(workload, (ss_attribute_index)i, row->words[(int)row->fallback]);
    workload->line[i] = SS_LINE_DEFAULT;
  }
}

void ss_stack_apply(ss_workload *workload)
{
  forget(workload);
  for (int64_t i = 0; i < SETTINGS; ++i) {
    const ss_stack_setting *row = &settings[i];
    if (row->stack != workload->training.stack || !applies(workload, row->of)) continue;
    if (workload->line[row->attribute] != SS_LINE_DEFAULT) continue;
    set_word(workload, row->attribute, row->value);
    workload->line[row->attribute] = SS_LINE_STACK;
  }
}
