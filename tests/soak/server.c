/* Runs the program again and again without starting it again: each run is a fork of a process that has it loaded.
 *
 * A request on standard input is its length in 4 bytes, then strings that end in zeros: the folder to run in, the files
 * for standard output and standard error, and the arguments. The answer on standard output is the status of wait, 4
 * bytes. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST_MAX   1000000
#define ARGUMENTS_MAX 1000
#define FAILED        125 /* of a run that could not begin */

/* The main function of the program: sim/cli/main.c. */
int stepsim_main(int argc, char **argv);

/* False at the end of standard input. */
static bool receive(void *bytes, size_t size)
{
  for (char *at = bytes; size > 0;) {
    const ssize_t got = read(STDIN_FILENO, at, size);
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

/* Splits a request into its strings; how many there are. */
static int split(char *text, size_t size, char *strings[ARGUMENTS_MAX + 1])
{
  int count = 0;
  for (char *end = text + size; text < end && count < ARGUMENTS_MAX; text += strlen(text) + 1) strings[count++] = text;
  strings[count] = NULL;
  return count;
}

static void redirect(const char *path, int flags, int to)
{
  const int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(FAILED);
  (void)close(file);
}

/* Ends a run without the destructors of the libraries, which take longer than most runs. */
static void leave(int status, void *nothing)
{
  (void)nothing;
  (void)fflush(NULL);
  _exit(status);
}

/* In the child: folder, output, errors, arguments. */
static void run(int count, char **strings)
{
  if (count < 4 || chdir(strings[0]) != 0) _exit(FAILED);
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(strings[1], O_WRONLY | O_TRUNC | O_CREAT, STDOUT_FILENO);
  redirect(strings[2], O_WRONLY | O_TRUNC | O_CREAT, STDERR_FILENO);
  (void)on_exit(leave, NULL);
  exit(stepsim_main(count - 3, strings + 3));
}

int main(void)
{
  static char request[REQUEST_MAX];
  uint32_t size;
  while (receive(&size, sizeof size)) {
    char *strings[ARGUMENTS_MAX + 1];
    if (size == 0 || size > REQUEST_MAX || !receive(request, size) || request[size - 1] != '\0') return 1;
    const int count = split(request, size, strings);
    const pid_t child = fork();
    if (child == 0) run(count, strings);
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
    const int32_t answer = status;
    if (write(STDOUT_FILENO, &answer, sizeof answer) != sizeof answer) return 1;
  }
  return 0;
}
