#include "sim/import/python/parse_expression.h"

#include <stdlib.h>
#include <string.h>

#include "sim/import/python/parse_format.h"

/* Ends an expression: its text is all up to here. */
static ss_py_node *end(ss_py_parser *p, ss_py_node *node)
{
  const ss_py_token *last = p->at - 1;
  if (node == NULL || p->status != SS_OK) return NULL;
  node->length = (int)(last->text + last->length - node->from) + (last->kind == SS_PY_STRING);
  return node;
}

/* A node that begins where another one does. */
static ss_py_node *node_from(ss_py_parser *p, ss_py_node_kind kind, const ss_py_node *first)
{
  ss_py_node *node = ss_py_node_new(p, kind);
  node->line = first->line;
  node->from = first->from;
  return node;
}

/* A text without backslashes that stand for something. */
static const char *unescape(ss_py_parser *p, const ss_py_token *token)
{
  static const char from[] = "ntr\\'\"0", to[] = "\n\t\r\\'\"";
  char *text = ss_scratch_take(p->memory, (size_t)token->length + 1), *end_of = text;
  for (int i = 0; i < token->length; ++i) {
    const char *escape = token->text[i] == '\\' && !token->is_raw && i + 1 < token->length && token->text[i + 1] != '0'
                             ? strchr(from, token->text[i + 1])
                             : NULL;
    if (escape != NULL) ++i;
    *end_of++ = (char)(escape != NULL ? to[escape - from] : token->text[i]);
  }
  *end_of = '\0';
  return text;
}

/* Appends the parts of a text, or the text itself; NULL where parts are not understood. */
static ss_py_node **append_parts(ss_py_parser *p, ss_py_node **to, const char *text, bool has_parts)
{
  ss_py_node *plain = ss_py_node_new(p, SS_PY_TEXT);
  plain->text = text;
  *to = has_parts && *text != '\0' ? ss_py_parse_parts(p, text, ss_py_parse_expression) : plain;
  if (*to == NULL) return NULL;
  while (*to != NULL) to = &(*to)->next;
  return to;
}

/* Texts that follow one another are one. */
static ss_py_node *parse_text(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_TEXT), **to = &node->body;
  node->from = p->at->text - 1;
  node->text = "";
  for (; p->at->kind == SS_PY_STRING; ++p->at) {
    const char *more = unescape(p, p->at);
    char *joined = ss_scratch_take(p->memory, strlen(node->text) + strlen(more) + 1);
    memcpy(joined, node->text, strlen(node->text));
    memcpy(joined + strlen(node->text), more, strlen(more) + 1);
    node->text = joined;
    if (p->at->has_parts) node->kind = SS_PY_FORMAT;
    if (to != NULL) to = append_parts(p, to, more, p->at->has_parts);
  }
  if (to == NULL) node->body = NULL;
  return end(p, node);
}

static ss_py_node *parse_number(ss_py_parser *p)
{
  char digits[64], *rest;
  int length = 0;
  ss_py_node *node = ss_py_node_new(p, SS_PY_INTEGER);
  for (int i = 0; i < p->at->length && length + 1 < (int)sizeof digits; ++i)
    if (p->at->text[i] != '_') digits[length++] = p->at->text[i];
  digits[length] = '\0';
  const bool is_other = length > 1 && digits[0] == '0' && strchr("xXoObB", digits[1]) != NULL;
  const int base = !is_other ? 10 : strchr("xX", digits[1]) != NULL ? 16 : strchr("oO", digits[1]) != NULL ? 8 : 2;
  if (is_other || strpbrk(digits, ".eE") == NULL)
    node->number = (double)strtoll(digits + (is_other ? 2 : 0), &rest, base);
  else {
    node->kind = SS_PY_FLOAT;
    node->number = strtod(digits, &rest);
  }
  if (*rest != '\0' || p->at->length >= (int)sizeof digits) return ss_py_refuse(p, "a number that is none");
  ++p->at;
  return end(p, node);
}

/* Appends to a list of nodes. */
static ss_py_node **append(ss_py_node **to, ss_py_node *node)
{
  *to = node;
  return node != NULL ? &node->next : to;
}

/* A pair, or a member, of what is in brackets; with a star all of another one. */
static ss_py_node *parse_member(ss_py_parser *p, bool in_braces)
{
  const bool is_all = in_braces && ss_py_is(p, "**");
  ss_py_node *node = ss_py_node_new(p, SS_PY_PAIR);
  if (is_all || ss_py_is(p, "*")) {
    if (!is_all) node->kind = SS_PY_STAR;
    ++p->at;
    node->b = node->a = ss_py_parse_expression(p);
    if (is_all) node->a = NULL;
    return node->b != NULL ? end(p, node) : NULL;
  }
  node->a = ss_py_parse_expression(p);
  if (node->a == NULL || !in_braces || !ss_py_accept(p, ":")) return node->a;
  node->b = ss_py_parse_expression(p);
  return node->b != NULL ? end(p, node) : NULL;
}

static ss_py_node *parse_or(ss_py_parser *p);

/* What is behind the member of a comprehension. */
static ss_py_node *parse_each(ss_py_parser *p, ss_py_node *member, const char *open)
{
  ss_py_node *node = node_from(p, SS_PY_EACH, member);
  node->a = member;
  node->text = member->kind == SS_PY_PAIR ? ":" : open;
  ++p->at;
  node->first = ss_py_parse_targets(p);
  if (node->first == NULL || !ss_py_expect(p, "in")) return NULL;
  node->b = parse_or(p);
  if (node->b != NULL && ss_py_accept(p, "if")) node->c = parse_or(p);
  while (p->status == SS_OK && (ss_py_is(p, "for") || ss_py_is(p, "if"))) {
    node->kind = SS_PY_FORMAT; /* of several loops the value is not known */
    if (ss_py_accept(p, "for"))
      (void)(ss_py_parse_targets(p) != NULL && ss_py_expect(p, "in"));
    else
      ++p->at;
    if (p->status == SS_OK) (void)parse_or(p);
  }
  return p->status == SS_OK ? node : NULL;
}

/* What is in brackets, the opening one of which is passed. */
static ss_py_node *parse_members(ss_py_parser *p, ss_py_node *whole, const char *open, const char *close)
{
  const bool in_braces = *open == '{';
  bool has_pairs = in_braces && ss_py_is(p, close), has_others = false, has_comma = false;
  ss_py_node **to = &whole->first;
  while (p->status == SS_OK && !ss_py_is(p, close)) {
    ss_py_node *member = parse_member(p, in_braces);
    if (member == NULL) return NULL;
    has_pairs |= member->kind == SS_PY_PAIR;
    has_others |= member->kind != SS_PY_PAIR;
    if (whole->first == NULL && ss_py_is(p, "for")) {
      ss_py_node *each = parse_each(p, member, open);
      return each != NULL && ss_py_expect(p, close) ? end(p, each) : NULL;
    }
    to = append(to, member);
    if (!ss_py_accept(p, ",")) break;
    has_comma = true;
  }
  if (has_pairs && has_others) return ss_py_refuse(p, "a set with pairs");
  if (!ss_py_expect(p, close)) return NULL;
  whole->kind = *open == '[' ? SS_PY_LIST : *open == '(' ? SS_PY_TUPLE : has_pairs ? SS_PY_DICT : SS_PY_SET;
  const bool is_one = whole->kind == SS_PY_TUPLE && whole->first != NULL && !has_comma;
  return is_one && whole->first->kind != SS_PY_STAR ? whole->first : end(p, whole);
}

static ss_py_node *parse_bracketed(ss_py_parser *p)
{
  static const char *const closing[] = {"(", ")", "[", "]", "{", "}"};
  ss_py_node *whole = ss_py_node_new(p, SS_PY_TUPLE);
  for (int i = 0; i < 6; i += 2)
    if (ss_py_accept(p, closing[i])) return parse_members(p, whole, closing[i], closing[i + 1]);
  return NULL;
}

/* lambda: nobody calls it, and what it would return is not known. */
static ss_py_node *parse_lambda(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_FUNCTION_);
  for (++p->at; !ss_py_is(p, ":"); ++p->at)
    if (p->at->kind == SS_PY_NEWLINE || p->at->kind == SS_PY_END) return ss_py_refuse(p, "a lambda without a colon");
  ++p->at;
  node->a = ss_py_parse_expression(p);
  return node->a != NULL ? end(p, node) : NULL;
}

static ss_py_node *parse_atom(ss_py_parser *p)
{
  static const char *const constants[] = {"True", "False", "None"};
  if (p->at->kind == SS_PY_STRING) return parse_text(p);
  if (p->at->kind == SS_PY_NUMBER) return parse_number(p);
  ss_py_node *bracketed = parse_bracketed(p);
  if (bracketed != NULL || p->status != SS_OK) return bracketed;
  ss_py_node *node = ss_py_node_new(p, SS_PY_CONSTANT);
  for (int i = 0; i < 3; ++i)
    if (ss_py_accept(p, constants[i])) {
      node->text = constants[i];
      return end(p, node);
    }
  if (ss_py_accept(p, "...")) {
    node->text = "None"; /* a body that is not there */
    return end(p, node);
  }
  node->kind = SS_PY_READ;
  node->text = ss_py_expect_name(p);
  return node->text != NULL ? end(p, node) : NULL;
}

static ss_py_node *parse_argument(ss_py_parser *p)
{
  ss_py_node *pair = ss_py_node_new(p, SS_PY_PAIR);
  if (ss_py_accept(p, "**")) {
    pair->kind = SS_PY_STAR;
    pair->text = "**";
  } else if (ss_py_accept(p, "*"))
    pair->kind = SS_PY_STAR;
  else if (p->at->kind == SS_PY_NAME && p->at[1].kind == SS_PY_OPERATOR && p->at[1].length == 1 &&
           *p->at[1].text == '=') {
    pair->text = ss_py_expect_name(p);
    ++p->at;
  }
  pair->a = ss_py_parse_expression(p);
  if (pair->a != NULL && ss_py_is(p, "for")) pair->a = parse_each(p, pair->a, "(");
  return pair->a != NULL ? end(p, pair) : NULL;
}

ss_py_node *ss_py_parse_arguments(ss_py_parser *p)
{
  ss_py_node *first = NULL, **to = &first;
  while (p->status == SS_OK && !ss_py_is(p, ")")) {
    to = append(to, parse_argument(p));
    if (!ss_py_accept(p, ",")) break;
  }
  return p->status == SS_OK && ss_py_expect(p, ")") ? first : NULL;
}

/* [INDEX] or [FROM:TO], the opening bracket is passed. */
static ss_py_node *parse_index(ss_py_parser *p)
{
  ss_py_node *slice = ss_py_node_new(p, SS_PY_SLICE);
  if (!ss_py_is(p, ":")) slice->a = ss_py_parse_expressions(p);
  if (p->status == SS_OK && ss_py_accept(p, ":")) {
    if (!ss_py_is(p, "]")) slice->b = ss_py_parse_expression(p);
  } else
    slice = slice->a;
  return p->status == SS_OK && ss_py_expect(p, "]") ? slice : NULL;
}

static ss_py_node *parse_postfix(ss_py_parser *p)
{
  ss_py_node *node = parse_atom(p);
  while (node != NULL && p->status == SS_OK) {
    ss_py_node *next = node_from(p, SS_PY_FIELD, node);
    next->a = node;
    if (ss_py_accept(p, "."))
      next->text = ss_py_expect_name(p);
    else if (ss_py_accept(p, "(")) {
      next->kind = SS_PY_CALL;
      next->first = ss_py_parse_arguments(p);
    } else if (ss_py_accept(p, "[")) {
      next->kind = SS_PY_INDEX;
      next->b = parse_index(p);
    } else
      return node;
    node = end(p, next);
  }
  return NULL;
}

static ss_py_node *parse_unary(ss_py_parser *p)
{
  static const char *const signs[] = {"-", "+", "~"};
  ss_py_node *node = ss_py_node_new(p, SS_PY_UNARY);
  for (int i = 0; i < 3; ++i) {
    if (!ss_py_accept(p, signs[i])) continue;
    node->text = signs[i];
    if (!ss_py_enter(p)) return NULL;
    node->a = parse_unary(p);
    --p->depth;
    return node->a != NULL ? end(p, node) : NULL;
  }
  ss_py_node *base = parse_postfix(p);
  if (base == NULL || !ss_py_accept(p, "**")) return base;
  ss_py_node *power = node_from(p, SS_PY_BINARY, base);
  power->text = "**";
  power->a = base;
  if (!ss_py_enter(p)) return NULL;
  power->b = parse_unary(p);
  --p->depth;
  return power->b != NULL ? end(p, power) : NULL;
}

/* Operators with two sides, those that bind most first. */
static const char *const levels[][5] = {{"*", "/", "//", "%"}, {"+", "-"}, {"<<", ">>"}, {"&"}, {"^"}, {"|"}};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static ss_py_node *parse_binary(ss_py_parser *p, int level)
{
  ss_py_node *left = level < 0 ? parse_unary(p) : parse_binary(p, level - 1);
  for (int i = 0; level >= 0 && left != NULL && levels[level][i] != NULL;) {
    ss_py_node *both = node_from(p, SS_PY_BINARY, left);
    if (!ss_py_accept(p, levels[level][i])) {
      ++i;
      continue;
    }
    both->text = levels[level][i];
    both->a = left;
    both->b = parse_binary(p, level - 1);
    left = both->b != NULL ? end(p, both) : NULL;
    i = 0;
  }
  return left;
}

/* The operator of a comparison, which is passed; NULL: there is none. */
static const char *comparison(ss_py_parser *p)
{
  static const char *const words[] = {"==", "!=", "<=", ">=", "<", ">", "in"};
  if (ss_py_accept(p, "is")) return ss_py_accept(p, "not") ? "is not" : "is";
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (ss_py_accept(p, words[i])) return words[i];
  const bool is_not_in = ss_py_is(p, "not") && p->at[1].length == 2 && strncmp(p->at[1].text, "in", 2) == 0;
  if (is_not_in) p->at += 2;
  return is_not_in ? "not in" : NULL;
}

static ss_py_node *parse_comparison(ss_py_parser *p)
{
  ss_py_node *left = parse_binary(p, LEVELS - 1), *whole = NULL, **to = NULL;
  while (left != NULL && p->status == SS_OK) {
    ss_py_node *pair = ss_py_node_new(p, SS_PY_PAIR);
    pair->text = comparison(p);
    if (pair->text == NULL) return whole != NULL ? end(p, whole) : left;
    pair->a = parse_binary(p, LEVELS - 1);
    if (pair->a == NULL) return NULL;
    if (whole == NULL) {
      whole = node_from(p, SS_PY_COMPARE, left);
      whole->a = left;
      to = &whole->first;
    }
    to = append(to, pair);
  }
  return NULL;
}

static ss_py_node *parse_not(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_UNARY);
  if (!ss_py_accept(p, "not")) return parse_comparison(p);
  node->text = "not";
  if (!ss_py_enter(p)) return NULL;
  node->a = parse_not(p);
  --p->depth;
  return node->a != NULL ? end(p, node) : NULL;
}

/* What `parse` reads, with so many `word`s between them. */
static ss_py_node *parse_joined(ss_py_parser *p, const char *word, ss_py_node *(*parse)(ss_py_parser *))
{
  ss_py_node *left = parse(p);
  while (left != NULL && ss_py_accept(p, word)) {
    ss_py_node *both = node_from(p, SS_PY_BOTH, left);
    both->text = word;
    both->a = left;
    both->b = parse(p);
    left = both->b != NULL ? end(p, both) : NULL;
  }
  return left;
}

static ss_py_node *parse_and(ss_py_parser *p)
{
  return parse_joined(p, "and", parse_not);
}

static ss_py_node *parse_or(ss_py_parser *p)
{
  return parse_joined(p, "or", parse_and);
}

static ss_py_node *parse_choice(ss_py_parser *p)
{
  ss_py_node *value = parse_or(p);
  if (value == NULL || !ss_py_accept(p, "if")) return value;
  ss_py_node *choice = node_from(p, SS_PY_CHOICE, value);
  choice->a = value;
  choice->b = parse_or(p);
  if (choice->b == NULL || !ss_py_expect(p, "else")) return NULL;
  choice->c = ss_py_parse_expression(p);
  return choice->c != NULL ? end(p, choice) : NULL;
}

ss_py_node *ss_py_parse_expression(ss_py_parser *p)
{
  if (!ss_py_enter(p)) return NULL;
  ss_py_node *node = ss_py_is(p, "lambda") ? parse_lambda(p) : parse_choice(p);
  --p->depth;
  return node;
}

/* Whether a list of expressions goes on behind a comma. */
static bool goes_on(const ss_py_parser *p)
{
  static const char *const ends[] = {"=", ")", "]", "}", ":", "in"};
  if (p->at->kind == SS_PY_NEWLINE || p->at->kind == SS_PY_END) return false;
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
    if (ss_py_is(p, ends[i])) return false;
  return true;
}

static ss_py_node *parse_several(ss_py_parser *p, ss_py_node *(*parse)(ss_py_parser *))
{
  ss_py_node *first = parse(p), *tuple = NULL, **to = NULL;
  while (first != NULL && p->status == SS_OK && ss_py_accept(p, ",")) {
    if (tuple == NULL) {
      tuple = node_from(p, SS_PY_TUPLE, first);
      to = append(&tuple->first, first);
    }
    if (!goes_on(p)) break;
    to = append(to, parse(p));
  }
  if (p->status != SS_OK) return NULL;
  return tuple != NULL ? end(p, tuple) : first;
}

static ss_py_node *parse_starred(ss_py_parser *p)
{
  return ss_py_is(p, "*") ? parse_member(p, false) : ss_py_parse_expression(p);
}

ss_py_node *ss_py_parse_expressions(ss_py_parser *p)
{
  return parse_several(p, parse_starred);
}

ss_py_node *ss_py_parse_targets(ss_py_parser *p)
{
  return parse_several(p, parse_postfix);
}
