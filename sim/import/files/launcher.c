#include "sim/import/files/launcher.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Far above the name of any option. */
enum { MOST_NAME = 64 };

/* What stands for a launcher, and what its options are of. */
static const struct {
  const char *word, *name;
} launchers[] = {
    {"srun", "srun"},     {"sbatch", "sbatch"},   {"#SBATCH", "sbatch"},      {"salloc", "sbatch"},
    {"mpirun", "mpirun"}, {"mpiexec", "mpirun"},  {"nsys", "nsys"},           {"ncu", "ncu"},
    {"uv", "uv"},         {"numactl", "numactl"}, {"deepspeed", "deepspeed"}, {"accelerate", "accelerate"}};

/* Variables that Slurm sets where an option is given (https://slurm.schedmd.com/sbatch.html, OUTPUT ENVIRONMENT
 * VARIABLES). */
static const struct {
  const char *option, *variable;
} variables[] = {{"nodes", "SLURM_NNODES"},
                 {"nodes", "SLURM_JOB_NUM_NODES"},
                 {"N", "SLURM_NNODES"},
                 {"N", "SLURM_JOB_NUM_NODES"},
                 {"gpus-per-node", "SLURM_GPUS_PER_NODE"},
                 {"gpus-per-node", "SLURM_GPUS_ON_NODE"},
                 {"gres", "SLURM_GPUS_ON_NODE"},
                 {"ntasks", "SLURM_NTASKS"},
                 {"n", "SLURM_NTASKS"},
                 {"ntasks-per-node", "SLURM_NTASKS_PER_NODE"}};

/* The last part of a path. */
static const char *bare(const char *word)
{
  const char *slash = strrchr(word, '/');
  return slash != NULL ? slash + 1 : word;
}

/* Programs that turn checkpoints into others have sizes of their own, and those that generate text do not train: what
 * options of a program in Python, by a part of its name, are of. */
static const struct {
  const char *part, *name;
} others[] = {{"convert", "convert"},
              {"conversion", "convert"},
              {"text_generation", "generate"},
              {"text_gen_", "generate"},
              {"inference", "generate"}};

static const char *other_than_training(const char *name)
{
  const char *dot = strrchr(name, '.');
  if (dot == NULL || strcmp(dot, ".py") != 0) return NULL;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
    if (strstr(name, others[i].part) != NULL) return others[i].name;
  return NULL;
}

static const char *named(const char *word)
{
  if (other_than_training(word) != NULL) return other_than_training(word);
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; ++i)
    if (strcmp(launchers[i].word, word) == 0) return launchers[i].name;
  return NULL;
}

bool ss_launcher_is_program(const char *word)
{
  static const char *const programs[] = {"torchrun", "ft_launcher", "sh", "bash", NULL};
  const char *name = bare(word), *dot = strrchr(name, '.');
  for (const char *const *program = programs; *program != NULL; ++program)
    if (strcmp(*program, name) == 0) return true;
  if (strncmp(word, "./", 2) == 0) return true;
  return strncmp(name, "python", 6) == 0 || (dot != NULL && (strcmp(dot, ".py") == 0 || strcmp(dot, ".sh") == 0));
}

/* The variable that a word is the value of; NULL: it is something else. */
static const ss_shell_variable *variable_of(ss_shell *shell)
{
  const char *word = shell->word.shown;
  if (word[0] != '$') return NULL;
  word += 1 + (word[1] == '{');
  size_t length = 0;
  while (ss_shell_is_name(word[length])) ++length;
  return ss_shell_find(&shell->variables, word, length);
}

const char *ss_launcher_at(ss_shell *shell, const char *launcher)
{
  const char *word = shell->word.shown;
  const ss_shell_variable *variable = variable_of(shell);
  if (shell->is_command || shell->opens) launcher = NULL;
  if (variable != NULL && variable->is_words && (launcher == NULL || variable->launcher != NULL))
    launcher = variable->launcher;
  if (ss_launcher_is_program(word)) launcher = NULL;
  if (named(bare(word)) != NULL) launcher = named(bare(word));
  if (shell->assigned != NULL) shell->assigned->launcher = launcher;
  return launcher;
}

const char *ss_launcher_option(const char *key)
{
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; ++i) {
    const size_t length = strlen(launchers[i].name);
    if (strncmp(key, launchers[i].name, length) == 0 && key[length] == '.') return key + length + 1;
  }
  return NULL;
}

static void set_variables(ss_shell *shell, const char *option, const char *value)
{
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
    const char *name = variables[i].variable;
    if (strcmp(variables[i].option, option) == 0 && ss_shell_find(&shell->variables, name, strlen(name)) == NULL)
      ss_shell_set(&shell->variables, name, value);
  }
}

/* The value of an option behind its name: the next word of the line, if it is none of the launcher's or program's. */
static const char *next_value(ss_shell *shell, bool *more)
{
  *more = ss_shell_next(shell);
  if (!*more || shell->is_apart || shell->is_command || shell->opens || shell->word.shown[0] == '-') return "true";
  return ss_launcher_is_program(shell->word.shown) || named(shell->word.shown) != NULL ? "true" : shell->word.shown;
}

/* Options of one letter, and of MPI of two, that have the next word for a value. */
static bool takes_next(const char *launcher, const char *option)
{
  static const char *const counts_tasks[] = {"srun", "sbatch", "mpirun"};
  if (strcmp(option, "N") == 0) return true;
  if (strcmp(option, "n") != 0) return false;
  for (size_t i = 0; i < sizeof counts_tasks / sizeof counts_tasks[0]; ++i)
    if (strcmp(counts_tasks[i], launcher) == 0) return true;
  return false;
}

/* Whether an option behind one dash is a letter with its value, if it is not that of a name. */
static bool is_letter(const char *launcher, const char *word)
{
  const bool of_mpi =
      strcmp(launcher, "mpirun") == 0 && word[0] == '-' && word[1] != '\0' && isalpha((unsigned char)word[2]);
  return word[0] == '-' && word[1] != '-' && !of_mpi;
}

ss_status ss_launcher_read(ss_shell *shell, const char *launcher, ss_settings *settings, bool *more, ss_error *error)
{
  char key[SS_SETTING_KEY_SIZE], text[SS_SHELL_WORD_SIZE];
  const char *name = shell->word.shown + strspn(shell->word.shown, "-");
  const bool is_short = is_letter(launcher, shell->word.shown);
  const size_t length = is_short ? (size_t)(*name != '\0') : strcspn(name, "=");
  const int line = shell->line;
  (void)snprintf(key, sizeof key, "%s.%.*s", launcher, (int)(length < MOST_NAME ? length : MOST_NAME), name);
  const char *rest = name + length + (name[length] == '='), *option = key + strlen(launcher) + 1;
  const bool has_value = name[length] != '\0', awaits = !has_value && (!is_short || takes_next(launcher, option));
  const char *value = has_value ? rest : "true";
  if (awaits) value = next_value(shell, more);
  (void)snprintf(text, sizeof text, "%s", value);
  const char *colon = strrchr(text, ':'), *count = colon != NULL ? colon + 1 : text;
  if (!awaits || value == shell->word.shown) *more = ss_shell_next(shell);
  if (strcmp(launcher, "sbatch") == 0) set_variables(shell, option, count);
  return ss_settings_add(settings, key, ss_setting_value(count), line, error);
}
