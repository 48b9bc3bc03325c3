#include "sim/import/shell/condition.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/shell/arithmetic.h"
#include "sim/import/shell/expand.h"

enum { MOST_TOKENS = 64, MOST_LEVELS = 16 };

typedef struct token {
  ss_shell_word word;
  bool is_quoted;
  bool is_operator; /* && || ; ( ) */
} token;

typedef struct reading {
  ss_shell_variables *variables;
  token token[MOST_TOKENS]; /* [count], and behind them one that is empty */
  int count, at, level;
} reading;

/* A chance of what two operands are to each other. */
typedef ss_chance comparison(const token *a, const token *b, bool is_new);

static bool is_space(const char *at)
{
  return *at == ' ' || *at == '\t' || *at == '\r' || (*at == '\\' && at[1] == '\n');
}

/* The length of what stands between commands, and around groups of conditions. */
static size_t operator_at(const char *at)
{
  if (strncmp(at, "&&", 2) == 0 || strncmp(at, "||", 2) == 0) return 2;
  return *at != '\0' && strchr(";\n()", *at) != NULL;
}

static const char *read_token(reading *r, const char *at, const char *end, token *t)
{
  char quote = '\0';
  ss_shell_word_init(&t->word);
  t->is_quoted = false;
  t->is_operator = operator_at(at) > 0;
  if (t->is_operator) {
    const size_t length = operator_at(at);
    ss_shell_append(&t->word, *at == '\n' ? ";" : at, length);
    return at + length;
  }
  while (at < end && (quote != '\0' || (!is_space(at) && operator_at(at) == 0))) {
    if (*at == quote || (quote == '\0' && (*at == '"' || *at == '\''))) {
      quote = (char)(quote == '\0' ? *at : '\0');
      t->is_quoted = true;
      ++at;
    } else if (*at == '`' || (*at == '$' && quote != '\'')) {
      at = ss_shell_expand(r->variables, at, &t->word);
    } else {
      at += *at == '\\' && at + 1 < end;
      ss_shell_append(&t->word, at++, 1);
    }
  }
  return at;
}

/* False where there are too many. */
static bool read_tokens(reading *r, const char *at, const char *end)
{
  for (;;) {
    while (at < end && is_space(at)) at += *at == '\\' ? 2 : 1;
    const char *line = at < end && *at == '#' ? memchr(at, '\n', (size_t)(end - at)) : at;
    at = line != NULL ? line : end;
    ss_shell_word_init(&r->token[r->count].word);
    if (at >= end) return true;
    if (r->count + 1 == MOST_TOKENS) return false;
    at = read_token(r, at, end, &r->token[r->count++]);
  }
}

static bool is_next(const reading *r, const char *text)
{
  const token *t = &r->token[r->at];
  return r->at < r->count && !t->is_quoted && strcmp(t->word.plain, text) == 0;
}

static bool take(reading *r, const char *text)
{
  const bool is_it = is_next(r, text);
  r->at += is_it;
  return is_it;
}

/* Where `new` says that a pattern is meant, as in [[ ]]. */
static ss_chance matches(const token *a, const token *b, bool is_new)
{
  if (is_new && !b->is_quoted) return ss_chance_of(fnmatch(b->word.plain, a->word.plain, 0) == 0);
  return ss_chance_of(strcmp(a->word.plain, b->word.plain) == 0);
}

static ss_chance differs(const token *a, const token *b, bool is_new)
{
  return ss_chance_not(matches(a, b, is_new));
}

static bool is_number(const token *t, long long *value)
{
  char *end;
  errno = 0;
  *value = strtoll(t->word.plain, &end, 10);
  return end != t->word.plain && *end == '\0' && errno == 0;
}

/* Texts that are no numbers end a run. */
#define NUMBERS(name, sign)                                                                                            \
  static ss_chance name(const token *a, const token *b, bool is_new)                                                   \
  {                                                                                                                    \
    long long x, y;                                                                                                    \
    (void)is_new;                                                                                                      \
    if (!is_number(a, &x) || !is_number(b, &y)) return SS_CHANCE_NEVER;                                                \
    return ss_chance_of(x sign y);                                                                                     \
  }
NUMBERS(is_equal, ==)
NUMBERS(is_other, !=)
NUMBERS(is_above, >)
NUMBERS(is_at_least, >=)
NUMBERS(is_below, <)
NUMBERS(is_at_most, <=)

static ss_chance cannot_tell(const token *a, const token *b, bool is_new)
{
  (void)a;
  (void)b;
  (void)is_new;
  return SS_CHANCE_MAYBE;
}

static const struct {
  const char *text;
  comparison *compare;
} comparisons[] = {{"=", matches},       {"==", matches},      {"!=", differs},      {"-eq", is_equal},
                   {"-ne", is_other},    {"-gt", is_above},    {"-ge", is_at_least}, {"-lt", is_below},
                   {"-le", is_at_most},  {"=~", cannot_tell},  {"<", cannot_tell},   {">", cannot_tell},
                   {"-nt", cannot_tell}, {"-ot", cannot_tell}, {"-ef", cannot_tell}};

static comparison *comparison_of(const token *t)
{
  for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; ++i)
    if (!t->is_quoted && strcmp(comparisons[i].text, t->word.plain) == 0) return comparisons[i].compare;
  return NULL;
}

/* -z TEXT, -n TEXT, -v NAME, and what asks for files. */
static ss_chance test_one(reading *r, char letter)
{
  const token *operand = &r->token[r->at];
  r->at += r->at < r->count;
  if (!operand->word.is_known || strchr("znv", letter) == NULL) return SS_CHANCE_MAYBE;
  if (letter == 'v')
    return ss_chance_of(ss_shell_find(r->variables, operand->word.plain, strlen(operand->word.plain)) != NULL);
  return ss_chance_of((operand->word.plain[0] == '\0') == (letter == 'z'));
}

/* Whether a test ends here: at its bracket, or with its command. */
static bool is_end(const reading *r)
{
  const token *t = &r->token[r->at];
  if (r->at >= r->count || is_next(r, "]") || is_next(r, "]]")) return true;
  return t->is_operator && strchr("()", t->word.plain[0]) == NULL;
}

static ss_chance test_any(reading *r, bool is_new); // NOLINT(misc-no-recursion) -- parentheses, MOST_LEVELS of them

static ss_chance test_operand(reading *r, bool is_new) // NOLINT(misc-no-recursion)
{
  if (take(r, "!")) return ss_chance_not(test_operand(r, is_new));
  if (r->level < MOST_LEVELS && take(r, "(")) {
    ++r->level;
    const ss_chance chance = test_any(r, is_new);
    --r->level;
    return take(r, ")") ? chance : SS_CHANCE_MAYBE;
  }
  const token *a = &r->token[r->at], *sign = r->at + 1 < r->count ? a + 1 : NULL;
  comparison *compare = sign != NULL ? comparison_of(sign) : NULL;
  if (is_end(r)) return SS_CHANCE_MAYBE;
  ++r->at;
  if (compare != NULL) {
    const token *b = r->at + 1 < r->count ? &r->token[r->at + 1] : &r->token[r->count];
    r->at += 1 + (r->at + 1 < r->count);
    return a->word.is_known && b->word.is_known ? compare(a, b, is_new) : SS_CHANCE_MAYBE;
  }
  const char *text = a->word.plain;
  const bool is_unary = !a->is_quoted && text[0] == '-' && isalpha((unsigned char)text[1]) && text[2] == '\0';
  if (is_unary && !is_end(r)) return test_one(r, text[1]);
  return a->word.is_known ? ss_chance_of(text[0] != '\0') : SS_CHANCE_MAYBE;
}

static ss_chance test_all(reading *r, bool is_new) // NOLINT(misc-no-recursion)
{
  ss_chance chance = test_operand(r, is_new);
  while (take(r, "-a") || (is_new && take(r, "&&"))) chance = ss_chance_and(chance, test_operand(r, is_new));
  return chance;
}

static ss_chance test_any(reading *r, bool is_new) // NOLINT(misc-no-recursion)
{
  ss_chance chance = test_all(r, is_new);
  while (take(r, "-o") || (is_new && take(r, "||"))) chance = ss_chance_or(chance, test_all(r, is_new));
  return chance;
}

static const struct {
  const char *word, *end; /* NULL: it ends with its command */
  bool is_new;
} tests[] = {{"[", "]", false}, {"[[", "]]", true}, {"test", NULL, false}};

/* Whatever a command that is no test does, only a run finds out. */
static ss_chance command_of(reading *r)
{
  bool is_negated = false;
  while (take(r, "!")) is_negated = !is_negated;
  ss_chance chance = SS_CHANCE_MAYBE;
  const int kinds = sizeof tests / sizeof tests[0];
  int kind = 0;
  while (kind < kinds && !take(r, tests[kind].word)) ++kind;
  if (kind < kinds) {
    chance = test_any(r, tests[kind].is_new);
    if (tests[kind].end != NULL && !take(r, tests[kind].end)) chance = SS_CHANCE_MAYBE;
  } else if (take(r, "true") || take(r, ":")) {
    chance = SS_CHANCE_ALWAYS;
  } else if (take(r, "false")) {
    chance = SS_CHANCE_NEVER;
  }
  while (r->at < r->count && !(r->token[r->at].is_operator && strchr("();", r->token[r->at].word.plain[0]) == NULL)) {
    const bool is_more = !is_next(r, ";"); /* of the same command, which is no test then */
    if (is_more) chance = SS_CHANCE_MAYBE;
    ++r->at;
  }
  return is_negated ? ss_chance_not(chance) : chance;
}

/* ((TEXT)); MAYBE where it is no arithmetic. */
static ss_chance number_holds(ss_shell_variables *variables, const char *text, size_t length)
{
  ss_shell_word word;
  long long value;
  ss_shell_expand_all(variables, text, length, &word);
  if (!word.is_known || !ss_shell_arithmetic(variables, word.plain, &value)) return SS_CHANCE_MAYBE;
  return ss_chance_of(value != 0);
}

ss_chance ss_shell_condition(ss_shell_variables *variables, const char *text, size_t length)
{
  while (length > 0 && isspace((unsigned char)text[length - 1])) --length;
  if (length > 4 && strncmp(text, "((", 2) == 0 && strncmp(text + length - 2, "))", 2) == 0)
    return number_holds(variables, text + 2, length - 4);
  reading *r = calloc(1, sizeof *r);
  if (r == NULL) return SS_CHANCE_MAYBE;
  r->variables = variables;
  const bool was_asked = variables->are_asked;
  variables->are_asked = true;
  const bool fits = read_tokens(r, text, text + length);
  variables->are_asked = was_asked;
  ss_chance chance = fits ? command_of(r) : SS_CHANCE_MAYBE;
  while (fits && r->at < r->count) {
    const bool is_and = take(r, "&&");
    if (!is_and && !take(r, "||")) ++r->at;
    const ss_chance next = command_of(r);
    chance = is_and ? ss_chance_and(chance, next) : ss_chance_or(chance, next);
  }
  free(r);
  return chance;
}
