/* A second, shallow look at text that libxml2 has accepted, for what its tree does not keep: the line on which each tag
 * and attribute starts (libxml2 knows where a tag ends), and the spelling of the prolog. */
#ifndef STEPSIM_SIM_IO_XML_MARKUP_H
#define STEPSIM_SIM_IO_XML_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ss_markup_kind {
  SS_MARKUP_DECLARATION, /* <?xml ... ?> */
  SS_MARKUP_DOCTYPE,
  SS_MARKUP_START, /* <name ...> or <name ... /> */
  SS_MARKUP_CDATA,
  SS_MARKUP_REFERENCE, /* &...; between tags */
  SS_MARKUP_OTHER      /* comments, processing instructions, end tags */
} ss_markup_kind;

/* One piece of markup: the bytes [begin, end) and the line of the first. */
typedef struct ss_markup {
  ss_markup_kind kind;
  const char *begin, *end;
  int line;
} ss_markup;

/* A position in the text; start with the whole text and line 1. Everything is borrowed. */
typedef struct ss_scan {
  const char *at, *end;
  int line;
} ss_scan;

/* Reads the next piece of markup; false at the end of the text. */
bool ss_scan_markup(ss_scan *scan, ss_markup *markup);

/* Starts to read the attributes of a start tag. */
ss_scan ss_scan_tag(const ss_markup *tag);

/* Finds the next attribute of the tag: its name and the line it starts on; false after the last. */
bool ss_scan_attribute(ss_scan *scan, const char **name, size_t *length, int *line);

#endif
