#include "sim/engine/play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/estimate/estimate.h"
#include "model/schedule/schedule.h"
#include "sim/engine/core/run.h"
#include "sim/engine/headroom/presumption_watch.h"
#include "sim/engine/headroom/watch.h"
#include "sim/engine/network/ample.h"
#include "sim/engine/network/fluid.h"
#include "sim/engine/observe/monitor.h"
#include "sim/engine/observe/recorder.h"
#include "sim/engine/observe/trace.h"
#include "sim/engine/setup/fold.h"
#include "sim/engine/setup/routes.h"
#include "sim/engine/setup/world_setup.h"
#include "sim/engine/simgrid/simgrid.h"
#include "sim/engine/worth.h"
#include "sim/module/module.h"

/* What should happen at the same time differs by rounding. Where groups of ranks that share links are in step, one that
 * is late by a rounding error would fall further behind with every collective, and differently wherever sums are added
 * in another order. So events this much of an iteration apart are simultaneous: far above rounding, and far below what
 * means anything. */
#define TIE_SHARE 1e-12

/* Flows are taken for others, where that may be, until they would be so much of an iteration ahead of them: of that by
 * the closed form, or as far as it has come. */
#define NEAR_SHARE 0.005

/* Where links of the upper levels are short, each attempt may tell more apart until all is simulated. So there, as much
 * is tolerated once more for each so many passes that a whole replay of a large job has, which take half of a second or
 * so, up to so many times. */
#define PATIENT_PASSES 150000.0
#define PATIENCE_MOST  8.0

/* A job that is not large begins again with nothing taken for others where these might change this many times as much:
 * as much for what they are ahead, and as much for what is no more in step. */
#define FAR_TIMES 2.0

/* A replay put together: the job and the one beside it, their network, and who looks on. Zeroed: nothing yet; on the
 * heap, since it is large. */
struct ss_prepared {
  ss_common common;
  ss_links links;
  ss_headroom headroom;
  ss_presumption presumption;
  ss_known known; /* as in the outcome */
  ss_purpose purpose;
  ss_world world, co_scheduled;
  ss_replay_options co_scheduled_options; /* of the other job, with which nobody looks on */
  ss_monitor monitor;
  ss_watch watch;
  ss_presumption_watch presumption_watch;
  ss_tracer trace;
  ss_recorder recorder;
};

static ss_status build_co_scheduled(ss_prepared *r, const ss_replay_options *options, ss_error *error)
{
  if (options->co_scheduled == NULL || options->private_links) return SS_OK;
  r->co_scheduled_options = (ss_replay_options){.fold = SS_FOLD_NONE, .seed = options->seed};
  r->world.co_scheduled = &r->co_scheduled;
  return ss_world_init(&r->co_scheduled, &r->common, options->co_scheduled, &r->co_scheduled_options,
                       (ss_shared_links){.links = &r->links}, error);
}

void ss_known_free(ss_known *known)
{
  free(known->crowded.link);
  free(known->tight.link);
  free(known->marks.mark);
  *known = (ss_known){0};
}

/* A copy of some items; NULL when memory is out. */
static void *copy(const void *item, int64_t count, size_t size)
{
  void *to = malloc((size_t)(count + 1) * size);
  if (to != NULL && count > 0) memcpy(to, item, (size_t)count * size);
  return to;
}

static ss_status copy_known(const ss_known *from, ss_known *to)
{
  *to = *from;
  to->crowded.link = copy(from->crowded.link, from->crowded.count, sizeof *to->crowded.link);
  to->tight.link = copy(from->tight.link, from->tight.count, sizeof *to->tight.link);
  to->marks.mark = copy(from->marks.mark, from->marks.count, sizeof *to->marks.mark);
  return to->crowded.link != NULL && to->tight.link != NULL && to->marks.mark != NULL ? SS_OK : SS_ERROR_MEMORY;
}

/* Time, before an iteration of a job. */
static void set_clock(ss_common *common, const ss_job *job)
{
  ss_event_queue_free(&common->queue);
  *common = (ss_common){.expected_s = ss_estimate_time(job).iteration_s};
  common->tie_s = TIE_SHARE * common->expected_s;
}

static double patience_with(const ss_job *job)
{
  const int64_t replicas = job->stages * job->replicas;
  const double passes = (double)(replicas * ss_schedule_length(&job->shape));
  return replicas < SS_FOLD_REPLICAS_NEAR ? 1.0 : fmin(fmax(passes / PATIENT_PASSES, 1.0), PATIENCE_MOST);
}

static ss_status lay_out(ss_prepared *r, const ss_job *job, const ss_replay_options *options, ss_error *error)
{
  ss_status status = ss_budget_check(&options->budget, 0.0, error);
  if (status != SS_OK) return status;
  set_clock(&r->common, job);
  r->headroom.known_crowded = &r->known.crowded;
  r->headroom.known_tight = &r->known.tight;
  r->headroom.known_plainly = &r->known.plainly;
  r->presumption.known = &r->known.marks;
  if (ss_fold_is_near(job, options->fold)) {
    r->presumption.tolerance = NEAR_SHARE;
    r->presumption.tolerance_s = NEAR_SHARE * r->common.expected_s;
    r->presumption.patience = patience_with(job);
  }
  if (!options->private_links) status = ss_links_init(&r->links, job->machine, error);
  if (status == SS_OK)
    status = ss_world_lay_out(&r->world, &r->common, job, options,
                              (ss_shared_links){&r->links, &r->headroom, &r->presumption}, error);
  return status;
}

/* Somebody looks at who shares which links. */
static bool is_watched(const ss_prepared *r)
{
  return r->headroom.kinds > 0 || r->presumption.types.count > 0;
}

/* Links that are never short take no part where rates are shared out. */
static ss_status narrow_links(ss_prepared *r)
{
  ss_links *links = &r->links;
  if (links->fabric == NULL || is_watched(r)) return ss_link_paths_narrow(&links->paths, NULL, &links->narrow);
  bool *ample = malloc((size_t)(links->paths.links + 1) * sizeof *ample);
  ss_status status = ample != NULL ? ss_ample_links_find(&links->paths, ample) : SS_ERROR_MEMORY;
  if (status == SS_OK) status = ss_link_paths_narrow(&links->paths, ample, &links->narrow);
  free(ample);
  return status;
}

/* Lists the phases of exchanges between experts, or only counts them: not where each of their flows is watched. */
static int64_t list_phases(const ss_prepared *r, ss_phase_flows *phase)
{
  const ss_world *world = &r->world;
  int64_t phases = 0;
  for (int64_t i = 0; !is_watched(r) && i < world->owners; ++i) {
    const ss_route *route = world->owner[i].route;
    if (world->owner[i].kind != SS_TRANSFER_EXPERT) continue;
    for (int p = 0; route->count > 0 && p < route->phases; ++p) {
      const int64_t first = ss_route_first(route, p), end = ss_route_first(route, p + 1);
      if (end == first) continue;
      if (phase != NULL) phase[phases] = (ss_phase_flows){&route->flow[first], end - first};
      ++phases;
    }
  }
  return phases;
}

/* Goes by what is known. */
static ss_status build(ss_prepared *r, ss_error *error)
{
  const ss_replay_options *options = r->world.options;
  ss_status status = ss_world_choose(&r->world, (ss_shared_links){&r->links, &r->headroom, &r->presumption}, error);
  r->world.only_looks = r->purpose == SS_TO_LOOK && ss_worth_set_ups(&r->world, r->world.passes) > 1.0;
  if (status == SS_OK) status = build_co_scheduled(r, options, error);
  if (status == SS_OK) status = narrow_links(r);
  if (status == SS_OK && r->links.fabric != NULL)
    status = ss_monitor_open(&r->monitor, &r->world,
                             (ss_monitor_rows){ss_fabric_links(r->links.fabric), r->headroom.kinds,
                                               SS_BURST_PARTS_MOST * list_phases(r, NULL)});
  if (status == SS_OK && r->presumption.types.count > 0)
    status = ss_presumption_narrow(&r->presumption, &r->links.paths, &r->links.narrow);
  if (status == SS_OK && r->headroom.kinds > 0)
    status = ss_watch_open(&r->watch, &r->headroom, &r->links.narrow, &r->world);
  if (status == SS_OK)
    status = ss_presumption_watch_open(&r->presumption_watch, &r->presumption, &r->links.narrow, &r->world);
  return status;
}

void ss_play_free(ss_prepared *r)
{
  if (r == NULL) return;
  ss_recorder_free(&r->recorder);
  ss_tracer_free(&r->trace);
  ss_presumption_watch_free(&r->presumption_watch);
  ss_watch_free(&r->watch);
  ss_monitor_free(&r->monitor);
  ss_world_free(&r->co_scheduled);
  ss_world_free(&r->world);
  ss_headroom_free(&r->headroom);
  ss_presumption_free(&r->presumption);
  ss_known_free(&r->known);
  ss_links_free(&r->links);
  ss_event_queue_free(&r->common.queue);
  free(r);
}

/* Whether links that might be crowded take part from now on: where it takes much to find out whether they are. */
static bool keeps_tight(const ss_prepared *r)
{
  return r->world.only_looks || ss_fold_is_near(r->world.job, r->world.options->fold);
}

/* Whether flows should not have been taken for others: what that may change is too much, and an exact replay is short.
 */
static bool is_too_far_off(const ss_prepared *r)
{
  const double tolerated_s = ss_presumption_tolerated_s(&r->presumption, r->common.now_s);
  return r->world.result.shortcuts.presumed.ahead_s > FAR_TIMES * tolerated_s &&
         r->world.replica_count < SS_FOLD_REPLICAS_NEAR;
}

/* What was spared must not have been crowded, unless that is what was asked for. */
static ss_status conclude(ss_prepared *r, ss_error *error)
{
  const int64_t crowded = r->known.crowded.count;
  const ss_flow_marks marks = r->known.marks;
  ss_status status = SS_OK;
  if (r->headroom.kinds > 0)
    status = ss_watch_conclude(&r->watch, &r->known.crowded, keeps_tight(r) ? &r->known.tight : NULL);
  if (status == SS_OK)
    status = ss_presumption_watch_conclude(&r->presumption_watch, &r->known.marks, &r->world.result.shortcuts.presumed);
  if (status != SS_OK) return ss_error_set(error, status, NULL, 0, "out of memory for the links of a replay");
  if (r->world.options->fold == SS_FOLD_FLAT) {
    r->world.result.shortcuts.crowded_links = r->known.crowded.count;
    r->known.crowded.count = crowded;
  }
  r->known.marks.all = r->known.marks.all || is_too_far_off(r);
  if (r->known.crowded.count > crowded || ss_flow_marks_tell_more(&marks, &r->known.marks)) return SS_OK;
  if (r->common.network != NULL) {
    ss_headroom_add_usage(&r->headroom, &r->monitor.usage);
    status = ss_monitor_conclude(&r->monitor, (ss_monitor_links){r->links.fabric, r->links.alike}, error);
  }
  if (status == SS_OK) status = ss_recorder_conclude(&r->recorder, error);
  return status == SS_OK ? ss_tracer_close(&r->trace, error) : status;
}

/* Runs the replay to its end; on a network, inside the simulation. */
static ss_status run(void *self, const ss_flow_network *network, ss_error *error)
{
  ss_prepared *r = self;
  r->common.network = network;
  ss_status status = ss_tracer_open(&r->trace, &r->world);
  if (status == SS_OK) status = ss_recorder_open(&r->recorder, &r->world);
  if (status == SS_OK) status = ss_world_run(&r->world, error);
  if (status == SS_OK) status = conclude(r, error);
  r->common.network = NULL;
  return status;
}

static ss_status run_on_simgrid(const ss_networked *networked, bool verbose, ss_error *error)
{
  const ss_simgrid_methods *simgrid = ss_module_load("simgrid", error);
  return simgrid != NULL ? simgrid->run(networked, verbose, error) : SS_ERROR_MODULE;
}

static ss_status run_on_network(ss_prepared *r, ss_error *error)
{
  const ss_replay_options *options = r->world.options;
  const int64_t phases = list_phases(r, NULL);
  ss_phase_flows *phase = malloc((size_t)(phases + 1) * sizeof *phase);
  if (phase == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  (void)list_phases(r, phase);
  double largest_bytes = ss_routes_largest_flow_bytes(r->world.job);
  if (r->world.co_scheduled != NULL)
    largest_bytes = fmax(largest_bytes, ss_routes_largest_flow_bytes(r->co_scheduled.job));
  const ss_networked networked = {.self = r,
                                  .run = run,
                                  .links = &r->links,
                                  .observers = &r->world.observers,
                                  .phase = phase,
                                  .phases = phases,
                                  .largest_flow_bytes = largest_bytes,
                                  .tie_s = r->common.tie_s};
  const ss_status status = options->flows == SS_FLOWS_SIMULATED ? run_on_simgrid(&networked, options->verbose, error)
                                                                : ss_fluid_run(&networked, error);
  free(phase);
  return status;
}

/* Links that all take part tell nothing of what could be spared. */
static bool is_of_use(const ss_prepared *r)
{
  return r->purpose != SS_TO_REHEARSE || r->headroom.kinds > 0 || r->presumption.kinds > 0;
}

ss_prepared *ss_play_prepare(const ss_job *job, const ss_replay_options *options, ss_outcome *out)
{
  *out = (ss_outcome){.status = SS_OK};
  ss_prepared *r = calloc(1, sizeof *r);
  if (r == NULL) {
    out->status = ss_error_set(&out->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
    return NULL;
  }
  out->status = lay_out(r, job, options, &out->error);
  if (out->status == SS_OK) return r;
  ss_play_free(r);
  return NULL;
}

void ss_play_prepared(ss_prepared *r, const ss_known *known, ss_purpose purpose, ss_outcome *out)
{
  *out = (ss_outcome){.status = SS_OK};
  if (copy_known(known, &r->known) != SS_OK) {
    out->status = ss_error_set(&out->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
    return;
  }
  r->purpose = purpose;
  out->status = build(r, &out->error);
  if (out->status == SS_OK && is_of_use(r))
    out->status = r->world.options->private_links ? run(r, NULL, &out->error) : run_on_network(r, &out->error);
  out->result = r->world.result;
  out->only_looked = r->world.only_looks;
  out->worth = out->status == SS_OK ? ss_worth_attempts(&r->world, r->known.plainly) : 0;
  out->known = r->known;
  r->known = (ss_known){0};
}

bool ss_play_next(ss_prepared *r, const ss_job *job, ss_outcome *out)
{
  bool taken;
  *out = (ss_outcome){.status = SS_OK};
  set_clock(&r->common, job); /* what is timed as the world is set up goes by it */
  out->status = ss_world_take(&r->world, &r->links, job, &taken);
  if (out->status == SS_OK && !taken) return false;
  if (out->status != SS_OK) (void)ss_error_set(&out->error, out->status, NULL, 0, "out of memory for a replay");
  if (out->status == SS_OK) out->status = run(r, NULL, &out->error);
  out->result = r->world.result;
  return true;
}

void ss_play(const ss_job *job, const ss_replay_options *options, const ss_known *known, ss_purpose purpose,
             ss_outcome *out)
{
  ss_prepared *prepared = ss_play_prepare(job, options, out);
  if (prepared != NULL) ss_play_prepared(prepared, known, purpose, out);
  ss_play_free(prepared);
}
