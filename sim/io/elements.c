#include "sim/io/elements.h"

#include <string.h>

const char *const ss_element_names[SS_ELEMENT_TOTAL + 1] = {
#define SS_ELEMENT_NAME(name, help) #name,
    SS_ELEMENT_LIST(SS_ELEMENT_NAME)
#undef SS_ELEMENT_NAME
        NULL};

ss_element ss_element_find(const char *name)
{
  int element = 0;
  while (element < SS_ELEMENT_TOTAL && strcmp(ss_element_names[element], name) != 0) element++;
  return (ss_element)element;
}

void ss_element_attribute_names(ss_element element, const char *names[SS_ATTRIBUTE_TOTAL + 1])
{
  size_t count = 0;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    if (strcmp(row->element, ss_element_names[element]) == 0) names[count++] = row->name;
  }
  names[count] = NULL;
}
