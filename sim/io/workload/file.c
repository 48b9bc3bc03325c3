/* Reading workload files. */
#include <stdio.h>
#include <string.h>

#include "model/input/workload.h"
#include "sim/io/io.h"
#include "sim/io/workload/elements.h"
#include "sim/io/xml/document.h"
#include "sim/io/xml/schema.h"

static ss_status refuse_unknown(const ss_document *document, const xmlNode *node, ss_error *error)
{
  ss_list allowed = {.used = 0};
  for (int i = 0; i < SS_ELEMENT_TOTAL; i++) ss_list_add(&allowed, "<%s>", ss_element_names[i]);
  return ss_element_refuse(document, node, allowed.text, error);
}

static ss_status read_elements(const ss_document *document, const xmlNode *root, ss_workload *workload, ss_error *error)
{
  for (const xmlNode *node = ss_element_first(root); node != NULL; node = ss_element_next(node)) {
    const ss_element element = ss_element_find((const char *)node->name);
    if (element == SS_ELEMENT_TOTAL) return refuse_unknown(document, node, error);
    const int first = workload->element_line[element];
    if (first != 0)
      return ss_error_set(error, SS_ERROR_INPUT, document->path, ss_element_line(node),
                          "element <%s> occurs again, after line %d; allowed: once", ss_element_names[element], first);
    const ss_status status = ss_element_read(document, node, element, workload, error);
    if (status != SS_OK) return status;
  }
  return SS_OK;
}

/* The path of another file is relative to the workload file that names it, wherever the program runs. */
static ss_status resolve(ss_workload *workload, ss_attribute_index index, ss_error *error)
{
  char *path = (char *)workload + ss_workload_attributes()[index].offset;
  const char *slash = strrchr(workload->file, '/');
  if (path[0] == '\0' || path[0] == '/' || slash == NULL) return SS_OK;
  const size_t folder = (size_t)(slash + 1 - workload->file), length = strlen(path);
  if (folder + length >= SS_TEXT_SIZE)
    return ss_workload_refuse(workload, index, error, "has %zu bytes with the folder of this file; allowed: at most %d",
                              folder + length, SS_TEXT_SIZE - 1);
  memmove(path + folder, path, length + 1);
  memcpy(path, workload->file, folder);
  return SS_OK;
}

ss_status ss_workload_load(const char *path, ss_workload *workload, ss_error *error)
{
  ss_document document;
  ss_workload_init(workload);
  (void)snprintf(workload->file, sizeof workload->file, "%s", path);
  ss_status status = ss_document_open(path, "workload", &document, error);
  if (status == SS_OK) {
    status = ss_document_version(&document, "workload", error);
    if (status == SS_OK) status = read_elements(&document, xmlDocGetRootElement(document.xml), workload, error);
  }
  if (status == SS_OK) status = ss_document_validate(&document, ss_workload_xsd, error);
  for (int i = 0; status == SS_OK && i < SS_WORKLOAD_FILES; i++)
    status = resolve(workload, ss_workload_files[i], error);
  ss_document_close(&document);
  return status;
}
