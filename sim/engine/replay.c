#include "sim/engine/replay.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/engine/core/world.h"
#include "sim/engine/network/simgrid.h"
#include "sim/engine/perturbation/random.h"

/* What the child process sends back. */
typedef struct outcome {
  ss_status status;
  ss_replay_result result;
  ss_error error;
} outcome;

static void replay_here(const ss_job *job, const ss_replay_options *options, outcome *out)
{
  ss_world world;
  out->status = ss_budget_check(&options->budget, 0.0, &out->error);
  if (out->status != SS_OK) return;
  out->status = ss_world_init(&world, job, options, &out->error);
  if (out->status == SS_OK)
    out->status = options->private_links ? ss_world_run(&world, &out->error) : ss_network_run(&world, &out->error);
  out->result = world.result;
  ss_world_free(&world);
}

static bool send_outcome(int pipe_end, const outcome *out)
{
  const char *data = (const char *)out;
  for (size_t sent = 0; sent < sizeof *out;) {
    const ssize_t n = write(pipe_end, data + sent, sizeof *out - sent);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) sent += (size_t)n;
  }
  return true;
}

static bool receive_outcome(int pipe_end, outcome *out)
{
  char *data = (char *)out;
  for (size_t received = 0; received < sizeof *out;) {
    const ssize_t n = read(pipe_end, data + received, sizeof *out - received);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) received += (size_t)n;
  }
  return true;
}

static void run_child(const ss_job *job, const ss_replay_options *options, int pipe_end)
{
  static outcome out; /* too large for comfort on a stack; the child has it to itself */
  out = (outcome){.status = SS_OK};
  replay_here(job, options, &out);
  const bool sent = send_outcome(pipe_end, &out);
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

static ss_status replay_in_child(const ss_job *job, const ss_replay_options *options, outcome *out)
{
  int ends[2];
  (void)fflush(NULL);
  if (pipe(ends) != 0)
    return ss_error_set(&out->error, SS_ERROR_ENGINE, NULL, 0, "cannot open a pipe: %s", strerror(errno));
  const pid_t child = fork();
  if (child < 0) {
    (void)close(ends[0]);
    (void)close(ends[1]);
    return ss_error_set(&out->error, SS_ERROR_ENGINE, NULL, 0, "cannot start a process: %s", strerror(errno));
  }
  if (child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a run that is cancelled must not write its traces later */
    (void)close(ends[0]);
    run_child(job, options, ends[1]);
  }
  (void)close(ends[1]);
  const bool received = receive_outcome(ends[0], out);
  (void)close(ends[0]);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) continue;
  return received ? out->status : stopped_early(child, wait_status, &out->error);
}

ss_status ss_replay(const ss_job *job, const ss_replay_options *options, ss_replay_result *result, ss_error *error)
{
  const ss_what_if *what_if = &job->options.what_if;
  SS_ASSERT(options->private_links ||
            !(what_if->equal_stages || what_if->free_messages)); /* flows carry what is there */
  outcome out = {.status = SS_OK};
  if (options->private_links)
    replay_here(job, options, &out);
  else
    out.status = replay_in_child(job, options, &out);
  *result = out.result;
  if (out.status != SS_OK && error != NULL) *error = out.error;
  return out.status;
}

uint64_t ss_replay_seed(uint64_t seed, int64_t trial)
{
  return trial == 0 ? seed : ss_random_key(seed, (uint64_t)trial);
}
