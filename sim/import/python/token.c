#include "sim/import/python/token.h"

#include <ctype.h>
#include <string.h>

/* Far above any configuration. */
enum { MOST_BYTES = 2 << 20, MOST_BLOCKS = 64, TAB = 8 };

typedef struct lexer {
  const ss_source *source;
  ss_scratch *memory;
  ss_py_tokens *tokens;
  const char *at;
  int line;
  int brackets;            /* that are open */
  int indent[MOST_BLOCKS]; /* of the blocks that are open, 0 first */
  int blocks;
} lexer;

static ss_status refuse(const lexer *l, const char *problem, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, l->source->path, l->line, "is not Python: %s", problem);
}

static ss_py_token *add(lexer *l, ss_py_token_kind kind, const char *text, size_t length)
{
  ss_py_tokens *all = l->tokens;
  all->token = ss_scratch_grown(l->memory, all->token, all->count, &all->room, sizeof *all->token);
  all->token[all->count] = (ss_py_token){.kind = kind, .line = l->line, .text = text, .length = (int)length};
  return &all->token[all->count++];
}

/* Passes blanks, comments and lines that go on. */
static void pass_blanks(lexer *l)
{
  for (;;) {
    l->at += strspn(l->at, " \t\f\r");
    if (*l->at == '#')
      l->at += strcspn(l->at, "\n");
    else if ((*l->at == '\n' && l->brackets > 0) || (l->at[0] == '\\' && l->at[1] == '\n')) {
      l->at += *l->at == '\\' ? 2 : 1;
      ++l->line;
    } else
      return;
  }
}

/* The quote that a string begins with, behind letters ahead of it; NULL: no string begins here. */
static const char *quote_of(const char *at)
{
  const size_t letters = strspn(at, "rRbBfFuU");
  const char *quote = letters <= 2 ? at + letters : at;
  return *quote == '"' || *quote == '\'' ? quote : NULL;
}

static ss_status take_string(lexer *l, const char *quote, ss_error *error)
{
  const size_t letters = (size_t)(quote - l->at);
  const int width = quote[1] == quote[0] && quote[2] == quote[0] ? 3 : 1;
  const char *first = quote + width, *end = first;
  ss_py_token *token = add(l, SS_PY_STRING, first, 0);
  for (size_t i = 0; i < letters; ++i) {
    if (strchr("rR", l->at[i]) != NULL) token->is_raw = true;
    if (strchr("fF", l->at[i]) != NULL) token->has_parts = true;
  }
  while (*end != '\0' && (width == 3 ? strncmp(end, quote, 3) != 0 : *end != *quote)) {
    if (*end == '\n' && width == 1) return refuse(l, "a text has no end", error);
    if (*end == '\\' && end[1] != '\0') l->line += *end++ == '\n';
    l->line += *end++ == '\n';
  }
  if (*end == '\0') return refuse(l, "a text has no end", error);
  token->length = (int)(end - first);
  l->at = end + width;
  return SS_OK;
}

/* The length of the operator that is longest. */
static size_t operator_at(const char *at)
{
  static const char *const operators[] = {
      "**=", "//=", ">>=", "<<=", "...", "**", "//", "->", "==", "!=", "<=", ">=", ":=", "+=", "-=", "*=",
      "/=",  "%=",  "|=",  "&=",  "^=",  "<<", ">>", "@=", "+",  "-",  "*",  "/",  "%",  "=",  "<",  ">",
      "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  "|",  "&",  "^",  "~",  ";",  "@"};
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; ++i)
    if (strncmp(at, operators[i], strlen(operators[i])) == 0) return strlen(operators[i]);
  return 0;
}

static ss_status take_operator(lexer *l, ss_error *error)
{
  const size_t length = operator_at(l->at);
  if (length == 0) return refuse(l, "a character that no program has", error);
  if (strchr("([{", *l->at) != NULL) ++l->brackets;
  if (strchr(")]}", *l->at) != NULL && l->brackets-- == 0) return refuse(l, "a bracket that was not opened", error);
  (void)add(l, SS_PY_OPERATOR, l->at, length);
  l->at += length;
  return SS_OK;
}

static bool is_in_name(char c)
{
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t number_at(const char *at)
{
  size_t length = 0;
  if (!isdigit((unsigned char)at[0]) && !(at[0] == '.' && isdigit((unsigned char)at[1]))) return 0;
  while (is_in_name(at[length]) || at[length] == '.' ||
         (strchr("+-", at[length]) != NULL && at[length] != '\0' && strchr("eE", at[length - 1]) != NULL))
    ++length;
  return length;
}

static ss_status take(lexer *l, ss_error *error)
{
  const char *quote = quote_of(l->at);
  const size_t number = number_at(l->at);
  size_t name = 0;
  if (quote != NULL) return take_string(l, quote, error);
  while (number == 0 && is_in_name(l->at[name])) ++name;
  if (number + name == 0) return take_operator(l, error);
  (void)add(l, number > 0 ? SS_PY_NUMBER : SS_PY_NAME, l->at, number + name);
  l->at += number + name;
  return SS_OK;
}

/* Opens or closes blocks where a line begins that has something. */
static ss_status take_indent(lexer *l, ss_error *error)
{
  int width = 0;
  const char *at = l->at;
  for (; *at == ' ' || *at == '\t' || *at == '\f'; ++at) width = *at == '\t' ? (width / TAB + 1) * TAB : width + 1;
  if (strchr("#\r\n", *at) != NULL) return SS_OK; /* the end of the text, too */
  l->at = at;
  if (width > l->indent[l->blocks]) {
    if (l->blocks + 1 == MOST_BLOCKS) return refuse(l, "blocks are nested too deep", error);
    l->indent[++l->blocks] = width;
    (void)add(l, SS_PY_INDENT, at, 0);
  }
  while (width < l->indent[l->blocks]) {
    --l->blocks;
    (void)add(l, SS_PY_DEDENT, at, 0);
  }
  return width == l->indent[l->blocks] ? SS_OK : refuse(l, "a line is indented as none before it", error);
}

static ss_status take_line(lexer *l, ss_error *error)
{
  ss_status status = take_indent(l, error);
  const int64_t before = l->tokens->count;
  for (pass_blanks(l); status == SS_OK && *l->at != '\n' && *l->at != '\0'; pass_blanks(l)) status = take(l, error);
  if (status != SS_OK) return status;
  if (*l->at == '\0' && l->brackets > 0) return refuse(l, "a bracket is not closed", error);
  if (l->tokens->count > before) (void)add(l, SS_PY_NEWLINE, l->at, 0);
  if (*l->at == '\n') {
    ++l->at;
    ++l->line;
  }
  return SS_OK;
}

ss_status ss_py_tokenize(const ss_source *source, ss_scratch *memory, ss_py_tokens *tokens, ss_error *error)
{
  lexer l = {.source = source, .memory = memory, .tokens = tokens, .at = source->text, .line = 1};
  ss_status status = SS_OK;
  *tokens = (ss_py_tokens){.count = 0};
  if (source->size > MOST_BYTES) return refuse(&l, "a file of more than 2 MiB", error);
  while (status == SS_OK && *l.at != '\0') status = take_line(&l, error);
  for (; l.blocks > 0; --l.blocks) (void)add(&l, SS_PY_DEDENT, l.at, 0);
  (void)add(&l, SS_PY_END, l.at, 0);
  return status;
}
