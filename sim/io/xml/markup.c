#include "sim/io/xml/markup.h"

#include <string.h>

#include "sim/io/value.h"

static size_t left(const ss_scan *scan)
{
  return (size_t)(scan->end - scan->at);
}

static bool starts_with(const ss_scan *scan, const char *prefix)
{
  const size_t length = strlen(prefix);
  return left(scan) >= length && memcmp(scan->at, prefix, length) == 0;
}

static void advance(ss_scan *scan)
{
  if (*scan->at == '\n') scan->line++;
  scan->at++;
}

/* Moves past the next `text`, or to the end. */
static void pass(ss_scan *scan, const char *text)
{
  while (left(scan) > 0 && !starts_with(scan, text)) advance(scan);
  for (size_t i = 0; i < strlen(text) && left(scan) > 0; i++) advance(scan);
}

static void pass_white(ss_scan *scan)
{
  while (left(scan) > 0 && ss_is_white(*scan->at)) advance(scan);
}

/* Moves past the '>' that closes a tag or document type; quoted text and an internal subset may contain others. */
static void pass_tag(ss_scan *scan)
{
  char quote = '\0';
  int depth = 0;
  while (left(scan) > 0) {
    const char byte = *scan->at;
    advance(scan);
    if (quote != '\0') {
      if (byte == quote) quote = '\0';
    } else if (byte == '"' || byte == '\'') {
      quote = byte;
    } else if (byte == '[' || byte == ']') {
      depth += byte == '[' ? 1 : -1;
    } else if (byte == '>' && depth == 0) {
      return;
    }
  }
}

bool ss_scan_markup(ss_scan *scan, ss_markup *markup)
{
  /* The first match counts. A NULL end stands for the '>' of a tag. */
  static const struct {
    const char *begin, *end;
    ss_markup_kind kind;
  } kinds[] = {
      {"<!--", "-->", SS_MARKUP_OTHER},
      {"<![CDATA[", "]]>", SS_MARKUP_CDATA},
      {"<?xml ", "?>", SS_MARKUP_DECLARATION},
      {"<?xml\t", "?>", SS_MARKUP_DECLARATION},
      {"<?xml\n", "?>", SS_MARKUP_DECLARATION},
      {"<?xml\r", "?>", SS_MARKUP_DECLARATION},
      {"<?", "?>", SS_MARKUP_OTHER},
      {"<!", NULL, SS_MARKUP_DOCTYPE},
      {"</", NULL, SS_MARKUP_OTHER},
      {"<", NULL, SS_MARKUP_START},
      {"&", ";", SS_MARKUP_REFERENCE},
  };
  while (left(scan) > 0 && *scan->at != '<' && *scan->at != '&') advance(scan);
  size_t i = 0;
  while (i < sizeof kinds / sizeof kinds[0] && !starts_with(scan, kinds[i].begin)) i++;
  if (i == sizeof kinds / sizeof kinds[0]) return false;
  *markup = (ss_markup){.kind = kinds[i].kind, .begin = scan->at, .line = scan->line};
  for (size_t skip = strlen(kinds[i].begin); skip > 0; skip--) advance(scan);
  if (kinds[i].end != NULL)
    pass(scan, kinds[i].end);
  else
    pass_tag(scan);
  markup->end = scan->at;
  return true;
}

static bool ends_name(char byte)
{
  return ss_is_white(byte) || byte == '/' || byte == '>' || byte == '=';
}

static void pass_name(ss_scan *scan)
{
  while (left(scan) > 0 && !ends_name(*scan->at)) advance(scan);
}

ss_scan ss_scan_tag(const ss_markup *tag)
{
  ss_scan scan = {.at = tag->begin, .end = tag->end, .line = tag->line};
  pass_name(&scan);
  return scan;
}

bool ss_scan_attribute(ss_scan *scan, const char **name, size_t *length, int *line)
{
  pass_white(scan);
  if (left(scan) == 0 || *scan->at == '/' || *scan->at == '>') return false;
  *name = scan->at;
  *line = scan->line;
  pass_name(scan);
  *length = (size_t)(scan->at - *name);
  pass(scan, "=");
  pass_white(scan);
  if (left(scan) == 0) return false;
  const char quote[] = {*scan->at, '\0'};
  advance(scan);
  pass(scan, quote);
  return true;
}
