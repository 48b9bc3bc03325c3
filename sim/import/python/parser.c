#include "sim/import/python/parser.h"

#include <string.h>

/* Far above any configuration, and far below what a stack takes. */
enum { MOST_DEPTH = 60 };

static const char *const keywords[] = {
    "False",  "None",     "True", "and",    "as",   "assert", "async",  "await",   "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "from",   "global", "finally", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",  "return", "try",     "while", "with",   "yield",    NULL};

static bool is_text(const ss_py_token *token, const char *word)
{
  return strlen(word) == (size_t)token->length && strncmp(token->text, word, (size_t)token->length) == 0;
}

bool ss_py_is(const ss_py_parser *p, const char *word)
{
  return (p->at->kind == SS_PY_NAME || p->at->kind == SS_PY_OPERATOR) && is_text(p->at, word);
}

bool ss_py_accept(ss_py_parser *p, const char *word)
{
  if (!ss_py_is(p, word)) return false;
  ++p->at;
  return true;
}

ss_py_node *ss_py_refuse(ss_py_parser *p, const char *problem)
{
  if (p->status == SS_OK)
    p->status =
        ss_error_set(p->error, SS_ERROR_INPUT, p->source->path, p->at->line, "is not Python that is read: %s", problem);
  return NULL;
}

bool ss_py_expect(ss_py_parser *p, const char *word)
{
  if (ss_py_accept(p, word)) return true;
  if (p->status == SS_OK)
    p->status = ss_error_set(p->error, SS_ERROR_INPUT, p->source->path, p->at->line,
                             "is not Python that is read: \"%.*s\"; allowed here: %s",
                             p->at->length < 40 ? p->at->length : 40, p->at->text, word);
  return false;
}

const char *ss_py_expect_name(ss_py_parser *p)
{
  bool is_keyword = false;
  for (const char *const *word = keywords; *word != NULL; ++word) is_keyword |= is_text(p->at, *word);
  if (p->at->kind == SS_PY_NAME && !is_keyword) {
    const ss_py_token *token = p->at++;
    return ss_py_copy(p->memory, token->text, (size_t)token->length);
  }
  (void)ss_py_refuse(p, "a name is missing");
  return NULL;
}

ss_py_node *ss_py_node_new(ss_py_parser *p, ss_py_node_kind kind)
{
  ss_py_node *node = ss_scratch_take(p->memory, sizeof *node);
  *node = (ss_py_node){.kind = kind, .line = p->at->line, .from = p->at->text};
  return node;
}

bool ss_py_enter(ss_py_parser *p)
{
  if (p->status == SS_OK && p->depth == MOST_DEPTH) (void)ss_py_refuse(p, "it is nested too deep");
  if (p->status != SS_OK) return false;
  ++p->depth;
  return true;
}

const char *ss_py_copy(ss_scratch *memory, const char *text, size_t length)
{
  char *copy = ss_scratch_take(memory, length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}
