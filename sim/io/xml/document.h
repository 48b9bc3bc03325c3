/* An XML document that is safe to walk: well-formed UTF-8, without declarations of its own, nothing fetched. */
#ifndef STEPSIM_SIM_IO_XML_DOCUMENT_H
#define STEPSIM_SIM_IO_XML_DOCUMENT_H

#include <libxml/tree.h>

#include "model/base/error.h"
#include "sim/io/file.h"
#include "sim/io/value.h"

/* Zeroed is closed. */
typedef struct ss_document {
  const char *path; /* borrowed */
  ss_file file;
  xmlDoc *xml;
} ss_document;

/* Reads and parses `path`, whose root element must be `root`. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release with
 * ss_document_close in any case. */
ss_status ss_document_open(const char *path, const char *root, ss_document *document, ss_error *error);

/* Releases the document; zeroed is fine. */
void ss_document_close(ss_document *document);

/* Validates the document against a schema (NUL-terminated XSD), after the checks of single attributes. SS_ERROR_INPUT.
 */
ss_status ss_document_validate(const ss_document *document, const char *xsd, ss_error *error);

/* Checks that the root element, called `root`, has version="1" and no other attribute. SS_ERROR_INPUT. */
ss_status ss_document_version(const ss_document *document, const char *root, ss_error *error);

/* The path of a file that a value in the document names, relative to the document. SS_ERROR_INPUT if it is too long. */
ss_status ss_document_beside(const ss_document *document, const ss_value *value, char path[SS_PATH_SIZE],
                             ss_error *error);

/* The line on which an element starts. */
int ss_element_line(const xmlNode *element);

/* The first child element; NULL if there is none. Documents contain no text. */
const xmlNode *ss_element_first(const xmlNode *parent);

/* The next sibling element; NULL if there is none. */
const xmlNode *ss_element_next(const xmlNode *element);

/* Whether an element has this name and no namespace. */
bool ss_element_is(const xmlNode *element, const char *name);

/* The text of one attribute, whatever others there are; NULL if it is missing. Borrowed from the document. */
const char *ss_element_peek(const xmlNode *element, const char *name);

/* Refuses an element by name, with the list of those that are allowed in its place. */
ss_status ss_element_refuse(const ss_document *document, const xmlNode *element, const char *allowed, ss_error *error);

/* Splits an element into its attributes: values[i] becomes the one called names[i] (NULL-terminated), without text
 * when the element does not have it. Messages call it SUBJECT.NAME, and so they refuse attributes that have another
 * name. The values borrow from the document. */
ss_status ss_element_attributes(const ss_document *document, const xmlNode *element, const char *subject,
                                const char *const *names, ss_value *values, ss_error *error);

#endif
