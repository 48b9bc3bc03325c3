#include "sim/import/shell/words.h"

#include <ctype.h>
#include <string.h>

static bool is_quote(char byte)
{
  return byte == '"' || byte == '\'';
}

/* Where quotes begin and end they are blanks; inside of them, only these, spaces and ends of lines are. */
static bool is_blank(const ss_shell *shell)
{
  const char byte = *shell->at;
  if (byte == '\0') return false;
  if (shell->quote != '\0') return byte == shell->quote || isspace((unsigned char)byte);
  return strchr(" \t\r\n\"'();|&", byte) != NULL;
}

void ss_shell_move(ss_shell *shell, const char *to)
{
  for (; shell->at < to && *shell->at != '\0'; ++shell->at) shell->line_at += *shell->at == '\n';
}

bool ss_shell_is_at(const ss_shell *shell, const char *word)
{
  const size_t length = strlen(word);
  return strncmp(shell->at, word, length) == 0 &&
         (shell->at[length] == '\0' || strchr(" \t\r\n;()", shell->at[length]));
}

size_t ss_shell_assigns(const char *word)
{
  size_t length = 0;
  while (ss_shell_is_name(word[length])) ++length;
  if (length == 0 || isdigit((unsigned char)word[0])) return 0;
  const size_t sign = word[length] == '+';
  return word[length + sign] == '=' ? length + sign + 1 : 0;
}

ss_chance ss_shell_runs(const ss_shell *shell)
{
  return ss_chance_and(ss_shell_live(&shell->flow), shell->link);
}

/* A new command, whatever became of those before it. */
static void end_list(ss_shell *shell)
{
  if (shell->parentheses > 0 || shell->is_linked) return;
  shell->awaits_command = true;
  shell->is_muted = false;
  shell->link = shell->status = SS_CHANCE_ALWAYS;
  shell->is_or = false;
  shell->link_choice = 0;
  shell->assigned = NULL;
  shell->assigned_end = NULL;
}

/* && or ||: the next command runs by what became of those before it. */
static void link_command(ss_shell *shell, char sign)
{
  shell->awaits_command = true;
  shell->is_muted = false;
  shell->is_or = sign == '|';
  shell->is_linked = true;
  shell->link = shell->is_or ? ss_chance_not(shell->status) : shell->status;
}

/* Leaves out the lines up to the word that ends a here-document, if there is one. */
static void pass_document(ss_shell *shell)
{
  const size_t length = strlen(shell->here);
  const char *line = shell->at;
  while (*line != '\0') {
    const char *word = line + strspn(line, "\t"), *end = line + strcspn(line, "\n");
    if (strncmp(word, shell->here, length) == 0 && word[length + strspn(word + length, "\r")] == *end) break;
    line = end + (*end == '\n');
  }
  shell->here[0] = '\0';
  if (*line == '\0')
    ++shell->variables.lost;
  else
    ss_shell_move(shell, line + strcspn(line, "\n"));
}

/* A parenthesis: of an array, of a pattern or around commands. */
static void pass_parenthesis(ss_shell *shell, char byte)
{
  if (shell->parentheses > 0) {
    shell->parentheses += byte == '(' ? 1 : -1;
    if (shell->parentheses == 0) shell->assigned = NULL;
  } else {
    if (byte == '(') ++shell->subshells;
    if (byte == ')' && shell->subshells > 0) --shell->subshells;
    shell->awaits_command = true;
    shell->is_muted = false;
  }
}

static void pass_sign(ss_shell *shell)
{
  const char byte = *shell->at, next = shell->at[1];
  const char before = (char)(shell->at > shell->text ? shell->at[-1] : '\0');
  ss_shell_frame *branches = ss_shell_innermost(&shell->flow, SS_BLOCK_CASE);
  size_t length = 1;
  shell->is_own = false;
  if (byte == ';' && next == ';' && branches != NULL && shell->parentheses == 0) branches->awaits_pattern = true;
  if ((byte == '&' || byte == '|') && next == byte) {
    length = 2;
    link_command(shell, byte);
  } else if (byte == '(' || byte == ')') {
    pass_parenthesis(shell, byte);
  } else if (byte == '|') {
    shell->awaits_command = true;
    shell->is_muted = false;
  } else if (byte != '&' || (before != '>' && next != '>')) {
    end_list(shell);
  }
  ss_shell_move(shell, shell->at + length);
  if (byte == '\n' && shell->here[0] != '\0') pass_document(shell);
}

static void pass_blank(ss_shell *shell)
{
  const char byte = *shell->at;
  if (strchr(" \t\r\"'", byte) == NULL) shell->is_apart = true;
  if (shell->quote == '\0' && strchr("\n();|&", byte) != NULL) {
    pass_sign(shell);
    return;
  }
  if (shell->quote == byte) {
    shell->quote = '\0';
    if (shell->at == shell->assigned_end) shell->assigned = NULL;
    if (shell->at == shell->assigned_end) shell->assigned_end = NULL;
  } else if (shell->quote == '\0' && is_quote(byte)) {
    shell->quote = byte;
  }
  ss_shell_move(shell, shell->at + 1);
}

/* Whether a command may begin here, or a pattern: not inside of an array or of a text. */
static bool may_begin(const ss_shell *shell)
{
  const bool is_inside = shell->parentheses > 0 || shell->assigned != NULL || shell->quote != '\0';
  return shell->awaits_command && !is_inside;
}

/* Quotes of a pattern, whose end is not the next blank. */
static bool is_pattern(const ss_shell *shell)
{
  const ss_shell_flow *flow = &shell->flow;
  const bool awaits = flow->depth > 0 && flow->frame[flow->depth - 1].awaits_pattern;
  return awaits && may_begin(shell) && is_quote(*shell->at);
}

/* ((...)) as a command. */
static bool is_arithmetic(const ss_shell *shell)
{
  return may_begin(shell) && strncmp(shell->at, "((", 2) == 0;
}

bool ss_shell_is_document(const ss_shell *shell)
{
  const bool is_more = shell->at > shell->text && shell->at[-1] == '<';
  return shell->quote == '\0' && !is_more && strncmp(shell->at, "<<", 2) == 0 && shell->at[2] != '<';
}

/* A backslash goes with the end of its line. What Slurm reads is no comment. */
void ss_shell_pass_blanks(ss_shell *shell)
{
  while (*shell->at != '\0' && !is_pattern(shell) && !is_arithmetic(shell)) {
    if (*shell->at == '#' && shell->quote == '\0') {
      if (shell->awaits_command && strncmp(shell->at, "#SBATCH", 7) == 0) return;
      ss_shell_move(shell, shell->at + strcspn(shell->at, "\n"));
    } else if (*shell->at == '\\' && isspace((unsigned char)shell->at[1])) {
      ss_shell_move(shell, shell->at + 2);
    } else if (is_blank(shell)) {
      pass_blank(shell);
    } else {
      return;
    }
  }
}

/* Appends what is quoted in the middle of a word, blanks too. */
static void read_quoted(ss_shell *shell, const char quote)
{
  ss_shell_move(shell, shell->at + 1);
  while (*shell->at != '\0' && *shell->at != quote) {
    if (quote == '"' && (*shell->at == '$' || *shell->at == '`')) {
      ss_shell_move(shell, ss_shell_expand(&shell->variables, shell->at, &shell->word));
    } else {
      if (quote == '"' && *shell->at == '\\' && shell->at[1] != '\0') ss_shell_move(shell, shell->at + 1);
      ss_shell_append(&shell->word, shell->at, 1);
      ss_shell_move(shell, shell->at + 1);
    }
  }
  ss_shell_move(shell, shell->at + 1);
}

void ss_shell_read_word(ss_shell *shell)
{
  ss_shell_word_init(&shell->word);
  shell->line = shell->line_at;
  for (;;) {
    const size_t assigns = shell->quote == '\0' ? ss_shell_assigns(shell->word.shown) : 0;
    if (*shell->at == '\0') return;
    if (shell->quote == '\0' && is_quote(*shell->at) && (assigns == 0 || shell->word.shown[assigns] != '\0')) {
      read_quoted(shell, *shell->at);
      continue;
    }
    if (is_blank(shell) || ss_shell_is_document(shell)) return;
    if (*shell->at == '\\' && isspace((unsigned char)shell->at[1])) return;
    if (shell->quote != '\0' && is_quote(*shell->at)) { /* of the shell that reads what is quoted */
      ++shell->at;
      continue;
    }
    if (*shell->at == '\\' && (is_quote(shell->at[1]) || shell->at[1] == '$')) {
      ++shell->at;
    } else if (*shell->at == '$' || *shell->at == '`') {
      ss_shell_move(shell, ss_shell_expand(&shell->variables, shell->at, &shell->word));
      continue;
    }
    ss_shell_append(&shell->word, shell->at++, 1);
  }
}
