#include "model/plan/placement/segment.h"

#include <stdlib.h>

static int64_t domains_of(const ss_machine *machine)
{
  return machine->gpus / machine->domain_size;
}

ss_status ss_free_gpus_init(ss_free_gpus *free_gpus, const ss_machine *machine, const bool *is_free)
{
  const int64_t domains = domains_of(machine);
  int64_t count = 0;
  free_gpus->gpu = malloc((size_t)machine->gpus * sizeof *free_gpus->gpu);
  free_gpus->first = malloc((size_t)(domains + 1) * sizeof *free_gpus->first);
  if (free_gpus->gpu == NULL || free_gpus->first == NULL) {
    ss_free_gpus_free(free_gpus);
    return SS_ERROR_MEMORY;
  }
  for (int64_t domain = 0; domain < domains; ++domain) {
    free_gpus->first[domain] = count;
    for (int64_t gpu = domain * machine->domain_size; gpu < (domain + 1) * machine->domain_size; ++gpu)
      if (is_free[gpu]) free_gpus->gpu[count++] = (int32_t)gpu;
  }
  free_gpus->first[domains] = count;
  return SS_OK;
}

void ss_free_gpus_free(ss_free_gpus *free_gpus)
{
  free(free_gpus->gpu);
  free(free_gpus->first);
  *free_gpus = (ss_free_gpus){0};
}

/* GPUs of a domain that a job may use. */
static int64_t free_of(ss_room room, int64_t domain)
{
  if (room.free_gpus == NULL) return room.machine->domain_size;
  return room.free_gpus->first[domain + 1] - room.free_gpus->first[domain];
}

int64_t ss_room_ranks(ss_room room, int64_t segment)
{
  const int64_t domains = domains_of(room.machine);
  if (room.free_gpus == NULL) return segment <= room.machine->domain_size ? domains * segment : 0;
  int64_t ranks = 0;
  for (int64_t domain = 0; domain < domains; ++domain)
    if (free_of(room, domain) >= segment) ranks += segment;
  return ranks;
}

static bool is_power_of_two(int64_t number)
{
  return (number & (number - 1)) == 0;
}

/* Every group fills a part of a segment, or, where `whole`, whole segments. */
static bool holds(int64_t segment, const int64_t *group, int64_t groups, bool whole)
{
  bool fits = true;
  for (int64_t i = 0; i < groups; ++i)
    fits = fits && (group[i] <= segment ? segment % group[i] == 0 : !whole || group[i] % segment == 0);
  return fits;
}

int64_t ss_segment_of_groups(ss_room room, const int64_t *group, int64_t groups)
{
  const int64_t ranks = group[groups - 1];
  int64_t largest = room.machine->domain_size, partly = 0;
  while (largest > 0 && ss_room_ranks(room, largest) < ranks) --largest;
  if (ranks <= largest || (largest == room.machine->domain_size && is_power_of_two(largest))) return largest;
  for (int64_t segment = largest; 2 * segment > largest; --segment) {
    if (ss_room_ranks(room, segment) < ranks) continue;
    if (holds(segment, group, groups, true)) return segment;
    if (partly == 0 && holds(segment, group, groups, false)) partly = segment;
  }
  return partly > 0 ? partly : largest;
}

/* The GPU of a place, which is in the `domain`-th domain. */
static int32_t gpu_of(ss_room room, int64_t domain, int64_t place)
{
  if (room.free_gpus == NULL) return (int32_t)(domain * room.machine->domain_size + place);
  return room.free_gpus->gpu[room.free_gpus->first[domain] + place];
}

ss_status ss_segment_lay(ss_room room, int64_t segment, int32_t *gpu, int64_t count)
{
  const int64_t domains = domains_of(room.machine);
  int64_t *domain = malloc((size_t)domains * sizeof *domain), used = 0;
  if (domain == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < domains; ++i)
    if (free_of(room, i) >= segment) domain[used++] = i;
  for (int64_t i = 0; i < count; ++i) gpu[i] = gpu_of(room, domain[gpu[i] / segment], gpu[i] % segment);
  free(domain);
  return SS_OK;
}
