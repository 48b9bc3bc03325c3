#include "sim/import/python/parse_program.h"

#include <string.h>

#include "sim/import/python/parse_expression.h"

/* Of the text of a statement that is not understood. */
enum { MOST_SHOWN = 40 };

static ss_py_node *parse_block(ss_py_parser *p);

static ss_py_node **append(ss_py_node **to, ss_py_node *node)
{
  *to = node;
  return node != NULL ? &node->next : to;
}

/* The names of modules, or of what is in them, with dots between them. */
static const char *parse_dotted(ss_py_parser *p)
{
  const ss_py_token *first = p->at;
  if (ss_py_expect_name(p) == NULL) return NULL;
  while (ss_py_accept(p, "."))
    if (ss_py_expect_name(p) == NULL) return NULL;
  const ss_py_token *last = p->at - 1;
  return ss_py_copy(p->memory, first->text, (size_t)(last->text + last->length - first->text));
}

static ss_py_node *parse_named(ss_py_parser *p)
{
  ss_py_node *named = ss_py_node_new(p, SS_PY_ALIAS);
  named->text = ss_py_accept(p, "*") ? "*" : parse_dotted(p);
  if (named->text != NULL && ss_py_accept(p, "as")) named->alias = ss_py_expect_name(p);
  return p->status == SS_OK ? named : NULL;
}

static ss_py_node *parse_names(ss_py_parser *p, ss_py_node *import)
{
  ss_py_node **to = &import->first;
  const bool in_brackets = ss_py_accept(p, "(");
  do {
    if (in_brackets && ss_py_is(p, ")")) break;
    to = append(to, parse_named(p));
  } while (p->status == SS_OK && ss_py_accept(p, ","));
  if (in_brackets && p->status == SS_OK) (void)ss_py_expect(p, ")");
  return p->status == SS_OK ? import : NULL;
}

static ss_py_node *parse_import(ss_py_parser *p)
{
  ss_py_node *import = ss_py_node_new(p, SS_PY_IMPORT);
  ++p->at;
  return parse_names(p, import);
}

static ss_py_node *parse_from(ss_py_parser *p)
{
  ss_py_node *import = ss_py_node_new(p, SS_PY_FROM);
  import->text = "";
  for (++p->at; ss_py_is(p, ".") || ss_py_is(p, "..."); ++p->at) import->number += p->at->length;
  if (!ss_py_is(p, "import")) import->text = parse_dotted(p);
  if (import->text == NULL || !ss_py_expect(p, "import")) return NULL;
  return parse_names(p, import);
}

/* NAME: TYPE = DEFAULT, with stars ahead, of which one alone says that those behind it are by name. */
static ss_py_node *parse_parameter(ss_py_parser *p)
{
  ss_py_node *parameter = ss_py_node_new(p, SS_PY_PARAMETER);
  if (ss_py_accept(p, "/")) parameter->number = -1.0;
  if (ss_py_accept(p, "*")) parameter->number = ss_py_is(p, ",") ? 3.0 : 1.0;
  if (ss_py_accept(p, "**")) parameter->number = 2.0;
  if (parameter->number == 3.0 || parameter->number < 0.0) return parameter;
  parameter->text = ss_py_expect_name(p);
  if (parameter->text != NULL && ss_py_accept(p, ":")) (void)ss_py_parse_expression(p);
  if (p->status == SS_OK && ss_py_accept(p, "=")) parameter->b = ss_py_parse_expression(p);
  return p->status == SS_OK ? parameter : NULL;
}

static ss_py_node *parse_def(ss_py_parser *p)
{
  ss_py_node *def = ss_py_node_new(p, SS_PY_DEF), **to = &def->first;
  ++p->at;
  def->text = ss_py_expect_name(p);
  if (def->text == NULL || !ss_py_expect(p, "(")) return NULL;
  while (p->status == SS_OK && !ss_py_is(p, ")")) {
    to = append(to, parse_parameter(p));
    if (!ss_py_accept(p, ",")) break;
  }
  if (p->status != SS_OK || !ss_py_expect(p, ")")) return NULL;
  if (ss_py_accept(p, "->")) (void)ss_py_parse_expression(p);
  def->body = p->status == SS_OK ? parse_block(p) : NULL;
  return p->status == SS_OK ? def : NULL;
}

static ss_py_node *parse_class(ss_py_parser *p)
{
  ss_py_node *class_ = ss_py_node_new(p, SS_PY_CLASS);
  ++p->at;
  class_->text = ss_py_expect_name(p);
  if (class_->text != NULL && ss_py_accept(p, "(")) class_->first = ss_py_parse_arguments(p);
  class_->body = p->status == SS_OK ? parse_block(p) : NULL;
  return p->status == SS_OK ? class_ : NULL;
}

/* Decorators change what a function or a class is to those who call it; what reads the tree decides by their names. */
static ss_py_node *parse_decorated(ss_py_parser *p)
{
  ss_py_node *first = NULL, **to = &first;
  while (p->status == SS_OK && ss_py_accept(p, "@")) {
    ss_py_node *decorator = ss_py_node_new(p, SS_PY_EVALUATE);
    decorator->a = ss_py_parse_expression(p);
    if (p->status == SS_OK && p->at->kind == SS_PY_NEWLINE) ++p->at;
    to = append(to, decorator);
  }
  if (p->status != SS_OK) return NULL;
  if (!ss_py_is(p, "def") && !ss_py_is(p, "class")) return ss_py_refuse(p, "a decorator of nothing");
  ss_py_node *node = ss_py_is(p, "def") ? parse_def(p) : parse_class(p);
  if (node != NULL) node->decorator = first;
  return node;
}

/* if and elif are alike. */
static ss_py_node *parse_if(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_IF);
  ++p->at;
  node->a = ss_py_parse_expression(p);
  if (node->a != NULL) node->body = parse_block(p);
  if (p->status != SS_OK || !ss_py_enter(p)) return NULL;
  if (ss_py_is(p, "elif"))
    node->other = parse_if(p);
  else if (ss_py_accept(p, "else"))
    node->other = parse_block(p);
  --p->depth;
  return p->status == SS_OK ? node : NULL;
}

/* What is behind a loop or a try where that ends by itself: then the whole is not understood. */
static void parse_else(ss_py_parser *p, ss_py_node *node, const char *text)
{
  if (p->status != SS_OK || !ss_py_accept(p, "else")) return;
  (void)parse_block(p);
  node->kind = SS_PY_OTHER;
  node->text = text;
}

static ss_py_node *parse_loop_body(ss_py_parser *p, ss_py_node *node)
{
  if (p->status == SS_OK) node->body = parse_block(p);
  parse_else(p, node, "else of a loop");
  return p->status == SS_OK ? node : NULL;
}

static ss_py_node *parse_for(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_FOR);
  ++p->at;
  node->first = ss_py_parse_targets(p);
  if (node->first == NULL || !ss_py_expect(p, "in")) return NULL;
  node->a = ss_py_parse_expressions(p);
  return parse_loop_body(p, node);
}

static ss_py_node *parse_while(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_OTHER);
  node->text = "while";
  ++p->at;
  node->a = ss_py_parse_expression(p);
  return parse_loop_body(p, node);
}

static ss_py_node *parse_try(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_TRY);
  ++p->at;
  node->body = parse_block(p);
  while (p->status == SS_OK && ss_py_accept(p, "except")) {
    (void)ss_py_accept(p, "*");
    if (!ss_py_is(p, ":")) (void)ss_py_parse_expressions(p);
    if (p->status == SS_OK && ss_py_accept(p, "as")) (void)ss_py_expect_name(p);
    ss_py_node *handler = p->status == SS_OK ? parse_block(p) : NULL;
    if (node->other == NULL) node->other = handler;
  }
  parse_else(p, node, "else of a try");
  if (p->status == SS_OK && ss_py_accept(p, "finally")) node->last = parse_block(p);
  return p->status == SS_OK ? node : NULL;
}

static ss_py_node *parse_with(ss_py_parser *p)
{
  ss_py_node *node = ss_py_node_new(p, SS_PY_OTHER);
  node->text = "with";
  ++p->at;
  do {
    (void)ss_py_parse_expression(p);
    if (p->status == SS_OK && ss_py_accept(p, "as")) (void)ss_py_parse_targets(p);
  } while (p->status == SS_OK && ss_py_accept(p, ","));
  node->body = p->status == SS_OK ? parse_block(p) : NULL;
  return p->status == SS_OK ? node : NULL;
}

/* What is behind a keyword: nothing, or an expression; the rest of raise and assert is not read. */
static ss_py_node *parse_keyword(ss_py_parser *p, ss_py_node_kind kind)
{
  ss_py_node *node = ss_py_node_new(p, kind);
  ++p->at;
  const bool has_value = p->at->kind != SS_PY_NEWLINE && !ss_py_is(p, ";");
  if (has_value && kind == SS_PY_RETURN) node->a = ss_py_parse_expressions(p);
  if (has_value && (kind == SS_PY_RAISE || kind == SS_PY_ASSERT)) {
    node->a = ss_py_parse_expression(p);
    if (p->status == SS_OK && (ss_py_accept(p, "from") || ss_py_accept(p, ","))) (void)ss_py_parse_expression(p);
  }
  return p->status == SS_OK ? node : NULL;
}

/* What no configuration needs, such as del and yield, or what is not understood, up to its end with the block that is
 * its own: it is refused where a run would come to it. */
static ss_py_node *parse_other(ss_py_parser *p)
{
  const ss_py_token *first = p->at;
  ss_py_node *node = ss_py_node_new(p, SS_PY_OTHER);
  int blocks = 0;
  while (p->at->kind != SS_PY_NEWLINE && p->at->kind != SS_PY_END) ++p->at;
  const int length = (int)(p->at->text - first->text);
  node->text = ss_py_copy(p->memory, first->text, (size_t)(length < MOST_SHOWN ? length : MOST_SHOWN));
  while (p->at->kind != SS_PY_END && (p->at[1].kind == SS_PY_INDENT || blocks > 0)) {
    ++p->at;
    blocks += (p->at->kind == SS_PY_INDENT) - (p->at->kind == SS_PY_DEDENT);
  }
  return node;
}

/* A = B = VALUE, A += VALUE, A: TYPE = VALUE, or an expression. */
static ss_py_node *parse_assignment(ss_py_parser *p)
{
  static const char *const augmented[] = {"+=", "-=", "*=", "/=", "//=", "%=", "|=", "&=", "^=", "**="};
  ss_py_node *node = ss_py_node_new(p, SS_PY_EVALUATE), **to = &node->first;
  node->a = ss_py_parse_expressions(p);
  for (size_t i = 0; node->a != NULL && i < sizeof augmented / sizeof augmented[0]; ++i) {
    if (!ss_py_accept(p, augmented[i])) continue;
    node->kind = SS_PY_AUGMENT;
    node->text = ss_py_copy(p->memory, augmented[i], strlen(augmented[i]) - 1);
    node->b = ss_py_parse_expressions(p);
  }
  if (p->status == SS_OK && node->kind == SS_PY_EVALUATE && ss_py_accept(p, ":")) {
    node->kind = SS_PY_DECLARE;
    (void)ss_py_parse_expression(p);
    if (p->status == SS_OK && ss_py_accept(p, "=")) node->b = ss_py_parse_expressions(p);
  }
  while (p->status == SS_OK && node->kind != SS_PY_DECLARE && node->kind != SS_PY_AUGMENT && ss_py_accept(p, "=")) {
    node->kind = SS_PY_ASSIGN;
    to = append(to, node->a);
    node->a = ss_py_parse_expressions(p);
  }
  return p->status == SS_OK ? node : NULL;
}

/* Statements by the keyword that they begin with. */
static const struct {
  const char *word;
  ss_py_node *(*parse)(ss_py_parser *p); /* NULL: as parse_keyword does */
  ss_py_node_kind kind;
  bool is_block;
} statements[] = {
    {"import", parse_import, SS_PY_IMPORT, false}, {"from", parse_from, SS_PY_FROM, false},
    {"def", parse_def, SS_PY_DEF, true},           {"class", parse_class, SS_PY_CLASS, true},
    {"@", parse_decorated, SS_PY_DEF, true},       {"if", parse_if, SS_PY_IF, true},
    {"for", parse_for, SS_PY_FOR, true},           {"while", parse_while, SS_PY_OTHER, true},
    {"try", parse_try, SS_PY_TRY, true},           {"with", parse_with, SS_PY_OTHER, true},
    {"return", NULL, SS_PY_RETURN, false},         {"raise", NULL, SS_PY_RAISE, false},
    {"assert", NULL, SS_PY_ASSERT, false},         {"pass", NULL, SS_PY_PASS, false},
    {"break", NULL, SS_PY_BREAK, false},           {"continue", NULL, SS_PY_CONTINUE, false},
    {"global", NULL, SS_PY_OTHER, false},          {"del", NULL, SS_PY_OTHER, false},
    {"yield", NULL, SS_PY_OTHER, false},           {"nonlocal", NULL, SS_PY_OTHER, false},
};
enum { STATEMENTS = sizeof statements / sizeof statements[0] };

static ss_py_node *parse_statement(ss_py_parser *p, int i)
{
  if (statements[i].parse != NULL) return statements[i].parse(p);
  return statements[i].kind == SS_PY_OTHER ? parse_other(p) : parse_keyword(p, statements[i].kind);
}

/* A statement that begins at a word and was not understood. */
static ss_py_node *recover(ss_py_parser *p, const ss_py_token *first, int depth)
{
  p->status = SS_OK;
  p->depth = depth;
  p->at = first;
  return parse_other(p);
}

/* Statements of a line, with their blocks. */
static ss_py_node **parse_line(ss_py_parser *p, ss_py_node **to)
{
  for (;;) {
    const ss_py_token *first = p->at;
    const int depth = p->depth;
    int i = 0;
    while (i < STATEMENTS && !ss_py_is(p, statements[i].word)) ++i;
    ss_py_node *node = i < STATEMENTS ? parse_statement(p, i) : parse_assignment(p);
    const bool is_block = i < STATEMENTS && statements[i].is_block;
    const bool goes_on = !is_block && p->status == SS_OK && ss_py_accept(p, ";") && p->at->kind != SS_PY_NEWLINE;
    if (!is_block && !goes_on && p->at->kind != SS_PY_NEWLINE) (void)ss_py_refuse(p, "it goes on behind its end");
    const bool has_block = is_block && p->status == SS_OK;
    to = append(to, p->status == SS_OK ? node : recover(p, first, depth));
    if (goes_on) continue;
    if (!has_block && p->at->kind != SS_PY_END) ++p->at;
    return to;
  }
}

static ss_py_node *parse_block(ss_py_parser *p)
{
  ss_py_node *first = NULL, **to = &first;
  if (!ss_py_expect(p, ":") || !ss_py_enter(p)) return NULL;
  if (p->at->kind != SS_PY_NEWLINE)
    (void)parse_line(p, to);
  else if (p->at[1].kind != SS_PY_INDENT)
    (void)ss_py_refuse(p, "a block without statements");
  else {
    for (p->at += 2; p->status == SS_OK && p->at->kind != SS_PY_DEDENT;) to = parse_line(p, to);
    if (p->status == SS_OK) ++p->at;
  }
  --p->depth;
  return p->status == SS_OK ? first : NULL;
}

ss_status ss_py_parse(const ss_source *source, ss_scratch *memory, ss_py_node **program, ss_error *error)
{
  ss_error of_statement = {0}; /* which a run may never come to */
  ss_py_tokens tokens;
  ss_py_parser p = {.source = source, .memory = memory, .error = &of_statement};
  ss_py_node **to = program;
  *program = NULL;
  const ss_status status = ss_py_tokenize(source, memory, &tokens, error);
  p.at = tokens.token;
  while (status == SS_OK && p.at->kind != SS_PY_END) to = parse_line(&p, to);
  return status;
}
