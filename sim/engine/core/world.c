#include "sim/engine/core/world.h"

#include <stdlib.h>

void ss_world_schedule(ss_world *world, double time_s, ss_event_kind kind, void *subject)
{
  ss_event_queue_add(&world->common->queue,
                     (ss_event){.time_s = time_s, .kind = (int)kind, .subject = subject, .owner = world});
}

void ss_world_wake(ss_world *world, ss_stage_replica *replica, ss_wait awaited, const struct ss_transfer *transfer)
{
  ss_wake_list *woken = &world->woken;
  if (woken->count == woken->capacity) {
    woken->capacity = 2 * woken->capacity + 16;
    woken->wake = realloc(woken->wake, (size_t)woken->capacity * sizeof *woken->wake);
    SS_ASSERT(woken->wake != NULL);
  }
  woken->wake[woken->count++] = (ss_wake){replica, transfer, awaited};
}

double ss_world_behind_s(const ss_world *world, double waited_s)
{
  const ss_machine *machine = world->job->machine;
  const bool links_differ = machine->link_speed[0] != '\0' || machine->slow_links != NULL;
  return world->perturbation != NULL && !links_differ && waited_s > world->common->tie_s ? waited_s : 0.0;
}
