#include "sim/engine/core/known_calls.h"

#include <stdlib.h>
#include <string.h>

#include "model/plan/task_time.h"

ss_status ss_known_calls_init(ss_world *world)
{
  world->known_call = calloc(SS_CALLS_KNOWN, sizeof *world->known_call);
  return world->known_call != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_known_calls_free(ss_world *world)
{
  free(world->known_call);
  world->known_call = NULL;
}

void ss_known_calls_forget(ss_world *world)
{
  memset(world->known_call, 0, SS_CALLS_KNOWN * sizeof *world->known_call);
}

/* Tasks lie side by side in arrays. */
static ss_known_call *place_of(const ss_world *world, const ss_call_place *at, ss_span span)
{
  const uint64_t task = (uint64_t)((uintptr_t)at->task / sizeof *at->task);
  const uint64_t lies = (uint64_t)span.domains * 31 + (uint64_t)span.nic.rings;
  const uint64_t number = (((task * SS_CALLS_MAX + (uint64_t)at->call) * SS_PASSES + (uint64_t)at->pass) ^ (lies << 7));
  return &world->known_call[number % SS_CALLS_KNOWN];
}

static bool is_known(const ss_known_call *known, const ss_call_place *at, const ss_route *routes)
{
  return known->at.task == at->task && known->at.call == at->call && known->at.kind == at->kind &&
         known->at.pass == at->pass && ss_span_is_same(known->span, routes[known->route].span);
}

static ss_known_call work_out(ss_world *world, const ss_call_place *at, const ss_route *routes)
{
  const ss_job *job = world->job;
  const ss_method method = ss_method_of_call(job, at->task, at->call);
  const ss_group group = at->task->call[at->call].group;
  const int64_t route = ss_method_list_find(&world->methods[group], method, at->task->top_k);
  const ss_span span = routes[route].span;
  const ss_transfer first = {.world = world,
                             .method = method,
                             .top_k = at->task->top_k,
                             .starts = ss_task_call_starts(at->task),
                             .volume_bytes = ss_job_call_bytes(job, at->task, at->call, span),
                             .route = &routes[route]};
  return (ss_known_call){.at = *at,
                         .span = span,
                         .method = method,
                         .route = route,
                         .starts = first.starts,
                         .volume_bytes = first.volume_bytes,
                         .piece = ss_job_call_piece(job, at->kind, at->pass, at->task, at->call, span),
                         .start_up_s = ss_transfer_start_up(&first).across_s};
}

const ss_known_call *ss_known_call_find(ss_world *world, const ss_call_place *at, const ss_route *routes)
{
  ss_known_call *known = place_of(world, at, routes->span);
  if (!is_known(known, at, routes)) *known = work_out(world, at, routes);
  return known;
}
