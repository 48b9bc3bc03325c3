/* SimGrid behind ss_network_*. One actor, the clock, runs the replay. Flows that meet others on their path are carried
 * by couriers, pairs of actors that are moved to the two hosts of the path: the C bindings have no asynchronous
 * transfer between hosts, and the blocking one searches a list of all flows under path when it ends. Links have no
 * latency: start-up times belong to the collectives and messages (model/collective/collective.h), and with latency 0
 * the simulator shares links evenly between flows. While no flow is under path here, the clock of the simulator stands
 * still. */
#include "sim/engine/network/simgrid.h"

#include <errno.h>
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>
#include <simgrid/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/network/platform_file.h"
#include "sim/engine/network/uncontended.h"
#include "sim/engine/observe/monitor.h"
#include "sim/engine/observe/trace.h"

#define CLOCK_STACK_BYTES (1u << 20)

/* What is pinned, and why: the fluid model without the corrections for TCP, times exact to a picosecond. The small
 * stacks are the couriers', of which there are two for each flow under path. */
static const char *const settings[] = {
    "--cfg=network/model:CM02",         "--cfg=network/crosstraffic:0",   "--cfg=network/TCP-gamma:0",
    "--cfg=network/bandwidth-factor:1", "--cfg=network/latency-factor:1", "--cfg=network/weight-S:0",
    "--cfg=surf/precision:1e-12",       "--cfg=maxmin/precision:1e-10",   "--cfg=contexts/stack-size:32",
    "--cfg=contexts/guard-size:0",      "--log=root.threshold:error",
#if defined(__SANITIZE_ADDRESS__)
    "--cfg=contexts/factory:thread",    "--cfg=contexts/stack-size:256",
#endif
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

/* The largest volume that a collective of a layer moves. */
static double largest_call_bytes(const ss_job *job)
{
  double largest_bytes = 0.0;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_task_list *list = ss_job_tasks(job, (ss_block_kind)kind, (ss_pass)pass);
      for (int64_t i = 0; i < list->count; ++i)
        for (int64_t call = 0; call < list->task[i].calls; ++call)
          largest_bytes = fmax(largest_bytes, list->task[i].call[call].volume_bytes);
    }
  return largest_bytes;
}

static double stage_bytes(const ss_job *job, int64_t stage)
{
  double parameters = 0.0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights)
    parameters += ss_job_stage_parameters(job, stage, (ss_weights)weights);
  return ss_job_gradient_bytes(job) * parameters;
}

static double largest_flow_bytes(const ss_job *job)
{
  double largest_bytes = fmax(job->message_bytes, largest_call_bytes(job));
  for (int64_t stage = 0; stage < job->stages; ++stage) largest_bytes = fmax(largest_bytes, stage_bytes(job, stage));
  return largest_bytes;
}

/* SimGrid counts whole bytes in 63 bits; a fraction of one more or less would show in the ninth digit. So it is given
 * smaller units, as small as the largest flow of the jobs allows: a collective goes around a ring at most twice, a
 * bucket is at most a stage. */
static double choose_units_per_byte(const ss_world *world)
{
  double largest_bytes = largest_flow_bytes(world->job);
  if (world->co_scheduled != NULL) largest_bytes = fmax(largest_bytes, largest_flow_bytes(world->co_scheduled->job));
  return exp2(fmin(16.0, 62.0 - ceil(log2(2.0 * largest_bytes + 1.0))));
}

/* A sender and a receiver that carry one flow after the other. */
typedef struct courier {
  ss_network_sim *network;
  sg_actor_t sender, receiver;
  sg_mailbox_t mailbox;
  sg_sem_t wake;
  const ss_flow *flow;
  double bytes, start_s;
  ss_transfer *transfer; /* NULL: go home */
  struct courier *next_idle, *next_of_all;
} courier;

struct ss_network_sim {
  ss_world *world;
  ss_error *error;
  ss_status status;
  double units_per_byte;
  ss_occupancy occupancy;
  sg_host_t *host; /* owned */
  sg_sem_t clock_wake;
  bool clock_waits;
  courier *idle, *all;
  int64_t couriers, busy; /* hired; with a flow */
  ss_transfer *arrived, **arrived_end;
};

static ss_status find_hosts(ss_network_sim *network)
{
  const int64_t count = ss_network_hosts(&network->world->common->paths);
  network->host = malloc((size_t)count * sizeof *network->host);
  for (int64_t i = 0; network->host != NULL && i < count; ++i) {
    char name[32];
    (void)snprintf(name, sizeof name, "%lld", (long long)i);
    network->host[i] = sg_host_by_name(name);
    SS_ASSERT(network->host[i] != NULL);
  }
  return network->host != NULL ? SS_OK : SS_ERROR_MEMORY;
}

static void transfer_has_arrived(ss_network_sim *network, ss_transfer *transfer)
{
  transfer->next = NULL;
  *network->arrived_end = transfer;
  network->arrived_end = &transfer->next;
  if (network->clock_waits) {
    network->clock_waits = false;
    sg_sem_release(network->clock_wake);
  }
}

static void sender_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  courier *c = sg_actor_self_get_data();
  for (bool goes_on = true; goes_on;) {
    sg_sem_acquire(c->wake);
    goes_on = c->transfer != NULL;
    sg_mailbox_put(c->mailbox, c, lrint(c->network->units_per_byte * c->bytes));
  }
}

static void receiver_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  courier *c = sg_actor_self_get_data();
  for (;;) {
    (void)sg_mailbox_get(c->mailbox);
    ss_transfer *transfer = c->transfer;
    if (transfer == NULL) return;
    ss_monitor_flow(c->network->world, c->flow, c->start_s, simgrid_get_clock(), c->bytes);
    ss_trace_flow(c->network->world, c->flow, c->start_s, simgrid_get_clock(), c->bytes);
    ss_occupancy_leave(&c->network->occupancy, c->flow);
    c->network->busy--;
    c->next_idle = c->network->idle;
    c->network->idle = c;
    if (--transfer->flows_left == 0) transfer_has_arrived(c->network, transfer);
  }
}

static sg_actor_t start_actor(const char *name, courier *c, xbt_main_func_t code)
{
  sg_actor_t actor = sg_actor_init(name, c->network->host[0]);
  sg_actor_set_data(actor, c);
  sg_actor_start(actor, code, 0, NULL);
  return actor;
}

static courier *hire(ss_network_sim *network)
{
  courier *c = calloc(1, sizeof *c);
  SS_ASSERT(c != NULL);
  char name[64];
  (void)snprintf(name, sizeof name, "courier-%lld", (long long)network->couriers++);
  c->network = network;
  c->mailbox = sg_mailbox_by_name(name);
  c->wake = sg_sem_init(0);
  c->receiver = start_actor(name, c, receiver_main);
  c->sender = start_actor(name, c, sender_main);
  c->next_of_all = network->all;
  network->all = c;
  return c;
}

/* Nothing was under path in the simulator while the replay went on without it. */
static void catch_up(const ss_network_sim *network)
{
  const double behind_s = network->world->common->now_s - simgrid_get_clock();
  if (network->busy == 0 && behind_s > 0.0) sg_actor_sleep_for(behind_s);
}

/* A ss_share: gives a flow to a courier. */
static void send(void *context, ss_transfer *transfer, const ss_flow *flow, double bytes)
{
  ss_network_sim *network = context;
  const ss_ends ends = ss_network_ends(&network->world->common->paths, flow->path);
  catch_up(network);
  courier *c = network->idle;
  if (c != NULL)
    network->idle = c->next_idle;
  else
    c = hire(network);
  network->busy++;
  c->flow = flow;
  c->bytes = bytes;
  c->start_s = network->world->common->now_s;
  c->transfer = transfer;
  sg_actor_set_host(c->sender, network->host[ends.from]);
  sg_actor_set_host(c->receiver, network->host[ends.to]);
  sg_sem_release(c->wake);
}

void ss_network_launch(ss_network_sim *network, ss_transfer *transfer, const ss_flow *flow, double bytes)
{
  ss_occupancy_enter(&network->occupancy, transfer, flow, bytes, send, network);
}

ss_transfer *ss_network_end(ss_network_sim *network, ss_flow_batch *batch)
{
  return ss_occupancy_end(&network->occupancy, batch);
}

bool ss_network_is_idle(const ss_network_sim *network)
{
  return network->busy == 0 && network->arrived == NULL;
}

double ss_network_wait(ss_network_sim *network, double now_s, double until_s)
{
  /* A wake-up can be left over from a transfer that was seen without it: look again. */
  while (network->busy > 0 && network->arrived == NULL && until_s > simgrid_get_clock()) {
    network->clock_waits = true;
    if (isinf(until_s))
      sg_sem_acquire(network->clock_wake);
    else if (sg_sem_acquire_timeout(network->clock_wake, until_s - simgrid_get_clock()))
      break;
  }
  network->clock_waits = false;
  return network->arrived != NULL ? fmin(fmax(now_s, simgrid_get_clock()), until_s) : until_s;
}

ss_transfer *ss_network_arrived(ss_network_sim *network)
{
  ss_transfer *first = network->arrived;
  if (first == NULL) return NULL;
  network->arrived = first->next;
  if (network->arrived == NULL) network->arrived_end = &network->arrived;
  return first;
}

static void clock_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  ss_network_sim *network = sg_actor_self_get_data();
  network->status = ss_world_run(network->world, network->error);
  if (network->busy > 0) { /* flows of another job, or the budget is spent */
    sg_actor_kill_all();
    return;
  }
  for (courier *c = network->all; c != NULL; c = c->next_of_all) {
    c->transfer = NULL;
    c->bytes = 0.0;
    sg_sem_release(c->wake);
  }
}

static void initialise(bool verbose)
{
  char *argv[SETTINGS + 2] = {"stepsim"};
  for (int i = 0; i < SETTINGS; ++i) argv[i + 1] = (char *)(uintptr_t)settings[i];
  int argc = SETTINGS + 1;
  simgrid_init(&argc, argv);
  if (!verbose) return;
  (void)fprintf(stderr, "stepsim: SimGrid %d.%d", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR);
  for (int i = 0; i < SETTINGS; ++i) (void)fprintf(stderr, " %s", settings[i]);
  (void)fprintf(stderr, "; link latencies 0\n");
}

/* Gives the links and paths of the job to SimGrid, which wants a file: one without a name. */
static ss_status load(const ss_network_sim *network)
{
  FILE *file = tmpfile();
  if (file == NULL)
    return ss_error_set(network->error, SS_ERROR_ENGINE, NULL, 0, "cannot open a temporary file: %s", strerror(errno));
  ss_status status = ss_network_write(&network->world->common->paths, network->units_per_byte, file);
  if (status == SS_OK) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    simgrid_load_platform(path);
  } else {
    (void)ss_error_set(network->error, status, NULL, 0, "cannot write the links of %s to a temporary file",
                       network->world->job->machine->name);
  }
  (void)fclose(file);
  return status;
}

static void release(ss_network_sim *network)
{
  while (network->all != NULL) {
    courier *c = network->all;
    network->all = c->next_of_all;
    sg_sem_destroy(c->wake);
    free(c);
  }
  free(network->host);
  ss_occupancy_free(&network->occupancy);
}

static ss_status prepare(ss_network_sim *network)
{
  ss_status status = load(network);
  if (status == SS_OK) status = ss_budget_check(&network->world->options->budget, 0.0, network->error);
  if (status != SS_OK) return status;
  status = find_hosts(network);
  if (status == SS_OK) status = ss_occupancy_init(&network->occupancy, network->world);
  if (status != SS_OK)
    return ss_error_set(network->error, status, NULL, 0, "out of memory for the links of %s",
                        network->world->job->machine->name);
  network->clock_wake = sg_sem_init(0);
  return SS_OK;
}

ss_status ss_network_run(ss_world *world, ss_error *error)
{
  ss_network_sim network = {.world = world, .error = error, .units_per_byte = choose_units_per_byte(world)};
  network.arrived_end = &network.arrived;
  initialise(world->options->verbose);
  network.status = prepare(&network);
  if (network.status == SS_OK) {
    network.status =
        ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "the network simulation ended before the iteration did");
    world->common->network = &network;
    sg_actor_t clock = sg_actor_init("clock", network.host[0]);
    sg_actor_set_stacksize(clock, CLOCK_STACK_BYTES);
    sg_actor_set_data(clock, &network);
    sg_actor_start(clock, clock_main, 0, NULL);
    simgrid_run();
    world->common->network = NULL;
  }
  release(&network);
  return network.status;
}
