#include "sim/engine/replay.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/estimate/estimate.h"
#include "sim/engine/core/run.h"
#include "sim/engine/observe/monitor.h"
#include "sim/engine/observe/trace.h"
#include "sim/engine/perturbation/random.h"
#include "sim/engine/setup/routes.h"
#include "sim/engine/setup/world_setup.h"
#include "sim/engine/simgrid/simgrid.h"
#include "sim/module/module.h"

/* What should happen at the same time differs by rounding. Where groups of ranks that share links are in step, one that
 * is late by a rounding error would fall further behind with every collective, and differently wherever sums are added
 * in another order. So events this much of an iteration apart are simultaneous: far above rounding, and far below what
 * means anything. */
#define TIE_SHARE 1e-12

/* What the child process sends back. */
typedef struct outcome {
  ss_status status;
  ss_replay_result result;
  ss_error error;
} outcome;

/* A replay put together: the job and the one beside it, their network, and who looks on. Zeroed: nothing yet; on the
 * heap, since it is large. */
typedef struct replay {
  ss_common common;
  ss_links links;
  ss_world world, co_scheduled;
  ss_replay_options co_scheduled_options; /* of the other job, with which nobody looks on */
  ss_monitor monitor;
  ss_tracer trace;
} replay;

static ss_status build_co_scheduled(replay *r, const ss_replay_options *options, ss_error *error)
{
  if (options->co_scheduled == NULL || options->private_links) return SS_OK;
  r->co_scheduled_options = (ss_replay_options){.fold = SS_FOLD_NONE, .seed = options->seed};
  r->world.co_scheduled = &r->co_scheduled;
  return ss_world_init(&r->co_scheduled, &r->common, options->co_scheduled, &r->co_scheduled_options, &r->links, error);
}

static ss_status build(replay *r, const ss_job *job, const ss_replay_options *options, ss_error *error)
{
  ss_status status = SS_OK;
  r->common.tie_s = TIE_SHARE * ss_estimate_time(job).iteration_s;
  if (!options->private_links) status = ss_links_init(&r->links, job->machine, error);
  if (status == SS_OK) status = ss_world_init(&r->world, &r->common, job, options, &r->links, error);
  if (status == SS_OK) status = build_co_scheduled(r, options, error);
  if (status == SS_OK && r->links.fabric != NULL)
    status = ss_monitor_open(&r->monitor, &r->world, ss_fabric_links(r->links.fabric));
  return status;
}

static void release(replay *r)
{
  ss_tracer_free(&r->trace);
  ss_monitor_free(&r->monitor);
  ss_world_free(&r->co_scheduled);
  ss_world_free(&r->world);
  ss_links_free(&r->links);
  ss_event_queue_free(&r->common.queue);
  free(r);
}

/* Runs the replay to its end; on a network, inside the simulation. */
static ss_status play(void *self, const ss_flow_network *network, ss_error *error)
{
  replay *r = self;
  r->common.network = network;
  ss_status status = ss_tracer_open(&r->trace, &r->world);
  if (status == SS_OK) status = ss_world_run(&r->world, error);
  if (status == SS_OK && network != NULL)
    status = ss_monitor_conclude(&r->monitor, (ss_monitor_links){r->links.fabric, r->links.alike}, error);
  if (status == SS_OK) status = ss_tracer_close(&r->trace, error);
  r->common.network = NULL;
  return status;
}

static ss_status play_on_network(replay *r, ss_error *error)
{
  const ss_simgrid_methods *simgrid = ss_module_load("simgrid", error);
  if (simgrid == NULL) return SS_ERROR_MODULE;
  double largest_bytes = ss_routes_largest_flow_bytes(r->world.job);
  if (r->world.co_scheduled != NULL)
    largest_bytes = fmax(largest_bytes, ss_routes_largest_flow_bytes(r->co_scheduled.job));
  const ss_simulated simulated = {.self = r,
                                  .run = play,
                                  .links = &r->links,
                                  .observers = &r->world.observers,
                                  .options = r->world.options,
                                  .tie_s = r->common.tie_s,
                                  .largest_flow_bytes = largest_bytes};
  return simgrid->run(&simulated, error);
}

static void replay_here(const ss_job *job, const ss_replay_options *options, outcome *out)
{
  out->status = ss_budget_check(&options->budget, 0.0, &out->error);
  if (out->status != SS_OK) return;
  replay *r = calloc(1, sizeof *r);
  if (r == NULL) {
    out->status = ss_error_set(&out->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
    return;
  }
  out->status = build(r, job, options, &out->error);
  if (out->status == SS_OK)
    out->status = options->private_links ? play(r, NULL, &out->error) : play_on_network(r, &out->error);
  out->result = r->world.result;
  release(r);
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
  if (ss_module_load("simgrid", &out->error) == NULL)
    return SS_ERROR_MODULE; /* here, for all replays of this process */
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
