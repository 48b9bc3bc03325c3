#include "sim/import/shell/assign.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/import/shell/arithmetic.h"

/* What a variable gets where it may get it. Whether a function runs that gives it another value, is not known. */
static void set(const ss_shell *shell, ss_shell_variable *variable, const char *value, bool is_known, bool is_words)
{
  const bool is_same = variable->is_known && strcmp(variable->value, value) == 0;
  const bool is_new = variable->is_known && variable->value[0] == '\0';
  const size_t function = ss_shell_function(&shell->flow);
  if (function == 0 || is_new) variable->function = function;
  const bool is_certain = ss_shell_runs(shell) == SS_CHANCE_ALWAYS && variable->function == function;
  variable->is_known = is_known && (is_same || is_certain);
  variable->is_words = is_words;
  if (!is_words) variable->launcher = NULL;
  memcpy(variable->value, value, strlen(value) + 1);
}

/* Behind what a variable has; + adds no blank between. */
static void put(const ss_shell *shell, ss_shell_variable *variable, const ss_shell_word *value, bool adds,
                bool is_words)
{
  ss_shell_word joined;
  ss_shell_word_init(&joined);
  if (adds) ss_shell_append(&joined, variable->value, strlen(variable->value));
  ss_shell_append(&joined, value->plain, strlen(value->plain));
  const bool is_known = value->is_known && joined.is_known && (!adds || variable->is_known);
  set(shell, variable, joined.plain, is_known, is_words || (adds && variable->is_words));
}

/* Whether what is quoted from `text` on are several words, or one that is an argument. */
static bool is_several(const char *text, const char *end)
{
  while (text < end && isspace((unsigned char)*text)) ++text;
  if (text < end && *text == '-') return true;
  while (end > text && isspace((unsigned char)end[-1])) --end;
  int brackets = 0;
  for (; text < end; ++text) {
    if (*text == '{' || *text == '(') ++brackets;
    if (*text == '}' || *text == ')') --brackets;
    if (isspace((unsigned char)*text) && brackets <= 0) return true;
  }
  return false;
}

/* The quote that ends what one begins; NULL: there is none. Quotes in $(...) are in pairs of their own. */
static const char *quoted_end(ss_shell_variables *variables, const char *begin)
{
  int brackets = 0;
  if (variables->lost == SS_SHELL_LOST) return NULL;
  for (const char *at = begin + 1; *at != '\0'; ++at) {
    if (*begin == '"' && *at == '\\' && at[1] != '\0')
      ++at;
    else if (*begin == '"' && at[0] == '$' && at[1] == '(')
      ++brackets;
    else if (brackets > 0 && *at == ')')
      --brackets;
    else if (*at == *begin && brackets == 0)
      return at;
  }
  ++variables->lost;
  return NULL;
}

/* NAME="...": one word is passed, several are read next. False where the quote does not end. */
static bool keep_quoted(ss_shell *shell, ss_shell_variable *variable, bool adds)
{
  const char *begin = shell->at, *end = quoted_end(&shell->variables, begin);
  const bool is_empty = shell->assigned == NULL && shell->parentheses == 0;
  ss_shell_word value;
  if (end == NULL) return false;
  if (*begin == '"') {
    ss_shell_expand_all(&shell->variables, begin + 1, (size_t)(end - begin - 1), &value);
  } else {
    ss_shell_word_init(&value);
    ss_shell_append(&value, begin + 1, (size_t)(end - begin - 1));
  }
  const bool several = is_several(begin + 1, end);
  if (variable != NULL) put(shell, variable, &value, adds, several);
  if (!several) {
    ss_shell_move(shell, end + 1);
    return true;
  }
  shell->quote = *begin;
  ss_shell_move(shell, begin + 1);
  if (!is_empty) return true;
  shell->assigned = variable;
  shell->assigned_end = end;
  shell->opens = true;
  return true;
}

static void keep_array(ss_shell *shell, ss_shell_variable *variable, bool adds)
{
  ss_shell_word value;
  ss_shell_word_init(&value);
  if (variable != NULL) put(shell, variable, &value, adds, true);
  ss_shell_move(shell, shell->at + 1);
  shell->parentheses = 1;
  shell->assigned = variable;
  shell->assigned_end = NULL;
  shell->opens = true;
}

/* IFS=... ahead of a command is of that command only. */
static void note_own(ss_shell *shell)
{
  const ss_shell_variable *before = ss_shell_find(&shell->variables, "IFS", 3);
  shell->is_own = true;
  shell->apart = before != NULL ? *before : (ss_shell_variable){.name = ""};
}

void ss_shell_restore(ss_shell *shell)
{
  ss_shell_variable *now = ss_shell_find(&shell->variables, "IFS", 3);
  if (!shell->is_own || now == NULL) return;
  shell->is_own = false;
  if (shell->apart.name[0] == '\0')
    ss_shell_forget(&shell->variables, now);
  else
    *now = shell->apart;
}

bool ss_shell_keep(ss_shell *shell)
{
  char name[SS_SHELL_WORD_SIZE];
  memcpy(name, shell->word.shown, sizeof name);
  const size_t length = ss_shell_assigns(name);
  if (length == 0) return false;
  const bool adds = name[length - 2] == '+', is_empty = name[length] == '\0' && shell->quote == '\0';
  const bool runs = ss_shell_runs(shell) != SS_CHANCE_NEVER;
  if (shell->is_command && strncmp(name, "IFS=", 4) == 0) note_own(shell);
  ss_shell_variable *variable = runs ? ss_shell_variable_of(&shell->variables, name, length - 1 - adds) : NULL;
  if (is_empty && *shell->at == '(' && shell->parentheses == 0) {
    keep_array(shell, variable, adds);
  } else if (!is_empty || (*shell->at != '"' && *shell->at != '\'') || !keep_quoted(shell, variable, adds)) {
    ss_shell_word value;
    const size_t plain = ss_shell_assigns(shell->word.plain);
    ss_shell_word_init(&value);
    ss_shell_append(&value, shell->word.plain + plain, strlen(shell->word.plain + plain));
    value.is_known &= shell->word.is_known;
    if (variable != NULL) put(shell, variable, &value, adds, false);
  }
  return true;
}

void ss_shell_keep_member(ss_shell *shell)
{
  ss_shell_variable *variable = shell->assigned;
  if (variable == NULL || shell->assigned_end != NULL) return;
  ss_shell_word value;
  ss_shell_word_init(&value);
  if (variable->value[0] != '\0') ss_shell_append(&value, " ", 1);
  ss_shell_append(&value, shell->word.plain, strlen(shell->word.plain));
  value.is_known &= shell->word.is_known;
  put(shell, variable, &value, true, true);
}

/* Gives the names, which end with a blank each, the parts of a text; the last one gets the rest. */
static void split(ss_shell *shell, const char *names, const ss_shell_word *text)
{
  const ss_shell_variable *apart = ss_shell_find(&shell->variables, "IFS", 3);
  const char *signs = apart != NULL && apart->is_known && apart->value[0] != '\0' ? apart->value : " \t\n";
  const char *at = text->plain;
  for (; *names != '\0'; names += strspn(names, " ")) {
    const size_t length = strcspn(names, " "), part = names[length + 1] == '\0' ? strlen(at) : strcspn(at, signs);
    ss_shell_variable *variable = ss_shell_variable_of(&shell->variables, names, length);
    ss_shell_word value;
    ss_shell_word_init(&value);
    ss_shell_append(&value, at, part);
    if (variable != NULL) set(shell, variable, value.plain, text->is_known, false);
    at += part + (at[part] != '\0');
    names += length;
  }
}

void ss_shell_keep_read(ss_shell *shell)
{
  ss_shell_word names, text;
  const char *end = shell->at + strcspn(shell->at, ";\n|&"), *begin = shell->at;
  ss_shell_word_init(&names);
  ss_shell_word_init(&text);
  text.is_known = false;
  while (begin < end && strncmp(begin, "<<", 2) != 0) {
    const char *word = begin + strspn(begin, " \t");
    const size_t length = strcspn(word, " \t;\n|&");
    const bool is_name = length > 0 && strcspn(word, "-'\"$<>") >= length;
    if (is_name) ss_shell_append(&names, word, length);
    if (is_name) ss_shell_append(&names, " ", 1);
    begin = strncmp(word, "<<", 2) == 0 ? word : word + length;
  }
  if (strncmp(begin, "<<<", 3) == 0) {
    begin += 3 + strspn(begin + 3, " \t");
    ss_shell_expand_all(&shell->variables, begin, (size_t)(end > begin ? end - begin : 0), &text);
    ss_shell_move(shell, end);
  }
  if (names.is_known && ss_shell_runs(shell) != SS_CHANCE_NEVER) split(shell, names.plain, &text);
}

void ss_shell_keep_unset(ss_shell *shell)
{
  const ss_chance runs = ss_shell_runs(shell);
  const bool is_certain = runs == SS_CHANCE_ALWAYS && ss_shell_function(&shell->flow) == 0;
  const char *at = shell->at, *end = at + strcspn(at, ";\n|&)#");
  while (runs != SS_CHANCE_NEVER && at < end) {
    at += strspn(at, " \t\r");
    const size_t length = strcspn(at, " \t\r;\n|&)#");
    ss_shell_variable *variable = ss_shell_find(&shell->variables, at, length);
    if (variable != NULL && is_certain)
      ss_shell_forget(&shell->variables, variable);
    else if (variable != NULL)
      variable->is_known = false;
    at += length;
  }
}

/* Whether = or an operator with it, ++ or -- stands here, behind a name. */
static bool is_change(const char *at)
{
  const size_t length = strspn(at, "*/%+-&^|<>");
  if (strncmp(at, "++", 2) == 0 || strncmp(at, "--", 2) == 0) return true;
  return at[length] == '=' && at[length + 1] != '=' && !(length == 1 && strchr("<>", at[0]) != NULL);
}

/* NAME = EXPRESSION, of which `value` is the part behind the sign; false where it has no number. */
static bool keep_equal(ss_shell *shell, ss_shell_variable *variable, const char *value, const char *end,
                       ss_chance *chance)
{
  ss_shell_word word;
  char text[SS_SHELL_WORD_SIZE];
  long long number;
  ss_shell_expand_all(&shell->variables, value, (size_t)(end - value), &word);
  if (!word.is_known || !ss_shell_arithmetic(&shell->variables, word.plain, &number)) return false;
  (void)snprintf(text, sizeof text, "%lld", number);
  set(shell, variable, text, true, false);
  *chance = ss_chance_of(number != 0);
  return true;
}

bool ss_shell_keep_number(ss_shell *shell, const char *text, const char *end, ss_chance *chance)
{
  const char *at = text + strspn(text, " \t");
  bool changes = false;
  *chance = SS_CHANCE_MAYBE;
  for (const char *first = at; at < end;) {
    size_t length = 0;
    while (ss_shell_is_name(at[length])) ++length;
    const bool is_ahead = at >= text + 2 && (strncmp(at - 2, "++", 2) == 0 || strncmp(at - 2, "--", 2) == 0);
    const bool is_name = length > 0 && !isdigit((unsigned char)*at);
    const char *sign = at + length + (is_name ? strspn(at + length, " \t") : 0);
    if (is_name && (is_ahead || is_change(sign))) {
      ss_shell_variable *variable = ss_shell_variable_of(&shell->variables, at, length);
      changes = true;
      if (at == first && *sign == '=' && variable != NULL && keep_equal(shell, variable, sign + 1, end, chance)) break;
      if (variable != NULL) variable->is_known = false;
    }
    at += length > 0 ? length : 1;
  }
  return changes;
}
