#include "sim/process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the process: signals mean what they mean by themselves, but for those that are ignored. */
static void drop_handlers(void)
{
  const struct sigaction by_itself = {.sa_handler = SIG_DFL};
  struct sigaction action;
  for (int number = 1; number <= SIGRTMAX; ++number)
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      (void)sigaction(number, &by_itself, NULL);
}

/* What the parent has printed and not flushed is the parent's: the network simulator flushes standard output. */
static void begin(pid_t parent)
{
  sigset_t none;
  __fpurge(stdout);
  drop_handlers();
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0); /* it died before the line above */
}

pid_t ss_process_start(int *line)
{
  int ends[2];
  sigset_t all, before;
  const pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of the host runs in the process */
  const pid_t process = fork();
  const int problem = errno;
  if (process == 0) begin(parent);
  if (process != 0) (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  (void)close(ends[process != 0]);
  if (process < 0) (void)close(ends[0]);
  *line = ends[process == 0];
  errno = problem;
  return process;
}

bool ss_process_send(int line, const void *bytes, size_t size)
{
  const char *data = bytes;
  for (size_t sent = 0; sent < size;) {
    const ssize_t n = send(line, data + sent, size - sent, MSG_NOSIGNAL); /* who is gone must not kill this process */
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) sent += (size_t)n;
  }
  return true;
}

bool ss_process_receive(int line, void *bytes, size_t size)
{
  char *data = bytes;
  for (size_t received = 0; received < size;) {
    const ssize_t n = recv(line, data + received, size - received, 0);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) received += (size_t)n;
  }
  return true;
}

void ss_process_wait(pid_t process, char fate[SS_FATE_SIZE])
{
  int status = 0;
  pid_t ended;
  do {
    ended = waitpid(process, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) /* a host that ignores SIGCHLD, or waits for all children, took the answer */
    (void)snprintf(fate, SS_FATE_SIZE, "has ended, nobody knows how");
  else if (WIFSIGNALED(status))
    (void)snprintf(fate, SS_FATE_SIZE, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    (void)snprintf(fate, SS_FATE_SIZE, "stopped with status %d", WEXITSTATUS(status));
}
