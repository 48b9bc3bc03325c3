/* A replay in a process of its own, which sends back what came of it through a pipe. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/engine/play.h"
#include "sim/module/module.h"

static bool send_all(int pipe_end, const void *data, size_t size)
{
  for (size_t sent = 0; sent < size;) {
    const ssize_t n = write(pipe_end, (const char *)data + sent, size - sent);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) sent += (size_t)n;
  }
  return true;
}

static bool receive_all(int pipe_end, void *data, size_t size)
{
  for (size_t received = 0; received < size;) {
    const ssize_t n = read(pipe_end, (char *)data + received, size - received);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) received += (size_t)n;
  }
  return true;
}

static size_t crowded_size(const ss_outcome *out)
{
  return (size_t)out->crowded.count * sizeof *out->crowded.link;
}

/* The links follow the rest. */
static bool receive_outcome(int pipe_end, ss_outcome *out)
{
  const bool received = receive_all(pipe_end, out, sizeof *out);
  out->crowded.link = NULL; /* the child's */
  if (!received || out->crowded.count == 0) return received;
  out->crowded.link = malloc(crowded_size(out));
  return out->crowded.link != NULL && receive_all(pipe_end, out->crowded.link, crowded_size(out));
}

static void run_child(const ss_job *job, const ss_replay_options *options, const ss_crowded_links *known, int pipe_end)
{
  static ss_outcome out; /* too large for comfort on a stack; the child has it to itself */
  ss_play(job, options, known, &out);
  const bool sent = send_all(pipe_end, &out, sizeof out) && send_all(pipe_end, out.crowded.link, crowded_size(&out));
  (void)fflush(NULL);
  _exit(sent ? 0 : 1);
}

static ss_status stopped_early(pid_t child, int wait_status, ss_error *error)
{
  if (WIFSIGNALED(wait_status))
    return ss_error_set(error, SS_ERROR_ENGINE, NULL, 0,
                        "the network simulation (process %ld) was ended by signal %d (%s)", (long)child,
                        WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
  return ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "the network simulation (process %ld) stopped with status %d",
                      (long)child, WEXITSTATUS(wait_status));
}

/* The child, which is started here; in the child, 0. */
static pid_t start(int ends[2], ss_outcome *out)
{
  (void)fflush(NULL);
  if (pipe(ends) != 0) {
    out->status = ss_error_set(&out->error, SS_ERROR_ENGINE, NULL, 0, "cannot open a pipe: %s", strerror(errno));
    return -1;
  }
  const pid_t child = fork();
  if (child < 0) {
    (void)close(ends[0]);
    (void)close(ends[1]);
    out->status = ss_error_set(&out->error, SS_ERROR_ENGINE, NULL, 0, "cannot start a process: %s", strerror(errno));
  }
  return child;
}

void ss_play_in_child(const ss_job *job, const ss_replay_options *options, const ss_crowded_links *known,
                      ss_outcome *out)
{
  int ends[2];
  *out = (ss_outcome){.status = SS_ERROR_MODULE};
  if (ss_module_load("simgrid", &out->error) == NULL) return; /* here, for all replays of this process */
  const pid_t child = start(ends, out);
  if (child < 0) return;
  if (child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a run that is cancelled must not write its traces later */
    (void)close(ends[0]);
    run_child(job, options, known, ends[1]);
  }
  (void)close(ends[1]);
  const bool received = receive_outcome(ends[0], out);
  (void)close(ends[0]);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) continue;
  if (!received) out->status = stopped_early(child, wait_status, &out->error);
}
