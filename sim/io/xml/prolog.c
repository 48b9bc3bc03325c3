#include "sim/io/xml/prolog.h"

#include <string.h>

#include "sim/io/xml/markup.h"

#define DOCTYPE "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"

static bool contains(const ss_markup *markup, const char *text)
{
  const size_t length = strlen(text);
  for (const char *at = markup->begin; at + length <= markup->end; at++)
    if (memcmp(at, text, length) == 0) return true;
  return false;
}

static bool begins(const ss_markup *markup, const char *text)
{
  const size_t length = strlen(text);
  return (size_t)(markup->end - markup->begin) >= length && memcmp(markup->begin, text, length) == 0;
}

/* Moves past `text` and the white space that follows, which is required if `spaced`; NULL if the text is missing. */
static const char *behind(const char *at, const char *text, bool spaced)
{
  if (at == NULL || strncmp(at, text, strlen(text)) != 0) return NULL;
  const char *end = at + strlen(text), *next = end;
  while (ss_is_white(*next)) next++;
  return spaced && next == end ? NULL : next;
}

/* Checks the spelling itself, since libxml2 does not report the space before the name. */
static bool is_known_doctype(const ss_markup *markup)
{
  /* The second is the old address, which SimGrid still accepts. */
  static const char *const addresses[] = {"https://simgrid.org/simgrid.dtd",
                                          "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd"};
  const char *at = behind(behind(behind(markup->begin, "<!DOCTYPE", true), "platform", true), "SYSTEM", true);
  if (at == NULL || (*at != '"' && *at != '\'')) return false;
  const char quote[] = {*at, '\0'};
  for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
    const size_t length = strlen(addresses[i]);
    if (strncmp(at + 1, addresses[i], length) != 0) continue;
    const char *end = behind(at + 1 + length, quote, false);
    if (end != NULL && *end == '>') return true;
  }
  return false;
}

static const char *piece_problem(const ss_markup *markup)
{
  static const char declaration[] =
      "SimGrid does not read this XML declaration; allowed: <?xml version=\"1.0\" encoding=\"UTF-8\"?>";
  switch (markup->kind) {
  case SS_MARKUP_DECLARATION:
    return contains(markup, "standalone") || ss_is_white(markup->end[-3]) ? declaration : NULL;
  case SS_MARKUP_DOCTYPE:
    return is_known_doctype(markup) ? NULL : "SimGrid does not read this document type; allowed: " DOCTYPE;
  case SS_MARKUP_START:
    /* SimGrid compares enumerated values before it replaces references. */
    if (!begins(markup, "<prop") && contains(markup, "&"))
      return "SimGrid does not read references here; allowed: only in <prop>";
    return NULL;
  case SS_MARKUP_CDATA:
  case SS_MARKUP_REFERENCE: return NULL;
  case SS_MARKUP_OTHER:
    /* An instruction <?xmlfoo ...?>, which SimGrid mistakes for a declaration. */
    return begins(markup, "<?xml") ? declaration : NULL;
  }
  return NULL;
}

ss_status ss_prolog_check(const ss_document *document, ss_error *error)
{
  const char *text = document->file.text;
  if (document->file.had_mark)
    return ss_error_set(error, SS_ERROR_INPUT, document->path, 1,
                        "starts with a byte order mark, which SimGrid does not read; allowed: UTF-8 without it");
  ss_scan scan = {.at = text, .end = text + document->file.size, .line = 1};
  ss_markup markup;
  bool typed = false;
  while (ss_scan_markup(&scan, &markup)) {
    const char *problem = piece_problem(&markup);
    if (problem != NULL) return ss_error_set(error, SS_ERROR_INPUT, document->path, markup.line, "%s", problem);
    typed = typed || markup.kind == SS_MARKUP_DOCTYPE;
  }
  if (typed) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, document->path, 0,
                      "has no document type, which SimGrid needs; allowed: " DOCTYPE);
}
