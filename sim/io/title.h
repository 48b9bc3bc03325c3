/* What a file says about itself, without reading it as XML. */
#ifndef STEPSIM_SIM_IO_TITLE_H
#define STEPSIM_SIM_IO_TITLE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the root element of an XML text is `root`. */
bool ss_title_has_root(const char *text, const char *root);

/* The first sentence of the first comment of an XML text, on one line and cut to `size`; empty where there is none. */
void ss_title_of(const char *text, char *title, size_t size);

#endif
