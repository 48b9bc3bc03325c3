#include "sim/import/shell/control.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "sim/import/shell/assign.h"
#include "sim/import/shell/condition.h"

/* Far above what conditions and patterns have. */
enum { MOST_BYTES = 8192, MOST_PATTERN = 1024 };

static size_t place(const ss_shell *shell)
{
  return (size_t)(shell->at - shell->text) + 1;
}

static void pass_word(ss_shell *shell)
{
  while (isalpha((unsigned char)*shell->at)) ++shell->at;
}

/* Where a word begins that begins a command, or stands alone where `alone`; NULL: there is none near. */
static const char *find_word(ss_shell *shell, const char *word, bool alone)
{
  const size_t length = strlen(word);
  const char *last = shell->at + strnlen(shell->at, MOST_BYTES);
  char quote = '\0';
  bool begins = false;
  if (shell->variables.lost == SS_SHELL_LOST) return NULL;
  for (const char *at = shell->at; at < last; ++at) {
    if (quote == '\0' && ss_shell_is_comment(shell->at, at)) at += strcspn(at, "\n");
    if (at >= last) break;
    if (quote == '\0' && begins && strncmp(at, word, length) == 0 && !ss_shell_is_name(at[length])) return at;
    const bool is_space = isspace((unsigned char)*at);
    begins = alone ? is_space : *at == ';' || *at == '\n' || (begins && is_space);
    if (*at == '\\' && at + 1 < last)
      ++at;
    else if (quote != '\0')
      quote = (char)(*at == quote ? '\0' : quote);
    else if (*at == '"' || *at == '\'')
      quote = *at;
  }
  ++shell->variables.lost;
  return NULL;
}

/* Begins a block that runs by a chance, where what links it to commands ahead of it lets it. */
static ss_shell_frame *open_block(ss_shell *shell, ss_shell_block block, ss_chance chance, size_t choice)
{
  const ss_shell_frame frame = {.block = block, .around = shell->link, .taken = chance, .choice = choice};
  shell->link = shell->status = SS_CHANCE_ALWAYS;
  shell->is_or = shell->is_linked = shell->is_negated = false;
  return ss_shell_open(&shell->flow, &frame);
}

/* The condition up to `word`, which is passed; without one, only a run decides. */
static ss_chance pass_condition(ss_shell *shell, const char *word)
{
  const char *end = find_word(shell, word, false);
  ss_chance chance = SS_CHANCE_MAYBE;
  if (end == NULL) return chance;
  size_t length = (size_t)(end - shell->at);
  while (length > 0 && (isspace((unsigned char)shell->at[length - 1]) || shell->at[length - 1] == ';')) --length;
  shell->variables.skipped = ss_chance_not(ss_shell_runs(shell));
  if (ss_shell_runs(shell) != SS_CHANCE_NEVER) chance = ss_shell_condition(&shell->variables, shell->at, length);
  ss_shell_move(shell, end);
  pass_word(shell);
  return chance;
}

static void begin_if(ss_shell *shell)
{
  const size_t choice = place(shell);
  pass_word(shell);
  const ss_chance chance = pass_condition(shell, "then");
  (void)open_block(shell, SS_BLOCK_IF, chance, choice);
}

static void go_on_if(ss_shell *shell)
{
  ss_shell_frame *frame = ss_shell_innermost(&shell->flow, SS_BLOCK_IF);
  const bool has_condition = ss_shell_is_at(shell, "elif");
  if (frame != NULL) frame->live = ss_chance_not(frame->taken);
  pass_word(shell);
  const ss_chance chance = has_condition ? pass_condition(shell, "then") : SS_CHANCE_ALWAYS;
  if (frame != NULL) ss_shell_branch(frame, chance);
}

static void begin_case(ss_shell *shell)
{
  const size_t choice = place(shell);
  pass_word(shell);
  const char *end = find_word(shell, "in", true);
  const bool runs = ss_shell_runs(shell) != SS_CHANCE_NEVER;
  ss_shell_frame *frame = open_block(shell, SS_BLOCK_CASE, SS_CHANCE_NEVER, choice);
  if (frame != NULL) frame->awaits_pattern = end != NULL;
  if (end == NULL) return;
  const char *begin = shell->at + strspn(shell->at, " \t");
  while (end > begin && isspace((unsigned char)end[-1])) --end;
  shell->variables.are_asked = runs;
  if (frame != NULL) ss_shell_expand_all(&shell->variables, begin, (size_t)(end - begin), &frame->subject);
  shell->variables.are_asked = false;
  ss_shell_move(shell, end + strspn(end, " \t\r\n"));
  pass_word(shell);
}

/* Whether the text of a case fits PATTERN | PATTERN. */
static ss_chance fits(ss_shell *shell, const ss_shell_frame *frame, const char *begin, const char *end)
{
  ss_chance chance = SS_CHANCE_NEVER;
  while (begin < end) {
    const char *bar = memchr(begin, '|', (size_t)(end - begin)), *last = bar != NULL ? bar : end, *to = last;
    ss_shell_word pattern;
    while (begin < to && isspace((unsigned char)*begin)) ++begin;
    while (begin < to && isspace((unsigned char)to[-1])) --to;
    ss_shell_expand_all(&shell->variables, begin, (size_t)(to - begin), &pattern);
    if (strcmp(pattern.plain, "*") == 0)
      chance = SS_CHANCE_ALWAYS;
    else if (!frame->subject.is_known || !pattern.is_known)
      chance = ss_chance_or(chance, SS_CHANCE_MAYBE);
    else
      chance = ss_chance_or(chance, ss_chance_of(fnmatch(pattern.plain, frame->subject.plain, 0) == 0));
    begin = last + 1;
  }
  return chance;
}

/* The pattern of a branch of a case, or its end. */
static void pass_pattern(ss_shell *shell, ss_shell_frame *frame)
{
  frame->awaits_pattern = false;
  if (ss_shell_is_at(shell, "esac")) {
    pass_word(shell);
    ss_shell_close(&shell->flow, SS_BLOCK_CASE);
    return;
  }
  const char *end = memchr(shell->at, ')', strnlen(shell->at, MOST_PATTERN));
  frame->live = SS_CHANCE_ALWAYS; /* whether what is around it runs */
  const bool runs = ss_shell_runs(shell) != SS_CHANCE_NEVER;
  ss_shell_branch(frame, runs && end != NULL ? fits(shell, frame, shell->at, end) : SS_CHANCE_MAYBE);
  if (end != NULL) ss_shell_move(shell, end + 1);
}

/* The members of a loop, of which the first one is read. */
static ss_chance pass_members(ss_shell *shell, const char *begin, const char *end)
{
  const char *name = begin + strspn(begin, " \t");
  size_t length = 0;
  while (ss_shell_is_name(name[length])) ++length;
  const char *members = name + length + strspn(name + length, " \t\r\n");
  ss_shell_variable *variable = length > 0 ? ss_shell_variable_of(&shell->variables, name, length) : NULL;
  ss_shell_word word;
  ss_shell_word_init(&word);
  word.is_known = false;
  while (end > members && (isspace((unsigned char)end[-1]) || end[-1] == ';')) --end;
  if (strncmp(members, "in", 2) == 0 && members + 2 <= end)
    ss_shell_expand_all(&shell->variables, members + 2, (size_t)(end - members - 2), &word);
  const char *first = word.plain + strspn(word.plain, " \t\n");
  const size_t size = strcspn(first, " \t\n");
  const bool has_more = first[size + strspn(first + size, " \t\n")] != '\0';
  if (variable != NULL) {
    memcpy(variable->value, first, size);
    variable->value[size] = '\0';
    variable->is_known = word.is_known;
    variable->is_words = false;
  }
  if (word.is_known && has_more && variable != NULL) ss_shell_names_add(&shell->variables.gaps.loops, name, length);
  if (!word.is_known) return SS_CHANCE_MAYBE;
  return ss_chance_of(size > 0);
}

static void begin_loop(ss_shell *shell)
{
  const size_t choice = place(shell);
  const bool has_members = ss_shell_is_at(shell, "for") || ss_shell_is_at(shell, "select");
  const bool is_until = ss_shell_is_at(shell, "until");
  ss_chance chance = SS_CHANCE_ALWAYS;
  pass_word(shell);
  const char *end = find_word(shell, "do", false);
  if (!has_members) {
    const ss_chance holds = pass_condition(shell, "do");
    chance = is_until ? ss_chance_not(holds) : holds;
  } else if (end != NULL) {
    if (ss_shell_runs(shell) != SS_CHANCE_NEVER) chance = pass_members(shell, shell->at, end);
    ss_shell_move(shell, end);
    pass_word(shell);
  }
  (void)open_block(shell, SS_BLOCK_LOOP, chance, choice);
}

/* Where blanks begin that end at `at`, or words. */
static const char *back(const ss_shell *shell, const char *at, bool over_words)
{
  while (at > shell->text && (isspace((unsigned char)at[-1]) != 0) != over_words) --at;
  return at;
}

/* Whether NAME() stands ahead of what is here, or function NAME. */
static bool is_function(const ss_shell *shell)
{
  static const char word[] = "function";
  const size_t length = sizeof word - 1;
  const char *at = back(shell, shell->at, false);
  if (at > shell->text && at[-1] == ')') {
    at = back(shell, at - 1, false);
    return at > shell->text && at[-1] == '(';
  }
  at = back(shell, back(shell, at, true), false);
  return (size_t)(at - shell->text) >= length && memcmp(at - length, word, length) == 0;
}

/* function NAME, ahead of its body. */
static void begin_function(ss_shell *shell)
{
  pass_word(shell);
  ss_shell_move(shell, shell->at + strspn(shell->at, " \t"));
  ss_shell_move(shell, shell->at + strcspn(shell->at, " \t\r\n;()"));
}

static void begin_group(ss_shell *shell)
{
  const size_t function = is_function(shell) ? place(shell) : 0;
  ss_shell_frame *frame = open_block(shell, SS_BLOCK_GROUP, SS_CHANCE_ALWAYS, shell->link_choice);
  if (frame != NULL) frame->function = function;
  ++shell->at;
}

static void end_if(ss_shell *shell)
{
  pass_word(shell);
  ss_shell_close(&shell->flow, SS_BLOCK_IF);
}

static void end_case(ss_shell *shell)
{
  pass_word(shell);
  ss_shell_close(&shell->flow, SS_BLOCK_CASE);
}

static void end_loop(ss_shell *shell)
{
  pass_word(shell);
  ss_shell_close(&shell->flow, SS_BLOCK_LOOP);
}

static void end_group(ss_shell *shell)
{
  ++shell->at;
  ss_shell_close(&shell->flow, SS_BLOCK_GROUP);
}

static void pass_negation(ss_shell *shell)
{
  shell->is_negated = !shell->is_negated;
  ++shell->at;
}

void ss_shell_run(ss_shell *shell, ss_chance succeeds)
{
  if (shell->link_choice == 0) shell->link_choice = place(shell);
  if (shell->is_negated) succeeds = ss_chance_not(succeeds);
  shell->is_negated = false;
  shell->is_linked = false;
  shell->status = shell->is_or ? ss_chance_or(shell->status, succeeds) : ss_chance_and(shell->status, succeeds);
}

/* Evaluates a test up to its end, which decides what follows && or ||; NULL: it has none. */
static void run_test(ss_shell *shell, const char *end)
{
  ss_chance chance = SS_CHANCE_MAYBE;
  if (end != NULL && ss_shell_runs(shell) != SS_CHANCE_NEVER)
    chance = ss_shell_condition(&shell->variables, shell->at, (size_t)(end - shell->at));
  ss_shell_run(shell, chance);
  ss_shell_move(shell, end != NULL ? end : shell->at + 1);
}

/* [ ... ] or [[ ... ]]. */
static void run_brackets(ss_shell *shell)
{
  const bool is_new = shell->at[1] == '[';
  const char *end = shell->at;
  const char *last = shell->at + strnlen(shell->at, MOST_BYTES);
  while (end < last && *end != '\n' && !(isspace((unsigned char)end[0]) && strncmp(end + 1, "]]", 1 + is_new) == 0))
    ++end;
  run_test(shell, end < last && *end != '\n' ? end + 2 + is_new : NULL);
}

/* test ..., up to the end of the command. */
static void run_words(ss_shell *shell)
{
  const char *end = shell->at, *last = shell->at + strnlen(shell->at, MOST_BYTES);
  char quote = '\0';
  int brackets = 0;
  while (end < last && (quote != '\0' || brackets > 0 || strchr(";\n&|)", *end) == NULL)) {
    if (quote == '\0' && ss_shell_is_comment(shell->at, end)) break;
    if (*end == '\\' && end + 1 < last)
      ++end;
    else if (quote != '\0')
      quote = (char)(*end == quote ? '\0' : quote);
    else if (*end == '"' || *end == '\'')
      quote = *end;
    else
      brackets += (*end == '(') - (*end == ')');
    ++end;
  }
  run_test(shell, end);
}

/* ((...)), which may give names values; parentheses around commands where it does not end. */
static void run_arithmetic(ss_shell *shell)
{
  const char *end = shell->at + 2;
  if (shell->variables.lost < SS_SHELL_LOST)
    while (*end != '\0' && *end != '\n' && strncmp(end, "))", 2) != 0) ++end;
  shell->awaits_command = strncmp(end, "))", 2) != 0;
  if (shell->awaits_command) {
    shell->variables.lost += shell->variables.lost < SS_SHELL_LOST;
    ss_shell_move(shell, shell->at + 2);
    return;
  }
  while (end[2] == ')') ++end;
  ss_chance chance = SS_CHANCE_MAYBE;
  if (ss_shell_runs(shell) != SS_CHANCE_NEVER && !ss_shell_keep_number(shell, shell->at + 2, end, &chance))
    chance = ss_shell_condition(&shell->variables, shell->at, (size_t)(end + 2 - shell->at));
  ss_shell_run(shell, chance);
  ss_shell_move(shell, end + 2);
}

static const struct {
  const char *word;
  void (*does)(ss_shell *shell);
  bool is_followed; /* by a command */
} words[] = {{"if", begin_if, true},      {"elif", go_on_if, true},     {"else", go_on_if, true},
             {"fi", end_if, false},       {"case", begin_case, true},   {"esac", end_case, false},
             {"for", begin_loop, true},   {"select", begin_loop, true}, {"while", begin_loop, true},
             {"until", begin_loop, true}, {"done", end_loop, false},    {"{", begin_group, true},
             {"}", end_group, false},     {"!", pass_negation, true},   {"[", run_brackets, false},
             {"[[", run_brackets, false}, {"test", run_words, false},   {"function", begin_function, true}};

bool ss_shell_control(ss_shell *shell)
{
  ss_shell_frame *branches = ss_shell_innermost(&shell->flow, SS_BLOCK_CASE);
  if (branches != NULL && branches->awaits_pattern) {
    pass_pattern(shell, branches);
    shell->awaits_command = true;
    return true;
  }
  if (strncmp(shell->at, "((", 2) == 0) {
    run_arithmetic(shell);
    return true;
  }
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    if (!ss_shell_is_at(shell, words[i].word)) continue;
    words[i].does(shell);
    shell->awaits_command = words[i].is_followed;
    return true;
  }
  return false;
}
