#include "sim/import/python/parse_format.h"

#include <ctype.h>
#include <string.h>

#include "sim/import/python/token.h"

/* Where the expression behind a brace ends, of which the brace itself is no part: at what closes it, or at what says
 * how it is shown. NULL: it has no end. */
static const char *end_of(const char *at)
{
  int open = 0;
  for (char quote = '\0'; *at != '\0'; ++at) {
    if (quote != '\0') {
      if (*at == quote) quote = '\0';
    } else if (*at == '"' || *at == '\'')
      quote = *at;
    else if (strchr("([{", *at) != NULL)
      ++open;
    else if (open == 0 && (*at == '}' || *at == ':' || (*at == '!' && at[1] != '=')))
      return at;
    else if (strchr(")]}", *at) != NULL)
      --open;
  }
  return NULL;
}

/* NAME= ahead of the end shows the name, too. */
static size_t shown_length(const char *first, size_t length)
{
  while (length > 0 && isspace((unsigned char)first[length - 1])) --length;
  const bool is_shown = length > 1 && first[length - 1] == '=' && strchr("=!<>", first[length - 2]) == NULL;
  return is_shown ? length : 0;
}

/* Reads an expression that is a part of a text. NULL: it is not understood. */
static ss_py_node *parse_alone(const ss_py_parser *p, const char *text, ss_py_node *(*parse)(ss_py_parser *))
{
  ss_error why = {0};
  const ss_source source = {.path = p->source->path, .text = (char *)text, .size = strlen(text)};
  ss_py_tokens tokens;
  ss_py_parser inner = {.source = &source, .memory = p->memory, .error = &why, .depth = p->depth};
  if (ss_py_tokenize(&source, p->memory, &tokens, &why) != SS_OK) return NULL;
  for (int64_t i = 0; i < tokens.count; ++i) tokens.token[i].line = p->at->line;
  inner.at = tokens.token;
  ss_py_node *node = parse(&inner);
  return inner.status == SS_OK && inner.at->kind == SS_PY_NEWLINE ? node : NULL;
}

/* What stands between braces, up to `last`. */
static ss_py_node *parse_part(ss_py_parser *p, const char *first, const char *last,
                              ss_py_node *(*parse)(ss_py_parser *))
{
  const size_t shown = shown_length(first, (size_t)(last - first));
  const bool is_quoted = *last == '!' && strncmp(last, "!r}", 3) == 0;
  if (*last != '}' && !is_quoted) return NULL;
  ss_py_node *part = ss_py_node_new(p, SS_PY_PAIR);
  part->text = ss_py_copy(p->memory, first, shown);
  part->number = is_quoted || shown > 0;
  part->a = parse_alone(p, ss_py_copy(p->memory, first, shown > 0 ? shown - 1 : (size_t)(last - first)), parse);
  return part->a != NULL ? part : NULL;
}

/* What stands ahead of the next brace; two of them are one. */
static ss_py_node *parse_plain(ss_py_parser *p, const char **at)
{
  ss_py_node *part = ss_py_node_new(p, SS_PY_TEXT);
  const size_t length = strcspn(*at, "{}");
  const bool is_double = (*at)[length] != '\0' && (*at)[length + 1] == (*at)[length];
  part->text = ss_py_copy(p->memory, *at, length + is_double);
  *at += length + 2 * (size_t)is_double;
  return part;
}

ss_py_node *ss_py_parse_parts(ss_py_parser *p, const char *text, ss_py_node *(*parse)(ss_py_parser *))
{
  ss_py_node *first = NULL, **to = &first;
  for (const char *at = text; *at != '\0';) {
    if (*at == '{' && at[1] != '{') {
      const char *last = end_of(at + 1);
      *to = last != NULL ? parse_part(p, at + 1, last, parse) : NULL;
      if (*to == NULL) return NULL;
      at = last + (*last == '!' ? 3 : 1);
    } else if (*at == '}' && at[1] != '}')
      return NULL;
    else
      *to = parse_plain(p, &at);
    to = &(*to)->next;
  }
  return first;
}
