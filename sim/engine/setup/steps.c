#include "sim/engine/setup/steps.h"

#include <stdlib.h>
#include <string.h>

#include "model/plan/layout.h"
#include "model/plan/task_time.h"
#include "sim/engine/core/calls.h"
#include "sim/engine/core/drawn.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/stage.h"
#include "sim/engine/setup/quiet.h"
#include "sim/engine/setup/routes.h"
#include "sim/engine/setup/settle.h"

/* What slows kernels down beside a transfer that no task of theirs waits for. */
static ss_transport transport_of(const ss_route_owner *owner)
{
  ss_transport transport = ss_span_transport(owner->route->span);
  transport.data = owner->kind == SS_TRANSFER_DATA;
  if (owner->kind != SS_TRANSFER_MESSAGE) return transport;
  for (int64_t e = 0; e < owner->route->count; ++e) transport.fabric = transport.fabric || owner->route->flow[e].fabric;
  transport.nvlink = !transport.fabric;
  return transport;
}

/* Whether messages and collectives beside layers can slow kernels down, wherever these are. */
static void find_slow_kernels(ss_world *world)
{
  const ss_machine *machine = world->job->machine;
  for (int64_t i = 0; i < world->owners && world->slows && !world->slows_all; ++i) {
    const ss_route_owner *owner = &world->owner[i];
    if (!ss_route_owner_is_of_layers(owner) && owner->route->count > 0)
      world->slows_all = ss_machine_compute_cost(machine, transport_of(owner)) > 0.0;
  }
}

/* Kernels that nothing slows down are left live where what they take has been drawn piece by piece, and where the other
 * pass of a pair has its collectives beside them. */
static bool slows_task(const ss_world *world, const ss_task *task)
{
  const bool drawn =
      world->perturbation != NULL && (world->job->host.active || ss_perturbation_is_noisy(world->perturbation));
  const bool beside = task->overlap.kernel_pieces > 0 || world->job->shape.pairs;
  return world->slows && (world->slows_all || beside || drawn);
}

/* A task that cannot be part of a run: its collectives become flows or wait for other replicas, or its kernel can be
 * slowed down. */
static bool is_live(const ss_world *world, const ss_task *task)
{
  bool live = slows_task(world, task);
  for (int64_t i = 0; i < task->calls; ++i)
    live = live || ss_group_joins_replicas(task->call[i].group) || !world->computed[task->call[i].group];
  return live;
}

/* A live task that nothing touches but its own collectives, whose links are their own: what it takes is known
 * beforehand. */
static bool is_untouched(const ss_world *world, const ss_task *task)
{
  bool untouched = !world->slows_all && !world->job->shape.pairs && !world->job->host.active;
  for (int64_t i = 0; i < task->calls; ++i)
    untouched = untouched && !ss_group_joins_replicas(task->call[i].group) && world->computed[task->call[i].group];
  return untouched;
}

/* Puts a task at the end of a run. What goes through NVLink is not counted where it slows kernels down: much of it
 * belongs to live tasks then. */
static void add_task(const ss_world *world, ss_task_place at, ss_step *run)
{
  const ss_job *job = world->job;
  const ss_duration duration = ss_job_task_duration(job, at.kind, at.pass, at.task);
  const double pieces = at.task->overlap.kernel_pieces > 0 ? (double)at.task->overlap.call_pieces : 1.0;
  ss_exposed calls = {0};
  for (int64_t i = 0; i < at.task->calls; ++i) {
    const ss_span span = job->span[at.task->call[i].group];
    const ss_comm_time time = ss_job_call_piece(job, at.kind, at.pass, at.task, i, span);
    calls.latency_s += time.latency_s;
    calls.bandwidth_s += time.transfer_s;
    if (world->slows) continue;
    run->nvlink_bytes += pieces * ss_job_call_port_bytes(job, at.task, i, span);
  }
  ss_exposed_add(&run->exposed, ss_duration_exposed_s(duration), &calls);
  run->parts = ss_duration_add(run->parts, duration);
}

/* Each task is a step of its own: timelines show when it waits for its launch. Under noise, ranks then wait for one
 * another behind each task. */
static bool shows_launches(const ss_world *world)
{
  return world->job->host.active && world->options->timeline_count > 0;
}

static void launch_task(const ss_world *world, ss_task_place at, ss_step *step)
{
  if (!world->job->host.active) return;
  step->launches = ss_launches_then(step->launches, ss_job_launches(world->job, at.kind, at.pass, at.task));
}

/* Splits a pass through a block where a replica can wait: before and after every live task that is not settled. */
static void cut_steps(const ss_world *world, ss_block_kind kind, ss_pass pass, bool settles, ss_step_list *list)
{
  const ss_task_list *tasks = ss_job_tasks(world->job, kind, pass);
  list->count = 0;
  for (int64_t i = 0; i < tasks->count; ++i) {
    const ss_task *task = &tasks->task[i];
    const bool alive = is_live(world, task), settled = settles && alive && is_untouched(world, task);
    const bool live = alive && !settled;
    ss_step *last = list->count > 0 ? &list->step[list->count - 1] : NULL;
    if (live || last == NULL || last->live || last->late != task->late || shows_launches(world)) {
      last = &list->step[list->count++];
      *last = (ss_step){.live = live,
                        .exchanges = ss_task_exchanges(task),
                        .late = task->late,
                        .first = i,
                        .launches = ss_launches_none()};
    }
    last->count++;
    launch_task(world, (ss_task_place){kind, pass, task}, last);
    if (settled)
      ss_settle_task(world->job, (ss_task_place){kind, pass, task}, last);
    else if (!live)
      add_task(world, (ss_task_place){kind, pass, task}, last);
    if (live && task->computes) last->kernel = ss_job_kernel_piece(world->job, kind, pass, task);
  }
}

/* Cuts quiet passes through a block: what is live only since data-parallel collectives may be in progress becomes part
 * of runs. */
static void cut_quiet(ss_world *world, ss_block_kind kind, ss_pass pass, bool exchanges, ss_step_list *list)
{
  const ss_step_list *settled = &world->settled.list[kind][pass];
  ss_step *const cut = list->step;
  SS_ASSERT(cut != NULL);
  for (int64_t i = 0; i < settled->count; ++i) {
    const ss_step *step = &settled->step[i];
    const ss_task *task = &ss_job_tasks(world->job, kind, pass)->task[step->first];
    const bool live = step->live && !ss_quiet_has_task(world, task, exchanges);
    ss_step *last = list->count > 0 ? &cut[list->count - 1] : NULL;
    if (live) {
      cut[list->count++] = *step;
      continue;
    }
    if (last == NULL || last->live || last->late != step->late) {
      last = &cut[list->count++];
      *last = (ss_step){.exchanges = step->exchanges, .late = step->late, .first = step->first};
      last->launches = ss_launches_none();
    }
    last->count += step->count;
    if (step->live)
      ss_quiet_add_task(world, (ss_task_place){kind, pass, task}, last);
    else
      ss_quiet_add_run(world, step, last);
  }
}

static bool has_live_steps(const ss_step_set *set)
{
  bool live = false;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      for (int64_t i = 0; i < set->list[kind][pass].count; ++i) live = live || set->list[kind][pass].step[i].live;
  return live;
}

/* Cuts all passes, into steps from `next` on. The step behind the last one. */
static ss_step *cut_passes(const ss_world *world, bool settles, ss_step *next, ss_step_set *set)
{
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      set->list[kind][pass].step = next;
      cut_steps(world, (ss_block_kind)kind, (ss_pass)pass, settles, &set->list[kind][pass]);
      next += set->list[kind][pass].count;
    }
  set->whole_passes = !world->job->offload.active && !world->job->host.active && !has_live_steps(set);
  return next;
}

static ss_step *cut_quiet_passes(ss_world *world, ss_quiet quiet, ss_step *next)
{
  ss_step_set *set = &world->quiet[quiet];
  ss_quiet_choose(world, quiet);
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      set->list[kind][pass].step = next;
      cut_quiet(world, (ss_block_kind)kind, (ss_pass)pass, quiet != SS_QUIET_MEETS, &set->list[kind][pass]);
      next += set->list[kind][pass].count;
    }
  set->whole_passes = !world->job->offload.active && !has_live_steps(set);
  return next;
}

static void add_step(ss_step *sum, const ss_step *step)
{
  ss_settle_run(step, sum);
  sum->nvlink_bytes += step->nvlink_bytes;
}

/* What each pass of each chunk takes when nothing interrupts it. */
static void time_passes(ss_world *world)
{
  const ss_job *job = world->job;
  for (int64_t stage = 0; stage < job->stages; ++stage)
    for (int64_t index = 0; index < job->chunks; ++index)
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        ss_step *sum = &world->stage[stage].pass[index * SS_PASSES + pass];
        for (int64_t block = 0; block < ss_job_block_count(job, (ss_chunk){stage, index}); ++block) {
          const ss_step_list *list =
              &world->settled.list[ss_job_block_kind(job, (ss_chunk){stage, index}, block)][pass];
          for (int64_t i = 0; i < list->count; ++i) add_step(sum, &list->step[i]);
        }
      }
}

static bool has_same_blocks(const ss_job *job, ss_chunk a, ss_chunk b)
{
  return ss_layout_has_same_blocks(job, ss_job_slot(job, a), ss_job_slot(job, b));
}

static void time_quiet_pass(ss_world *world, const ss_step_set *set, ss_chunk chunk, ss_pass pass, ss_step *sum)
{
  const ss_job *job = world->job;
  for (int64_t i = 0; i < ss_job_block_count(job, chunk); ++i) {
    const ss_block_kind kind = ss_job_block_kind(job, chunk, ss_job_block_at(job, chunk, pass, i));
    const ss_step_list *list = &set->list[kind][pass];
    for (int64_t s = 0; s < list->count; ++s) ss_quiet_add_legs(world, &list->step[s], i, sum);
  }
}

/* Chunks of the same blocks have the same legs, which then stay in the caches of a processor. */
static ss_status time_quiet_passes(ss_world *world, ss_quiet quiet)
{
  const ss_step_set *set = &world->quiet[quiet];
  const size_t passes = (size_t)(world->job->chunks * SS_PASSES);
  ss_chunk before = {0, 0};
  for (int64_t stage = 0; stage < world->job->stages && set->whole_passes; ++stage) {
    ss_step **own = &world->stage[stage].quiet_pass[quiet];
    if ((*own = calloc(passes, sizeof(ss_step))) == NULL) return SS_ERROR_MEMORY;
    for (int64_t index = 0; index < world->job->chunks; ++index) {
      const ss_chunk chunk = {stage, index};
      const bool first = stage == 0 && index == 0, alike = !first && has_same_blocks(world->job, before, chunk);
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        ss_step *sum = &(*own)[index * SS_PASSES + pass];
        if (alike)
          *sum = world->stage[before.stage].quiet_pass[quiet][before.index * SS_PASSES + pass];
        else
          time_quiet_pass(world, set, chunk, (ss_pass)pass, sum);
      }
      before = chunk;
    }
  }
  return SS_OK;
}

/* Kernels that take longer than nominal are slowed down for longer, too: where few replicas have such, they play event
 * by event. A timeline shows each. */
static bool is_settled(const ss_world *world, const ss_stage_replica *replica)
{
  if (replica->shown) return false;
  return ss_perturbation_tells_apart(world->perturbation) ||
         !ss_perturbation_touches(world->perturbation, ss_replica_gpus(world, replica));
}

/* Whether neither messages nor data-parallel collectives use what passes of a replica do, whenever they run. */
static bool is_undisturbed(const ss_world *world, const ss_stage_replica *replica)
{
  bool undisturbed = !world->slows_all && ss_quiet_is_possible(world);
  for (int group = 0; group < SS_GROUPS && !world->options->private_links; ++group) {
    const bool live = ss_group_joins_replicas((ss_group)group) && replica->quiet == SS_QUIET_MEETS;
    undisturbed = undisturbed && (live || world->computed[group]);
  }
  return undisturbed;
}

/* Where settled passes are runs already, quiet ones are no others. Which kinds of these there are, and whether replicas
 * of some meet and go on together: not where all of a stage agree on scales in between, nor where each draws what its
 * kernels take. */
static bool choose_steps(ss_world *world, bool some[static SS_QUIETS])
{
  bool meets = false;
  for (int64_t i = 0; i < world->replica_count; ++i) {
    ss_stage_replica *replica = &world->replica[i];
    const bool settled = is_settled(world, replica);
    replica->steps = settled ? &world->settled : &world->watched;
    replica->quiet = ss_quiet_of(world, replica);
    replica->is_undisturbed = ss_perturbation_tells_apart(world->perturbation) && is_undisturbed(world, replica);
    replica->may_be_quiet =
        (replica->may_be_quiet || replica->is_undisturbed) && settled && !world->settled.whole_passes;
    if (!replica->may_be_quiet || replica->twin != replica) continue;
    some[replica->quiet] = true;
    meets = meets || (!world->all_meet && replica->quiet == SS_QUIET_MEETS && ss_quiet_has_exchanges(world, replica));
  }
  return meets && !ss_perturbation_tells_apart(world->perturbation);
}

/* The first step of a pass that is live; false where there is none. */
static bool find_exchange(const ss_world *world, ss_chunk chunk, ss_pass pass, ss_quiet_rest *rest)
{
  const ss_job *job = world->job;
  for (rest->position = 0; rest->position < ss_job_block_count(job, chunk); ++rest->position) {
    const int64_t block = ss_job_block_at(job, chunk, pass, rest->position);
    const ss_step_list *list = &world->quiet[SS_QUIET_MEETS].list[ss_job_block_kind(job, chunk, block)][pass];
    for (rest->step = 0; rest->step < list->count; ++rest->step)
      if (list->step[rest->step].live) return true;
  }
  return false;
}

/* Adds a step of a quiet pass to a run, be it an exchange. */
static void add_quiet_step(ss_world *world, ss_block_kind kind, ss_pass pass, const ss_step *step, ss_step *run)
{
  const ss_task *task = &ss_job_tasks(world->job, kind, pass)->task[step->first];
  if (step->live)
    ss_quiet_add_task(world, (ss_task_place){kind, pass, task}, run);
  else
    ss_quiet_add_legs(world, step, 0, run);
}

static void time_rest(ss_world *world, ss_chunk chunk, ss_pass pass, ss_quiet_rest *rest)
{
  const ss_job *job = world->job;
  if (!find_exchange(world, chunk, pass, rest)) return;
  for (int64_t i = rest->position; i < ss_job_block_count(job, chunk); ++i) {
    const ss_block_kind kind = ss_job_block_kind(job, chunk, ss_job_block_at(job, chunk, pass, i));
    const ss_step_list *list = &world->quiet[SS_QUIET_MEETS].list[kind][pass];
    for (int64_t s = i == rest->position ? rest->step : 0; s < list->count; ++s) {
      add_quiet_step(world, kind, pass, &list->step[s], &rest->run);
      if (i == rest->position && s == rest->step) rest->exchange = rest->run.exposed;
    }
  }
}

/* What is left of each pass from where replicas meet. */
static void time_rests(ss_world *world)
{
  const ss_job *job = world->job;
  ss_chunk before = {0, 0};
  for (int64_t stage = 0; stage < job->stages && world->quiet[SS_QUIET_ALONE].whole_passes; ++stage)
    for (int64_t index = 0; index < job->chunks; ++index) {
      const ss_chunk chunk = {stage, index};
      const bool first = stage == 0 && index == 0, alike = !first && has_same_blocks(job, before, chunk);
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        ss_quiet_rest *rest = &world->stage[stage].quiet_rest[index * SS_PASSES + pass];
        if (alike)
          *rest = world->stage[before.stage].quiet_rest[before.index * SS_PASSES + pass];
        else
          time_rest(world, chunk, (ss_pass)pass, rest);
      }
      before = chunk;
    }
}

/* A list has room for a step for each task. */
static ss_status allocate(ss_world *world)
{
  int64_t tasks = 0;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      tasks += ss_job_tasks(world->job, (ss_block_kind)kind, (ss_pass)pass)->count;
  world->step = calloc((2 + SS_QUIETS) * (size_t)tasks + 1, sizeof *world->step);
  return world->step != NULL ? SS_OK : SS_ERROR_MEMORY;
}

ss_status ss_steps_init(ss_world *world)
{
  if (allocate(world) != SS_OK) return SS_ERROR_MEMORY;
  find_slow_kernels(world);
  ss_step *next = cut_passes(world, !ss_perturbation_tells_apart(world->perturbation), world->step, &world->settled);
  next = cut_passes(world, false, next, &world->watched);
  time_passes(world);
  bool some[SS_QUIETS] = {false};
  const bool meets = choose_steps(world, some);
  world->whole_passes = world->settled.whole_passes;
  for (int quiet = SS_QUIETS - 1; quiet >= 0; --quiet) {
    if (!some[quiet] && !(meets && quiet <= SS_QUIET_ALONE)) continue;
    next = cut_quiet_passes(world, (ss_quiet)quiet, next);
    if (time_quiet_passes(world, (ss_quiet)quiet) != SS_OK) return SS_ERROR_MEMORY;
    if (some[quiet]) world->whole_passes = world->settled.whole_passes || world->quiet[quiet].whole_passes;
  }
  if (meets) time_rests(world);
  return SS_OK;
}

void ss_steps_free(ss_world *world)
{
  const size_t passes = world->stage != NULL ? (size_t)(world->job->chunks * SS_PASSES) : 0;
  for (int64_t i = 0; world->stage != NULL && i < world->job->stages; ++i) {
    ss_stage *stage = &world->stage[i];
    for (int quiet = 0; quiet < SS_QUIETS; ++quiet) {
      free(stage->quiet_pass[quiet]);
      stage->quiet_pass[quiet] = NULL;
    }
    if (stage->pass != NULL) memset(stage->pass, 0, passes * sizeof *stage->pass);
    if (stage->quiet_rest != NULL) memset(stage->quiet_rest, 0, passes * sizeof *stage->quiet_rest);
  }
  free(world->step);
  free(world->legs.leg);
  ss_named_legs_free(&world->named);
  world->step = NULL;
  world->legs = (ss_legs){0};
  world->settled = world->watched = (ss_step_set){0};
  memset(world->quiet, 0, sizeof world->quiet);
  memset(world->own_routes, 0, sizeof world->own_routes);
  world->slows_all = false;
}
