/* The time of the network simulator by itself: bench_bare PLATFORM STAGES LANES MESSAGES. The messages of a pipeline,
 * and nothing else: in each of LANES rows of STAGES neighbouring NICs, MESSAGES go from the first to the last, and each
 * then comes back. Actors put and get on mailboxes; settings are those of a replay (sim/engine/network/simgrid.c). */
#include <inttypes.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/mailbox.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MESSAGE_BYTES 50331648

static const char *const settings[] = {
    "--cfg=network/model:CM02",         "--cfg=network/crosstraffic:0",   "--cfg=network/TCP-gamma:0",
    "--cfg=network/bandwidth-factor:1", "--cfg=network/latency-factor:1", "--cfg=network/weight-S:0",
    "--cfg=surf/precision:1e-12",       "--cfg=maxmin/precision:1e-10",   "--cfg=contexts/stack-size:32",
    "--cfg=contexts/guard-size:0",      "--log=root.threshold:error",
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

/* An actor that takes messages from one mailbox and puts them into another. The first actor makes them, the last one
 * keeps them. */
typedef struct relay {
  sg_mailbox_t from, to;
  int64_t messages;
} relay;

static void relay_main(int argc, char **argv)
{
  (void)argc;
  (void)argv;
  relay *r = sg_actor_self_get_data();
  for (int64_t i = 0; i < r->messages; ++i) {
    if (r->from != NULL) (void)sg_mailbox_get(r->from);
    if (r->to != NULL) sg_mailbox_put(r->to, r, MESSAGE_BYTES);
  }
}

static sg_mailbox_t mailbox_of(const char *way, int64_t lane, int64_t hop)
{
  char name[96];
  (void)snprintf(name, sizeof name, "%s-%" PRId64 "-%" PRId64, way, lane, hop);
  return sg_mailbox_by_name(name);
}

static sg_host_t host_of(int64_t nic)
{
  char name[64];
  (void)snprintf(name, sizeof name, "nic-%" PRId64, nic);
  sg_host_t host = sg_host_by_name(name);
  if (host != NULL) return host;
  (void)fprintf(stderr, "bench_bare: the platform has no %s\n", name);
  exit(2);
}

static void start_relay(relay *r, sg_host_t host)
{
  sg_actor_t actor = sg_actor_init("relay", host);
  sg_actor_set_data(actor, r);
  sg_actor_start(actor, relay_main, 0, NULL);
}

/* Messages go there by one row of actors and back by another; the rows meet in the last stage. */
static void start_lane(relay *relays, int64_t stages, int64_t lanes, int64_t lane, int64_t messages)
{
  for (int64_t stage = 0; stage < stages; ++stage) {
    sg_host_t host = host_of(stage * lanes + lane);
    const int last = stage == stages - 1;
    relay *there = &relays[2 * stage], *back = there + 1;
    *there = (relay){.from = stage > 0 ? mailbox_of("there", lane, stage) : NULL,
                     .to = last ? mailbox_of("back", lane, stage - 1) : mailbox_of("there", lane, stage + 1),
                     .messages = messages};
    start_relay(there, host);
    if (last) return;
    *back = (relay){.from = mailbox_of("back", lane, stage),
                    .to = stage > 0 ? mailbox_of("back", lane, stage - 1) : NULL,
                    .messages = messages};
    start_relay(back, host);
  }
}

static void load(const char *platform)
{
  char *argv[SETTINGS + 2] = {"bench_bare"};
  for (int i = 0; i < SETTINGS; ++i) argv[i + 1] = (char *)(uintptr_t)settings[i];
  int argc = SETTINGS + 1;
  simgrid_init(&argc, argv);
  simgrid_load_platform(platform);
  sg_link_t *links = sg_link_list();
  for (size_t i = 0; i < sg_link_count(); ++i) sg_link_set_latency(links[i], 0.0);
  free(links);
}

/* 0 for what is no number. */
static int64_t count_of(int argc, char **argv, int index)
{
  return argc == 5 ? strtoll(argv[index], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
  const int64_t stages = count_of(argc, argv, 2), lanes = count_of(argc, argv, 3), messages = count_of(argc, argv, 4);
  if (stages < 2 || lanes < 1 || messages < 1) {
    (void)fprintf(stderr, "usage: bench_bare PLATFORM STAGES LANES MESSAGES\n");
    return 2;
  }
  load(argv[1]);
  relay *relays = calloc((size_t)(2 * stages * lanes), sizeof *relays);
  if (relays == NULL) return 1;
  for (int64_t lane = 0; lane < lanes; ++lane) start_lane(&relays[2 * stages * lane], stages, lanes, lane, messages);
  const clock_t start = clock();
  simgrid_run();
  const double time_s = (double)(clock() - start) / CLOCKS_PER_SEC;
  const double sent = 2.0 * (double)(stages - 1) * (double)lanes * (double)messages;
  printf("%.0f messages in %.3f s, %.0f per second; simulated %.6f s\n", sent, time_s, sent / time_s,
         simgrid_get_clock());
  free(relays);
  return 0;
}
