/* SimGrid behind ss_flow_network. One actor, the clock, runs the replay. Flows are carried by couriers, pairs of actors
 * that are moved to the two hosts of the path: the C bindings have no asynchronous transfer between hosts, and the
 * blocking one searches a list of all flows in progress when it ends. Links have no latency: start-up times belong to
 * the collectives and messages (model/collective/collective.h), and with latency 0 the simulator shares links evenly
 * between flows. While no flow in progress can end yet, the clock of the simulator stands still. */
#include "sim/engine/simgrid/simgrid.h"

#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/engine/simgrid/platform_file.h"
#include "sim/engine/simgrid/start.h"

#define CLOCK_STACK_BYTES (1u << 20)

/* SimGrid counts whole bytes in 63 bits; a fraction of one more or less would show in the ninth digit. So it is given
 * smaller units, as small as the largest flow allows: a collective goes around a ring at most twice. */
static double choose_units_per_byte(double largest_flow_bytes)
{
  return exp2(fmin(30.0, 62.0 - ceil(log2(2.0 * largest_flow_bytes + 1.0))));
}

/* A sender and a receiver that carry one flow after the other. */
typedef struct courier {
  struct simulation *simulation;
  sg_actor_t sender, receiver;
  sg_mailbox_t mailbox;
  sg_sem_t wake;
  const ss_flow *flow;
  double bytes, start_s;
  double soonest_s; /* when it would end alone on its links */
  int64_t place;    /* in simulation.carrying */
  ss_flow_set *set; /* NULL: go home */
  struct courier *next_idle, *next_of_all;
} courier;

typedef struct simulation {
  const ss_networked *networked;
  const ss_link_paths *paths; /* of its flows */
  ss_error *error;
  ss_status status;
  double units_per_byte, now_s; /* time of the replay */
  sg_host_t *host;              /* owned */
  sg_sem_t clock_wake;
  bool clock_waits;
  courier *idle, *all;
  int64_t couriers, busy; /* hired; with a flow */
  courier **carrying;     /* [busy] of [couriers], owned */
  double soonest_s;       /* no flow ends before; less than that where `ended` */
  bool ended;             /* flows have, since that was found */
  ss_arrivals arrived;
} simulation;

static ss_status find_hosts(simulation *sim)
{
  const int64_t count = ss_simgrid_hosts(sim->paths);
  sim->host = calloc((size_t)count, sizeof *sim->host);
  for (int64_t i = 0; sim->host != NULL && i < count; ++i) {
    char name[32];
    (void)snprintf(name, sizeof name, "%lld", (long long)i);
    sim->host[i] = sg_host_by_name(name);
    SS_ASSERT(sim->host[i] != NULL);
  }
  return sim->host != NULL ? SS_OK : SS_ERROR_MEMORY;
}

static void set_has_arrived(simulation *sim, ss_flow_set *set)
{
  ss_arrivals_add(&sim->arrived, set);
  if (sim->clock_waits) {
    sim->clock_waits = false;
    sg_sem_release(sim->clock_wake);
  }
}

static void begin_to_carry(simulation *sim, courier *c)
{
  c->place = sim->busy;
  sim->carrying[sim->busy++] = c;
}

static void end_to_carry(simulation *sim, courier *c)
{
  courier *last = sim->carrying[--sim->busy];
  last->place = c->place;
  sim->carrying[c->place] = last;
  sim->ended = true;
  c->next_idle = sim->idle;
  sim->idle = c;
}

static void tell_over(const simulation *sim, const courier *c)
{
  /* The simulator's clock may be less than a tie behind the replay's, and a flow shorter than that. */
  ss_carried carried = {.flow = c->flow,
                        .start_s = c->start_s,
                        .end_s = fmax(simgrid_get_clock(), c->start_s),
                        .bytes = c->bytes,
                        .is_over = true};
  carried.hop = ss_link_paths_hops(sim->paths, c->flow->path, &carried.hops);
  SS_TELL(sim->networked->observers, flow, &carried);
}

static void sender_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  courier *c = sg_actor_self_get_data();
  for (bool goes_on = true; goes_on;) {
    sg_sem_acquire(c->wake);
    goes_on = c->set != NULL;
    sg_mailbox_put(c->mailbox, c, lrint(c->simulation->units_per_byte * c->bytes));
  }
}

static void receiver_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  courier *c = sg_actor_self_get_data();
  for (;;) {
    (void)sg_mailbox_get(c->mailbox);
    simulation *sim = c->simulation;
    ss_flow_set *set = c->set;
    if (set == NULL) return;
    tell_over(sim, c);
    end_to_carry(sim, c);
    if (--set->left == 0) set_has_arrived(sim, set);
  }
}

static sg_actor_t start_actor(const char *name, courier *c, xbt_main_func_t code)
{
  sg_actor_t actor = sg_actor_init(name, c->simulation->host[0]);
  sg_actor_set_data(actor, c);
  sg_actor_start(actor, code, 0, NULL);
  return actor;
}

static courier *hire(simulation *sim)
{
  courier *c = calloc(1, sizeof *c);
  sim->carrying = realloc(sim->carrying, ((size_t)sim->couriers + 1) * sizeof(courier *));
  SS_ASSERT(c != NULL && sim->carrying != NULL);
  char name[64];
  (void)snprintf(name, sizeof name, "courier-%lld", (long long)sim->couriers++);
  c->simulation = sim;
  c->mailbox = sg_mailbox_by_name(name);
  c->wake = sg_sem_init(0);
  c->receiver = start_actor(name, c, receiver_main);
  c->sender = start_actor(name, c, sender_main);
  c->next_of_all = sim->all;
  sim->all = c;
  return c;
}

/* The simulator stood still while no flow could end in it. */
static void catch_up(const simulation *sim)
{
  const double behind_s = sim->now_s - simgrid_get_clock();
  if (behind_s >= sim->networked->tie_s) sg_actor_sleep_for(behind_s);
}

/* Whether no flow ends until a time, or less than a tie after it: alone on its links, each would take longer. */
static bool none_ends_until(simulation *sim, double until_s)
{
  const double after_s = until_s + 2.0 * sim->networked->tie_s;
  if (after_s < sim->soonest_s || !sim->ended) return after_s < sim->soonest_s;
  sim->ended = false;
  sim->soonest_s = INFINITY;
  for (int64_t i = 0; i < sim->busy; ++i) sim->soonest_s = fmin(sim->soonest_s, sim->carrying[i]->soonest_s);
  return after_s < sim->soonest_s;
}

static courier *take_idle(simulation *sim)
{
  courier *c = sim->idle;
  if (c == NULL) return hire(sim);
  sim->idle = c->next_idle;
  return c;
}

/* Gives a flow to a courier. */
static ss_flow_alarm start_flow(void *self, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s)
{
  simulation *sim = self;
  const ss_ends ends = ss_simgrid_ends(sim->paths, flow->path);
  sim->now_s = now_s;
  SS_TELL(sim->networked->observers, flow_begin, flow, now_s);
  catch_up(sim);
  courier *c = take_idle(sim);
  begin_to_carry(sim, c);
  c->flow = flow;
  c->bytes = bytes;
  c->start_s = now_s;
  c->soonest_s = now_s + bytes / ss_link_paths_alone_bytes_per_s(sim->paths, flow->path);
  sim->soonest_s = fmin(sim->soonest_s, c->soonest_s);
  c->set = set;
  sg_actor_set_host(c->sender, sim->host[ends.from]);
  sg_actor_set_host(c->receiver, sim->host[ends.to]);
  sg_sem_release(c->wake);
  return (ss_flow_alarm){0};
}

/* Flows are carried one by one. */
static ss_flow_alarm start_together(void *self, ss_flow_set *set, const ss_flow *flow, double volume_bytes,
                                    double now_s)
{
  (void)self;
  (void)set;
  (void)flow;
  (void)volume_bytes;
  (void)now_s;
  return (ss_flow_alarm){0};
}

/* It gives no alarms. */
static ss_flow_set *end_batch(void *self, ss_flow_batch *batch, double now_s)
{
  (void)self;
  (void)batch;
  (void)now_s;
  return NULL;
}

static bool is_idle(const void *self)
{
  const simulation *sim = self;
  return sim->busy == 0 && sim->arrived.first == NULL;
}

/* Lets time pass in the simulator until then, or until a set has arrived there. */
static double wait_until(void *self, double now_s, double until_s)
{
  simulation *sim = self;
  const double tie_s = sim->networked->tie_s;
  sim->now_s = now_s;
  /* Sets may have arrived already, while it caught up with the beginning of a flow. */
  if (sim->arrived.first == NULL && none_ends_until(sim, until_s)) return until_s;
  /* A wake-up can be left over from a set that was seen without it: look again. The simulator waits for no less. */
  while (sim->busy > 0 && sim->arrived.first == NULL && until_s - simgrid_get_clock() >= tie_s) {
    sim->clock_waits = true;
    if (isinf(until_s))
      sg_sem_acquire(sim->clock_wake);
    else if (sg_sem_acquire_timeout(sim->clock_wake, until_s - simgrid_get_clock()))
      break;
  }
  sim->clock_waits = false;
  const double arrived_s = fmax(now_s, simgrid_get_clock());
  return sim->arrived.first != NULL && until_s - arrived_s >= tie_s ? arrived_s : until_s;
}

static ss_flow_set *take_arrived(void *self)
{
  simulation *sim = self;
  return ss_arrivals_take(&sim->arrived);
}

static void clock_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  simulation *sim = sg_actor_self_get_data();
  const ss_flow_network interface = {sim, start_flow, start_together, end_batch, wait_until, take_arrived, is_idle};
  sim->status = sim->networked->run(sim->networked->self, &interface, sim->error);
  if (sim->busy > 0) { /* flows of another job, or the budget is spent */
    sg_actor_kill_all();
    return;
  }
  for (courier *c = sim->all; c != NULL; c = c->next_of_all) {
    c->set = NULL;
    c->bytes = 0.0;
    sg_sem_release(c->wake);
  }
}

/* Gives the links and paths to SimGrid. */
static ss_status load(const simulation *sim)
{
  FILE *file = ss_simgrid_open(sim->error);
  if (file == NULL) return SS_ERROR_ENGINE;
  const ss_status status = ss_simgrid_write(sim->paths, sim->units_per_byte, file);
  if (status == SS_OK)
    ss_simgrid_load(file);
  else
    (void)ss_error_set(sim->error, status, NULL, 0, "cannot write the links of %s to a file in memory",
                       sim->networked->links->machine->name);
  (void)fclose(file);
  return status;
}

static void release(simulation *sim)
{
  while (sim->all != NULL) {
    courier *c = sim->all;
    sim->all = c->next_of_all;
    sg_sem_destroy(c->wake);
    free(c);
  }
  free(sim->carrying);
  free(sim->host);
}

static ss_status prepare(simulation *sim)
{
  ss_status status = load(sim);
  if (status != SS_OK) return status;
  status = find_hosts(sim);
  if (status != SS_OK)
    return ss_error_set(sim->error, status, NULL, 0, "out of memory for the links of %s",
                        sim->networked->links->machine->name);
  sim->clock_wake = sg_sem_init(0);
  return SS_OK;
}

static ss_status run_simulation(const ss_networked *networked, bool verbose, ss_error *error)
{
  simulation sim = {.networked = networked,
                    .paths = &networked->links->paths,
                    .error = error,
                    .units_per_byte = choose_units_per_byte(networked->largest_flow_bytes),
                    .soonest_s = INFINITY};
  ss_simgrid_start(networked->tie_s, verbose);
  sim.status = prepare(&sim);
  if (sim.status == SS_OK) {
    sim.status = ss_error_set(error, SS_ERROR_ENGINE, NULL, 0, "the network simulation ended before the iteration did");
    sg_actor_t clock = sg_actor_init("clock", sim.host[0]);
    sg_actor_set_stacksize(clock, CLOCK_STACK_BYTES);
    sg_actor_set_data(clock, &sim);
    sg_actor_start(clock, clock_main, 0, NULL);
    simgrid_run();
  }
  release(&sim);
  return sim.status;
}

const ss_simgrid_methods ss_simgrid_module = {run_simulation, ss_failing_hosts_run};
