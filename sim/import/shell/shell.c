#include "sim/import/shell/shell.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/import/shell/assign.h"
#include "sim/import/shell/control.h"

void ss_shell_init(ss_shell *shell, const char *text)
{
  *shell = (ss_shell){.text = text, .at = text, .line_at = 1, .awaits_command = true};
  shell->link = shell->status = SS_CHANCE_ALWAYS;
}

static bool is_one_of(const char *word, const char *const *words)
{
  while (*words != NULL && strcmp(*words, word) != 0) ++words;
  return *words != NULL;
}

/* Their words are texts, files or options of their own. */
static const char *const muted[] = {"echo", "printf", "pip",    "pip3",   "git",     "curl",  "wget", "mkdir",
                                    "rm",   "cp",     "mv",     "ls",     "cat",     "tee",   "sed",  "awk",
                                    "cd",   "source", ".",      "unset",  "trap",    "shift", "set",  "scontrol",
                                    "exit", "module", "return", "ulimit", "apt-get", NULL};
/* Assignments may follow. */
static const char *const declares[] = {"export", "local", "declare", "readonly", NULL};
/* A here-document is commands to them. */
static const char *const shells[] = {"sbatch", "srun", "bash", "sh", NULL};

/* << WORD: the lines from the next one on are data. */
static void begin_document(ss_shell *shell)
{
  const char *word = shell->at + 2 + (shell->at[2] == '-');
  word += strspn(word, " \t'\"\\");
  size_t length = 0;
  while (ss_shell_is_name(word[length])) ++length;
  shell->is_inner |= shell->is_script;
  if (!shell->is_script && shell->variables.lost < SS_SHELL_LOST && length < sizeof shell->here) {
    memcpy(shell->here, word, length);
    shell->here[length] = '\0';
  }
  word += length;
  word += *word == '\'' || *word == '"';
  ss_shell_move(shell, word);
}

/* An exit of the script: of no branch, no other shell, and not decided by a command ahead of it. */
static bool is_exit(const ss_shell *shell)
{
  const bool is_part = shell->flow.depth + shell->flow.beyond + shell->subshells > 0 || shell->is_inner;
  return !is_part && shell->quote == '\0' && shell->link_choice == 0 && strcmp(shell->word.shown, "exit") == 0;
}

/* Leaves out all that is behind an exit. */
static void end_script(ss_shell *shell)
{
  const int line = shell->line;
  ss_shell_move(shell, shell->at + strcspn(shell->at, ";\n#"));
  ss_shell_pass_blanks(shell);
  if (*shell->at != '\0') shell->variables.gaps.exit_line = line;
  ss_shell_move(shell, shell->at + strlen(shell->at));
  shell->is_muted = true;
}

static void begin_command(ss_shell *shell)
{
  const char *word = shell->word.shown;
  const bool ends = is_exit(shell);
  shell->is_muted = is_one_of(word, muted);
  shell->is_script = is_one_of(word, shells);
  ss_shell_run(shell, shell->is_muted || is_one_of(word, declares) ? SS_CHANCE_ALWAYS : SS_CHANCE_MAYBE);
  shell->awaits_command = false;
  if (strcmp(word, "read") == 0) ss_shell_keep_read(shell);
  if (strcmp(word, "unset") == 0) ss_shell_keep_unset(shell);
  shell->awaits_file = strcmp(word, "source") == 0 || strcmp(word, ".") == 0;
  shell->positional = 0;
  shell->awaits_dashes = strcmp(word, "set") == 0;
  ss_shell_restore(shell);
  if (ends) end_script(shell);
}

/* Lists a file that is sourced, which the last word is. */
static void note_file(ss_shell *shell)
{
  shell->awaits_file = false;
  if (ss_shell_runs(shell) != SS_CHANCE_NEVER)
    ss_shell_names_add(&shell->variables.gaps.files, shell->word.shown, strlen(shell->word.shown));
}

/* set -- WORD...: arguments of the script, which the last word is one of, or what is ahead of them. */
static void keep_positional(ss_shell *shell)
{
  char name[16], count[16];
  const bool is_dashes = shell->awaits_dashes && strcmp(shell->word.shown, "--") == 0;
  shell->awaits_dashes = false;
  if (is_dashes) shell->positional = 1;
  if (is_dashes || shell->positional == 0 || ss_shell_runs(shell) != SS_CHANCE_ALWAYS) return;
  (void)snprintf(name, sizeof name, "%d", shell->positional);
  (void)snprintf(count, sizeof count, "%d", shell->positional++);
  ss_shell_set(&shell->variables, name, shell->word.plain);
  ss_shell_set(&shell->variables, "#", count);
}

/* What of the place only a run decides. */
static void note_choice(ss_shell *shell)
{
  const ss_shell_frame *frame = ss_shell_undecided(&shell->flow);
  shell->choice = 0;
  shell->way = 0;
  if (ss_shell_runs(shell) != SS_CHANCE_MAYBE) return;
  shell->choice = frame != NULL && shell->link == SS_CHANCE_ALWAYS ? frame->choice : shell->link_choice;
  shell->way = frame != NULL ? frame->way : 0;
}

static bool names_yaml(const char *word)
{
  static const char *const ends[] = {".yml", ".yaml"};
  const size_t length = strlen(word);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
    const size_t own = strlen(ends[i]);
    if (length > own && strcmp(word + length - own, ends[i]) == 0) return true;
  }
  return false;
}

/* Reads a word, and true where it is one of what runs. */
static bool read_one(ss_shell *shell)
{
  shell->is_command = shell->awaits_command && shell->parentheses == 0 && shell->assigned == NULL;
  shell->variables.skipped = ss_chance_not(ss_shell_runs(shell));
  const bool is_bare = shell->is_command && shell->quote == '\0';
  if (is_bare && ss_shell_control(shell)) return false;
  if (ss_shell_is_document(shell)) {
    begin_document(shell);
    return false;
  }
  ss_shell_read_word(shell);
  const bool is_word = shell->has_file && !shell->is_command;
  const bool is_file = names_yaml(shell->word.shown) && ss_shell_assigns(shell->word.shown) == 0;
  shell->has_file = is_word || (!shell->is_command && is_file);
  if (!shell->is_muted && !is_word && ss_shell_keep(shell)) {
    if (shell->is_command) ss_shell_run(shell, SS_CHANCE_ALWAYS);
    return false;
  }
  if (!shell->is_command && shell->awaits_file) note_file(shell);
  if (!shell->is_command && (shell->awaits_dashes || shell->positional > 0)) keep_positional(shell);
  if (shell->is_command) begin_command(shell);
  if (shell->parentheses > 0) ss_shell_keep_member(shell);
  note_choice(shell);
  return !shell->is_muted && ss_shell_runs(shell) != SS_CHANCE_NEVER;
}

bool ss_shell_next(ss_shell *shell)
{
  shell->opens = shell->is_apart = false;
  for (;;) {
    ss_shell_pass_blanks(shell);
    if (*shell->at == '\0') return false;
    if (read_one(shell)) return true;
  }
}
