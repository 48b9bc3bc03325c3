#include "sim/import/shell/expand.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/import/shell/arithmetic.h"

/* Far above what scripts nest, and how far the end of an expansion is from its beginning. */
enum { MOST_LEVELS = 8, MOST_BYTES = 8192 };

typedef struct expanding {
  ss_shell_variables *variables;
  ss_shell_word *word;
  int level;
} expanding;

static void expand_text(const expanding *e, const char *text, const char *end); // NOLINT(misc-no-recursion) -- levels

void ss_shell_word_init(ss_shell_word *word)
{
  word->shown[0] = '\0';
  word->plain[0] = '\0';
  word->is_known = true;
}

static bool add(char text[SS_SHELL_WORD_SIZE], const char *more, size_t length)
{
  const size_t used = strlen(text), room = SS_SHELL_WORD_SIZE - 1 - used, taken = length < room ? length : room;
  memcpy(text + used, more, taken);
  text[used + taken] = '\0';
  return taken == length;
}

void ss_shell_append(ss_shell_word *word, const char *text, size_t length)
{
  (void)add(word->shown, text, length);
  if (!add(word->plain, text, length)) word->is_known = false;
}

/* The bracket that closes what is open at `at`; NULL: there is none near. */
static const char *closing(const expanding *e, const char *at, char open, char close)
{
  char quote = '\0';
  int depth = 1;
  if (e->variables->lost == SS_SHELL_LOST) return NULL;
  for (const char *last = at + MOST_BYTES; *at != '\0' && at < last; ++at) {
    if (*at == '\\' && at[1] != '\0')
      ++at;
    else if (quote != '\0')
      quote = (char)(*at == quote ? '\0' : quote);
    else if (*at == '"' || *at == '\'')
      quote = *at;
    else if (*at == open)
      ++depth;
    else if (*at == close && --depth == 0)
      return at;
  }
  ++e->variables->lost;
  return NULL;
}

/* What only a run finds out stands as in the script. */
static const char *leave(const expanding *e, const char *begin, const char *end)
{
  (void)add(e->word->shown, begin, (size_t)(end - begin));
  (void)add(e->word->plain, begin, (size_t)(end - begin));
  e->word->is_known = false;
  return end;
}

static void put_value(const expanding *e, const ss_shell_variable *variable, const char *begin, const char *end)
{
  const bool is_empty = variable == NULL || variable->value[0] == '\0';
  if (!is_empty && !variable->is_words) {
    ss_shell_append(e->word, variable->value, strlen(variable->value));
    return;
  }
  (void)add(e->word->shown, begin, (size_t)(end - begin));
  if (!is_empty && !add(e->word->plain, variable->value, strlen(variable->value))) e->word->is_known = false;
}

/* ${NAME:=WORD} gives a variable a value where it runs. */
static void keep_default(ss_shell_variables *variables, const char *name, size_t length, const ss_shell_word *word)
{
  if (variables->skipped == SS_CHANCE_ALWAYS) return;
  ss_shell_variable *variable = ss_shell_variable_of(variables, name, length);
  if (variable == NULL) return;
  memcpy(variable->value, word->plain, sizeof variable->value);
  variable->is_known = word->is_known && variables->skipped == SS_CHANCE_NEVER;
}

/* ${NAME...}, whose name ends at `rest` and which ends at `end`, with its bracket. */
static void expand_operator(const expanding *e, const char *begin, const char *rest, const char *end)
{
  const size_t length = (size_t)(rest - begin - 2);
  const ss_shell_variable *variable = ss_shell_find(e->variables, begin + 2, length);
  const bool is_array = strncmp(rest, "[@]", 3) == 0 || strncmp(rest, "[*]", 3) == 0;
  if (is_array) rest += 3;
  const bool has_colon = *rest == ':';
  const char sign = rest[has_colon], *text = rest + has_colon + 1;
  const bool is_given = variable != NULL && !(has_colon && variable->value[0] == '\0');
  const bool is_known_sign = rest + 1 == end || strchr("-=+?", sign) != NULL;
  if (length == 0 || !is_known_sign || (variable != NULL && !variable->is_known)) {
    (void)leave(e, begin, end);
  } else if ((sign == '-' || sign == '=') && !is_given) {
    ss_shell_word word;
    ss_shell_word_init(&word);
    expand_text(&(expanding){e->variables, &word, e->level + 1}, text, end - 1);
    (void)add(e->word->shown, word.shown, strlen(word.shown));
    (void)add(e->word->plain, word.plain, strlen(word.plain));
    e->word->is_known &= word.is_known;
    if (sign == '=') keep_default(e->variables, begin + 2, length, &word);
  } else if (sign == '+') {
    if (is_given) expand_text(&(expanding){e->variables, e->word, e->level + 1}, text, end - 1);
  } else {
    if (variable == NULL) ss_shell_ask(e->variables, begin + 2, length);
    put_value(e, variable, begin, end);
  }
}

static const char *expand_braces(const expanding *e, const char *begin)
{
  const char *end = closing(e, begin + 2, '{', '}'), *rest = begin + 2;
  if (end == NULL) {
    ss_shell_append(e->word, begin, 1);
    return begin + 1;
  }
  while (ss_shell_is_name(*rest)) ++rest;
  if (e->level < MOST_LEVELS)
    expand_operator(e, begin, rest, end + 1);
  else
    (void)leave(e, begin, end + 1);
  return end + 1;
}

static const char *expand_arithmetic(const expanding *e, const char *begin, const char *end)
{
  ss_shell_word word;
  char number[SS_SHELL_WORD_SIZE];
  long long value;
  ss_shell_word_init(&word);
  if (e->level < MOST_LEVELS) expand_text(&(expanding){e->variables, &word, e->level + 1}, begin + 3, end - 2);
  if (!word.is_known || !ss_shell_arithmetic(e->variables, word.plain, &value)) return leave(e, begin, end);
  (void)snprintf(number, sizeof number, "%lld", value);
  ss_shell_append(e->word, number, strlen(number));
  return end;
}

/* $NAME; and what a shell without arguments has for $1, $# and $@. */
static const char *expand_name(const expanding *e, const char *begin)
{
  const char *end = begin + 1;
  if (isdigit((unsigned char)*end) || *end == '@' || *end == '*' || *end == '#')
    ++end;
  else
    while (ss_shell_is_name(*end)) ++end;
  const ss_shell_variable *variable = ss_shell_find(e->variables, begin + 1, (size_t)(end - begin - 1));
  if (end == begin + 1) {
    const bool is_of_run = *end != '\0' && strchr("?$!-", *end) != NULL;
    if (is_of_run) return leave(e, begin, end + 1);
    ss_shell_append(e->word, begin, 1);
  } else if (variable != NULL && !variable->is_known) {
    return leave(e, begin, end);
  } else {
    if (variable == NULL && begin[1] != '#') ss_shell_ask(e->variables, begin + 1, (size_t)(end - begin - 1));
    put_value(e, variable, begin, end);
    if (variable == NULL && begin[1] == '#') (void)add(e->word->plain, "0", 1);
  }
  return end;
}

static const char *expand_one(const expanding *e, const char *begin)
{
  if (*begin == '`') {
    const char *end = memchr(begin + 1, '`', strnlen(begin + 1, MOST_BYTES));
    if (end != NULL) return leave(e, begin, end + 1);
    ss_shell_append(e->word, begin, 1);
    return begin + 1;
  }
  if (begin[1] == '{') return expand_braces(e, begin);
  if (begin[1] != '(') return expand_name(e, begin);
  const char *end = closing(e, begin + 2, '(', ')');
  if (end == NULL) {
    ss_shell_append(e->word, begin, 1);
    return begin + 1;
  }
  if (begin[2] == '(' && end[-1] == ')' && end > begin + 3) return expand_arithmetic(e, begin, end + 1);
  return leave(e, begin, end + 1);
}

static void expand_text(const expanding *e, const char *text, const char *end) // NOLINT(misc-no-recursion)
{
  char quote = '\0';
  while (text < end) {
    if (*text == '\\' && text + 1 < end) {
      ss_shell_append(e->word, text + 1, 1);
      text += 2;
    } else if (*text == '$' && quote != '\'') {
      text = expand_one(e, text);
    } else if (quote == *text || (quote == '\0' && (*text == '"' || *text == '\''))) {
      quote = (char)(quote == '\0' ? *text : '\0');
      ++text;
    } else {
      ss_shell_append(e->word, text++, 1);
    }
  }
}

const char *ss_shell_expand(ss_shell_variables *variables, const char *at, ss_shell_word *word)
{
  return expand_one(&(expanding){.variables = variables, .word = word}, at);
}

void ss_shell_expand_all(ss_shell_variables *variables, const char *text, size_t length, ss_shell_word *word)
{
  ss_shell_word_init(word);
  expand_text(&(expanding){.variables = variables, .word = word}, text, text + length);
}
