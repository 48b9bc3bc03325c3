/* What the XML parser inside SimGrid does not read, although it is XML. */
#ifndef STEPSIM_SIM_IO_XML_PROLOG_H
#define STEPSIM_SIM_IO_XML_PROLOG_H

#include "sim/io/xml/document.h"

/* Refuses spellings on which SimGrid 3.32 stops the program: a byte order mark, some XML declarations, another document
 * type or none, references in the attributes of anything but properties. SS_ERROR_INPUT. */
ss_status ss_prolog_check(const ss_document *document, ss_error *error);

#endif
