#include "sim/import/models/sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a word, or of digits. */
static int64_t number_of(const ss_attribute *attribute, const char *text)
{
  if (attribute->type == SS_ATTRIBUTE_COUNT) return strtoll(text, NULL, 10);
  int64_t word = 0;
  while (strcmp(attribute->words[word], text) != 0) ++word;
  return word;
}

static void set_text(char field[SS_TEXT_SIZE], const char *text)
{
  memcpy(field, text, strlen(text) + 1);
}

void ss_sizes_set(ss_import *import, const ss_sizes *sizes, int line)
{
  ss_workload *w = import->workload;
  char of[SS_TEXT_SIZE], *rest = NULL;
  SS_ASSERT(strlen(sizes->of) < sizeof of);
  set_text(of, sizes->of);
  for (char *name = strtok_r(of, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(name, '=');
    SS_ASSERT(equals != NULL);
    *equals = '\0';
    const ss_attribute *attribute = ss_workload_attribute("model", name);
    SS_ASSERT(attribute != NULL);
    ss_import_set(import, (ss_attribute_index)(attribute - ss_workload_attributes()), number_of(attribute, equals + 1),
                  line);
  }
  if (sizes->kinds == NULL) return;
  set_text(w->model.kinds, sizes->kinds);
  set_text(w->model.pattern, sizes->pattern);
  w->line[SS_AT_model_kinds] = w->line[SS_AT_model_pattern] = line;
}
