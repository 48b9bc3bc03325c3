/* The elements of a workload and the attributes of each, as lists of names. */
#ifndef STEPSIM_SIM_IO_WORKLOAD_ELEMENTS_H
#define STEPSIM_SIM_IO_WORKLOAD_ELEMENTS_H

#include "model/input/workload.h"
#include "sim/io/xml/document.h"

/* Names of all elements, NULL-terminated. */
extern const char *const ss_element_names[SS_ELEMENT_TOTAL + 1];

/* The element called `name`; SS_ELEMENT_TOTAL when there is none. */
ss_element ss_element_find(const char *name);

/* Fills `names` with the attributes of an element, NULL-terminated. */
void ss_element_attribute_names(ss_element element, const char *names[SS_ATTRIBUTE_TOTAL + 1]);

/* Reads the attributes of an element of that kind into a workload, over what it has. SS_ERROR_INPUT with file, line,
 * what was given and what is allowed. */
ss_status ss_element_read(const ss_document *document, const xmlNode *node, ss_element element, ss_workload *workload,
                          ss_error *error);

#endif
