#include "sim/io/workload/elements.h"

#include <string.h>

#include "model/input/workload.h"
#include "sim/io/assign.h"

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

ss_status ss_element_read(const ss_document *document, const xmlNode *node, ss_element element, ss_workload *workload,
                          ss_error *error)
{
  const char *name = ss_element_names[element], *names[SS_ATTRIBUTE_TOTAL + 1];
  ss_value values[SS_ATTRIBUTE_TOTAL];
  const xmlNode *inner = ss_element_first(node);
  if (inner != NULL) return ss_element_refuse(document, inner, "no elements here", error);
  ss_element_attribute_names(element, names);
  workload->element_line[element] = ss_element_line(node);
  ss_status status = ss_element_attributes(document, node, name, names, values, error);
  for (size_t i = 0; status == SS_OK && names[i] != NULL; i++) {
    if (values[i].text == NULL) continue;
    status = ss_workload_assign(workload, ss_workload_attribute(name, names[i]), &values[i], values[i].line, error);
  }
  return status;
}
