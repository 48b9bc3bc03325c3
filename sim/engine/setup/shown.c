#include "sim/engine/setup/shown.h"

#include <stdlib.h>

#include "sim/engine/core/stage_replica.h"

void ss_shown_mark(ss_world *world)
{
  for (int64_t i = 0; world->options->timeline_count > 0 && i < world->replica_count; ++i)
    if (ss_replica_is_wanted(world, &world->replica[i])) world->replica[i].twin->shown = true;
}

/* The ports of the GPUs of replicas that a timeline shows. */
typedef struct ports {
  bool *gpu, *nic; /* owned */
} ports;

static void free_ports(ports *shown)
{
  free(shown->gpu);
  free(shown->nic);
}

static ss_status find_ports(const ss_world *world, ports *shown)
{
  const ss_machine *machine = world->job->machine;
  const int64_t nics = machine->gpus / machine->domain_size * machine->nics_per_domain;
  *shown = (ports){calloc((size_t)machine->gpus, sizeof *shown->gpu), calloc((size_t)nics, sizeof *shown->nic)};
  if (shown->gpu == NULL || shown->nic == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < world->replica_count; ++i)
    for (int64_t member = 0; ss_replica_is_wanted(world, &world->replica[i]) && member < world->width; ++member)
      shown->gpu[ss_replica_gpu(world, &world->replica[i], member)] = true;
  for (int64_t nic = 0; nic < nics; ++nic)
    for (int64_t gpu = nic * machine->domain_size / machine->nics_per_domain; gpu < machine->gpus; ++gpu) {
      shown->nic[nic] = shown->nic[nic] || shown->gpu[gpu];
      if ((gpu + 1) * machine->nics_per_domain >= (nic + 1) * machine->domain_size) break;
    }
  return SS_OK;
}

/* Lists the ends of each kind from next[kind] on, which moves on; without a list they are only counted. */
static void list_ends(const ports *shown, const ss_flow_kinds *flows, int64_t *next, int32_t *end)
{
  const int32_t *kind = flows->kind;
  for (int64_t i = 0; i < flows->owners; ++i)
    for (int64_t e = 0; e < flows->owner[i].route->count; ++e, ++kind) {
      const ss_flow *flow = &flows->owner[i].route->flow[e];
      const bool *port = flow->fabric ? shown->nic : shown->gpu;
      for (int32_t at_end = 0; at_end < 2; ++at_end) {
        const int32_t point = at_end ? flow->to : flow->from;
        if (!port[point]) continue;
        if (end != NULL) end[next[*kind]] = 2 * point + at_end;
        ++next[*kind];
      }
    }
}

static ss_status sort_ends(ss_shown_ends *out, const ports *shown, const ss_flow_kinds *flows, int64_t *next)
{
  out->first = calloc((size_t)flows->kinds + 1, sizeof *out->first);
  if (out->first == NULL || next == NULL) return SS_ERROR_MEMORY;
  list_ends(shown, flows, next, NULL);
  for (int64_t i = 0; i < flows->kinds; ++i) {
    out->first[i + 1] = out->first[i] + next[i];
    next[i] = out->first[i];
  }
  out->end = malloc((size_t)(out->first[flows->kinds] + 1) * sizeof *out->end);
  if (out->end == NULL) return SS_ERROR_MEMORY;
  list_ends(shown, flows, next, out->end);
  return SS_OK;
}

ss_status ss_shown_ends_find(ss_world *world, const ss_flow_kinds *flows)
{
  ports shown;
  int64_t *next = calloc((size_t)flows->kinds + 1, sizeof *next);
  ss_status status = find_ports(world, &shown);
  if (status == SS_OK) status = sort_ends(&world->shown_ends, &shown, flows, next);
  free_ports(&shown);
  free(next);
  return status;
}

void ss_shown_ends_free(ss_world *world)
{
  free(world->shown_ends.first);
  free(world->shown_ends.end);
}
