#include "sim/engine/headroom/drifts.h"

#include <math.h>
#include <stdlib.h>

#include "sim/engine/core/calls.h"
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/messages.h"
#include "sim/engine/core/stage.h"
#include "sim/engine/core/ties.h"

static ss_drift sum_of(ss_drift a, ss_drift b)
{
  return (ss_drift){a.early_s + b.early_s,           a.late_s + b.late_s,
                    a.wavered_s2 + b.wavered_s2,     a.left_s + b.left_s,
                    a.rings_left_s + b.rings_left_s, a.upper_left_s + b.upper_left_s};
}

static ss_drift most_of(ss_drift a, ss_drift b)
{
  return (ss_drift){fmax(a.early_s, b.early_s),           fmax(a.late_s, b.late_s),
                    fmax(a.wavered_s2, b.wavered_s2),     fmax(a.left_s, b.left_s),
                    fmax(a.rings_left_s, b.rings_left_s), fmax(a.upper_left_s, b.upper_left_s)};
}

/* Flows go on in sets, and meet above their ports: what these are early is added up. */
static bool goes_by_sum(const ss_drifts *drifts)
{
  return drifts->presumption->first_set != NULL && !drifts->presumption->meets_at_ports;
}

/* What goes on along the path of what is waited for. */
static double along_s(const ss_drifts *drifts)
{
  return drifts->most.early_s + drifts->most.late_s + drifts->most.upper_left_s;
}

/* Above ports, all that flows are ahead is less than that. */
static bool is_little_ahead(const ss_drifts *drifts)
{
  return !drifts->presumption->meets_at_ports && drifts->ahead_s < along_s(drifts);
}

double ss_drifts_most_s(const ss_drifts *drifts)
{
  if (goes_by_sum(drifts)) return drifts->sum_s + drifts->most.late_s;
  return is_little_ahead(drifts) ? drifts->ahead_s : along_s(drifts);
}

double ss_drifts_wavered_s(const ss_drifts *drifts)
{
  return sqrt(drifts->most.wavered_s2);
}

/* What transfers leave to others counts whole up to this much of what is tolerated. */
#define LEFT_WHOLE_SHARE 0.5

double ss_drifts_out_of_step_s(const ss_drifts *drifts)
{
  if (drifts->kind == NULL) return 0.0;
  const double tolerated_s = ss_presumption_tolerated_s(drifts->presumption, drifts->world->common->now_s);
  const double upper_s = !goes_by_sum(drifts) && is_little_ahead(drifts) ? drifts->most.upper_left_s : 0.0;
  const double left_s = drifts->most.left_s + upper_s, whole_s = LEFT_WHOLE_SHARE * tolerated_s;
  return drifts->most.rings_left_s + (left_s > whole_s ? sqrt(left_s * whole_s) : left_s);
}

/* So far are flows apart from when they would come, or further. */
static void come_apart(ss_drifts *drifts, ss_drift drift)
{
  const double apart_s = drift.early_s + drift.late_s;
  if (goes_by_sum(drifts)) return;
  drifts->apart_s =
      fmax(drifts->apart_s, drifts->presumption->meets_at_ports ? apart_s : fmin(apart_s, drifts->ahead_s));
}

/* So many times as much is tolerated where flows meet above their ports without sets; in the first half as the replay
 * goes on, as what is twice as far off at a time will be too far off in the end. Rings that leave more than is
 * tolerated to others are out of step with little. */
static double patience_of(const ss_drifts *drifts, double tolerated_s)
{
  const double most = drifts->presumption->patience;
  const ss_common *common = drifts->world->common;
  const bool goes_otherwise = drifts->presumption->meets_at_ports || goes_by_sum(drifts);
  if (goes_otherwise || most <= 1.0 || drifts->most.rings_left_s > tolerated_s) return 1.0;
  return fmax(fmin(2.0 * most * common->now_s / common->expected_s, most), 1.0);
}

/* Where flows meet at their ports only, what wavers is tolerated with the rest. */
static void stop_where_too_far_off(ss_drifts *drifts)
{
  const ss_presumption *presumption = drifts->presumption;
  const double wavered_s = presumption->meets_at_ports ? ss_drifts_wavered_s(drifts) : 0.0;
  const double tolerated_s = ss_presumption_tolerated_s(presumption, drifts->world->common->now_s);
  if (ss_drifts_most_s(drifts) + wavered_s > tolerated_s * patience_of(drifts, tolerated_s))
    drifts->world->in_vain = drifts->world->stops_soon = true;
}

static void set_replica(ss_drifts *drifts, int32_t replica, ss_drift drift)
{
  drifts->replica[replica] = drift;
  drifts->most = most_of(drifts->most, drift);
  if (goes_by_sum(drifts)) return;
  come_apart(drifts, drifts->most);
  stop_where_too_far_off(drifts);
}

void ss_drifts_ahead(ss_drifts *drifts, double ahead_s)
{
  if (drifts->kind == NULL || drifts->presumption->meets_at_ports) return;
  drifts->ahead_s = ahead_s;
  if (goes_by_sum(drifts)) {
    drifts->apart_s = ahead_s;
    return;
  }
  come_apart(drifts, drifts->most);
  stop_where_too_far_off(drifts);
}

/* The first kind of a transfer's flows in a phase; -1: it has none, and takes its time with nobody beside it. */
static int32_t kind_of_phase(const ss_transfer *transfer, int phase)
{
  if (!transfer->on_network || transfer->is_meeting) return -1;
  const int64_t first = ss_route_first(transfer->route, phase);
  return first < ss_route_first(transfer->route, phase + 1) ? transfer->route->flow[first].kind : -1;
}

static int32_t replica_of(const ss_transfer *transfer)
{
  return transfer->type->kind == SS_TRANSFER_CALL ? ss_replica_index(transfer->world, transfer->replica)
                                                  : transfer->asked.replica;
}

static ss_drift *arrived(ss_drifts *drifts, int64_t transfer)
{
  return &drifts->arrived[transfer % drifts->kept];
}

/* Where transfers go one after the other; NULL: they go when they are asked for. */
static ss_drifting_lane *lane_of(ss_drifts *drifts, const ss_transfer *transfer)
{
  const ss_world *world = drifts->world;
  switch (transfer->type->kind) {
  case SS_TRANSFER_MESSAGE:
    return &drifts->lane[(transfer->replica - world->replica) * SS_SIDES + (int64_t)transfer->side];
  case SS_TRANSFER_DATA: return &drifts->lane[SS_SIDES * world->replica_count + (transfer->dp_group - world->dp_group)];
  case SS_TRANSFER_CALL:
  case SS_TRANSFER_EXPERT:
  case SS_TRANSFER_TIED: return NULL;
  }
  return NULL;
}

/* What goes on together would be earlier, in all: where flows meet above their ports, the replay may be that far off.
 */
static void add_up(ss_drifts *drifts, double early_s)
{
  drifts->sum_s += early_s;
  if (goes_by_sum(drifts)) stop_where_too_far_off(drifts);
}

/* Until when what has arrived by a time would come at the latest. */
static void come_by(double *last_s, double now_s, double late_s)
{
  *last_s = fmax(*last_s, now_s + late_s);
}

static double late_of(const ss_drifts *drifts, const ss_stage_replica *replica)
{
  return drifts->replica[ss_replica_index(drifts->world, replica)].late_s;
}

/* Of a group that meets, how late the last one would come: who was there before it has that much to spare. */
static double late_of_experts(const ss_drifts *drifts, const ss_transfer *transfer)
{
  double late_s = 0.0;
  for (int64_t i = 0; i < transfer->experts->members; ++i) {
    const ss_stage_replica *member = transfer->experts->member[i];
    const bool is_known = !member->pair.active && !transfer->is_meeting;
    const double spare_s = is_known ? transfer->start_s - member->live.call_start_s : 0.0;
    late_s = fmax(late_s, late_of(drifts, member) - spare_s);
  }
  return late_s;
}

static double late_of_all(const ss_drifts *drifts, ss_stage_replica *const *member, int64_t members)
{
  double late_s = 0.0;
  for (int64_t i = 0; i < members; ++i) late_s = fmax(late_s, late_of(drifts, member[i]));
  return late_s;
}

/* How late the last of those who ask for a transfer together would do so. What one is late by now is no less than what
 * it was then, less the time since. */
static double late_of_askers(const ss_drifts *drifts, const ss_transfer *transfer)
{
  switch (transfer->type->kind) {
  case SS_TRANSFER_CALL:
  case SS_TRANSFER_MESSAGE: return late_of(drifts, transfer->replica);
  case SS_TRANSFER_EXPERT: return late_of_experts(drifts, transfer);
  case SS_TRANSFER_TIED: return late_of_all(drifts, transfer->tie->member, transfer->tie->members);
  case SS_TRANSFER_DATA: {
    const ss_stage *home = drifts->world->stage[transfer->dp_group->stage].home;
    return late_of_all(drifts, home->member, home->members);
  }
  }
  return 0.0;
}

/* A transfer that had to wait for the one before it on its lane starts as early as that arrives, any other one as it is
 * asked for; each as late as both. */
static ss_drift start_of(ss_drifts *drifts, const ss_transfer *transfer, const ss_drifting_lane *lane)
{
  const bool queued = lane != NULL && transfer->ended.transfer >= 0 && transfer->asked.time_s < transfer->start_s;
  ss_drift start = queued ? lane->arrived : drifts->replica[replica_of(transfer)];
  if (queued) add_up(drifts, lane->alone_s);
  start.late_s = late_of_askers(drifts, transfer);
  if (lane != NULL) start.late_s = fmax(start.late_s, lane->last_s - transfer->start_s);
  return start;
}

static void transfer_begin(void *self, const ss_transfer *transfer)
{
  ss_drifts *drifts = self;
  ss_drifting_lane *lane = lane_of(drifts, transfer);
  if (lane != NULL) lane->start = start_of(drifts, transfer, lane);
}

/* How much earlier than the last one a flow of a phase would have ended: `part` of a set. */
static double ahead_of_part(const ss_drifts *drifts, int32_t part, double end_s)
{
  const int32_t kind = part >= 0 ? ss_presumption_kind(drifts->presumption, part) : ss_presumption_whole(part);
  const ss_drifting_type *type = part >= 0 ? &drifts->type[part] : NULL;
  const bool gained = type != NULL && type->begun == drifts->kind[kind].begun;
  return end_s - drifts->kind[kind].since_s + (gained ? type->gained_s : 0.0);
}

/* How much earlier than the last one of its phase the last one of a set would have ended; where that is no more than
 * `least_s`, as much at most. */
static double ahead_of_set(const ss_drifts *drifts, int32_t set, double end_s, double least_s)
{
  int64_t count;
  const int32_t *part = ss_lists_items(&drifts->presumption->sets, set, &count);
  double last_s = INFINITY;
  for (int64_t p = 1; p < count && last_s > least_s; ++p) {
    const double ahead_s = ahead_of_part(drifts, part[p], end_s);
    if (ahead_s < last_s) last_s = ahead_s;
  }
  return last_s;
}

/* Who waits for a set of flows goes on with the last of them: as early as that one would be, whatever the foremost. */
static double early_of_sets(const ss_drifts *drifts, int32_t first)
{
  const ss_presumption *presumption = drifts->presumption;
  double early_s = 0.0;
  for (int64_t i = presumption->first_set[first]; i < presumption->first_set[first + 1]; ++i) {
    const double ahead_s = ahead_of_set(drifts, presumption->set[i], drifts->kind[first].end_s, early_s);
    if (ahead_s > early_s) early_s = ahead_s;
  }
  return early_s;
}

/* What a transfer has gained and lost in its phases, one after the other; begins again with the next one. What it has
 * lost to others wavers, but by no more than flows are apart from when they would come. */
static ss_drift take_phases(ss_drifts *drifts, const ss_transfer *transfer)
{
  ss_drift all = {0};
  for (int phase = 0; phase < transfer->phases; ++phase) {
    const int32_t kind = kind_of_phase(transfer, phase);
    if (kind < 0) continue;
    ss_drift *moved = &drifts->kind[kind].phase;
    if (drifts->presumption->first_set != NULL) {
      moved->early_s = early_of_sets(drifts, kind);
      add_up(drifts, moved->early_s);
    }
    all = sum_of(all, *moved);
    *moved = (ss_drift){0};
  }
  const double wavers_s = fmin(transfer->ended.parts.shared_s, drifts->apart_s);
  all.wavered_s2 = wavers_s * wavers_s;
  if (transfer->type->kind == SS_TRANSFER_DATA) all.rings_left_s = all.left_s;
  return all;
}

static double *message_last_s(ss_drifts *drifts, int64_t replica, ss_pass side, int64_t chunk)
{
  return &drifts->message_last_s[(replica * SS_SIDES + (int64_t)side) * drifts->world->job->chunks + chunk];
}

/* Passes that take turns may go on beside an exchange of theirs; they are as late as that at once. */
static void delay_pairs(ss_drifts *drifts, const ss_expert_group *experts, double late_s)
{
  for (int64_t i = 0; i < experts->members; ++i) {
    const int32_t member = ss_replica_index(drifts->world, experts->member[i]);
    ss_drift drift = drifts->replica[member];
    if (!experts->member[i]->pair.active) continue;
    drift.late_s = fmax(drift.late_s, late_s);
    set_replica(drifts, member, drift);
  }
}

/* Who may need a transfer hears of it: one that has come before it is needed may be late all the same. */
static void hand_on(ss_drifts *drifts, const ss_transfer *transfer, double late_s)
{
  const double now_s = drifts->world->common->now_s;
  switch (transfer->type->kind) {
  case SS_TRANSFER_MESSAGE: {
    const int64_t chunk = ss_message_of(transfer).to_chunk;
    come_by(message_last_s(drifts, transfer->to_replica, transfer->side, chunk), now_s, late_s);
    return;
  }
  case SS_TRANSFER_DATA: come_by(&drifts->data_last_s[transfer->dp_group->stage], now_s, late_s); return;
  case SS_TRANSFER_EXPERT: delay_pairs(drifts, transfer->experts, late_s); return;
  case SS_TRANSFER_CALL:
  case SS_TRANSFER_TIED: return;
  }
}

/* A replica sends its next message as soon as its own last one has arrived, whenever those of others do that wait for a
 * set together: as early as the foremost flow. */
static void go_on_alone(ss_drifts *drifts, ss_drifting_lane *lane, int32_t first)
{
  const ss_presumption *presumption = drifts->presumption;
  if (presumption->first_set == NULL || first < 0) return;
  double foremost_s = 0.0;
  for (int64_t i = presumption->first_set[first]; i < presumption->first_set[first + 1]; ++i) {
    int64_t count;
    const int32_t *part = ss_lists_items(&presumption->sets, presumption->set[i], &count);
    for (int64_t p = 1; p < count; ++p)
      foremost_s = fmax(foremost_s, ahead_of_part(drifts, part[p], drifts->kind[first].end_s));
  }
  lane->alone_s = lane->start.early_s + foremost_s - lane->arrived.early_s;
  lane->arrived.early_s = lane->start.early_s + foremost_s;
  come_apart(drifts, lane->arrived);
}

/* Collectives inside a replica move it, all others those that wait for them. */
static void transfer_end(void *self, const ss_transfer *transfer)
{
  ss_drifts *drifts = self;
  ss_drifting_lane *lane = lane_of(drifts, transfer);
  const ss_drift came =
      sum_of(lane != NULL ? lane->start : start_of(drifts, transfer, NULL), take_phases(drifts, transfer));
  if (transfer->type->kind == SS_TRANSFER_CALL) {
    set_replica(drifts, replica_of(transfer), came);
    return;
  }
  if (!drifts->presumption->meets_at_ports) come_apart(drifts, came); /* whoever waits for it */
  *arrived(drifts, transfer->ended.transfer) = came;
  if (lane != NULL) {
    lane->arrived = came;
    if (transfer->type->kind == SS_TRANSFER_MESSAGE) go_on_alone(drifts, lane, kind_of_phase(transfer, 0));
    come_by(&lane->last_s, drifts->world->common->now_s, came.late_s);
  }
  hand_on(drifts, transfer, came.late_s);
}

/* A replica has waited for a transfer until now: it would go on when both were there. */
static void paused(void *self, const ss_stage_replica *replica, const ss_pause *pause)
{
  ss_drifts *drifts = self;
  const double waited_s = drifts->world->common->now_s - pause->start_s;
  if (pause->transfer < 0 || waited_s <= 0.0) return;
  const int32_t index = ss_replica_index(drifts->world, replica);
  const ss_drift was = drifts->replica[index], came = *arrived(drifts, pause->transfer);
  set_replica(drifts, index,
              (ss_drift){.early_s = fmin(was.early_s + waited_s, came.early_s),
                         .late_s = fmax(was.late_s - waited_s, came.late_s),
                         .wavered_s2 = came.wavered_s2,
                         .left_s = fmin(was.left_s + waited_s, came.left_s),
                         .rings_left_s = fmin(was.rings_left_s + waited_s, came.rings_left_s),
                         .upper_left_s = fmin(was.upper_left_s + waited_s, came.upper_left_s)});
}

/* What a replica needs from now on has come, but would come so late. */
static void needs(ss_drifts *drifts, const ss_stage_replica *replica, double last_s)
{
  const int32_t index = ss_replica_index(drifts->world, replica);
  ss_drift drift = drifts->replica[index];
  const double late_s = last_s - drifts->world->common->now_s;
  if (late_s <= drift.late_s) return;
  drift.late_s = late_s;
  set_replica(drifts, index, drift);
}

static void needs_data(ss_drifts *drifts, const ss_stage_replica *replica)
{
  needs(drifts, replica, drifts->data_last_s[drifts->world->stage[replica->stage].home - drifts->world->stage]);
}

static void needs_message(ss_drifts *drifts, const ss_stage_replica *replica, const ss_work *work)
{
  if (work->pass < SS_SIDES)
    needs(drifts, replica, *message_last_s(drifts, ss_replica_index(drifts->world, replica), work->pass, work->chunk));
}

static void pass_begin(void *self, const ss_stage_replica *replica)
{
  ss_drifts *drifts = self;
  needs_message(drifts, replica, &replica->work);
  if (replica->pair.active) needs_message(drifts, replica, &replica->pair.other.work);
  needs_data(drifts, replica);
}

static void optimizer_begin(void *self, const ss_stage_replica *replica, double duration_s)
{
  (void)duration_s;
  needs_data(self, replica);
}

void ss_drifts_begin(ss_drifts *drifts, int32_t kind)
{
  if (drifts->kind == NULL) return;
  drifts->kind[kind].begun++;
  drifts->kind[kind].lost_s = 0.0; /* it loses nothing yet */
}

/* What a transfer waits for together moves it by the most. */
static ss_drift *phase_of(ss_drifts *drifts, int32_t kind)
{
  return &drifts->kind[drifts->presumption->together[kind]].phase;
}

void ss_drifts_gain(ss_drifts *drifts, int32_t kind, int32_t type, double gained_s)
{
  if (drifts->kind == NULL) return;
  ss_drifting_type *of = &drifts->type[type];
  if (of->begun != drifts->kind[kind].begun) *of = (ss_drifting_type){.begun = drifts->kind[kind].begun};
  of->gained_s += gained_s;
  phase_of(drifts, kind)->early_s = fmax(phase_of(drifts, kind)->early_s, of->gained_s);
}

void ss_drifts_lose(ss_drifts *drifts, int32_t kind, double share, double now_s)
{
  if (drifts->kind == NULL) return;
  ss_drifting_kind *of = &drifts->kind[kind];
  of->lost_s += of->share * (now_s - of->since_s);
  drifts->losing += (share > 0.0) - (of->share > 0.0);
  of->share = share;
  of->since_s = now_s;
  ss_drifting_kind *first = &drifts->kind[drifts->presumption->together[kind]];
  first->phase.late_s = fmax(first->phase.late_s, of->lost_s);
  first->end_s = now_s;
}

void ss_drifts_leave(ss_drifts *drifts, int32_t kind, ss_left left_s)
{
  if (drifts->kind == NULL) return;
  ss_drift *phase = phase_of(drifts, kind);
  phase->left_s = fmax(phase->left_s, left_s.sorts);
  phase->upper_left_s = fmax(phase->upper_left_s, left_s.upper);
}

/* A wait ends as the transfer arrives that it was for, and no transfer arrives twice in that instant. */
ss_status ss_drifts_open(ss_drifts *drifts, const ss_presumption *presumption, ss_world *world)
{
  const int64_t outboxes = SS_SIDES * world->replica_count, inboxes = outboxes * world->job->chunks;
  const int64_t lanes = outboxes + world->job->stages * world->shards;
  *drifts = (ss_drifts){.presumption = presumption,
                        .observer = {.self = drifts,
                                     .transfer_begin = transfer_begin,
                                     .transfer_end = transfer_end,
                                     .pass_begin = pass_begin,
                                     .optimizer_begin = optimizer_begin,
                                     .paused = paused},
                        .world = world,
                        .kind = calloc((size_t)presumption->kinds + 1, sizeof *drifts->kind),
                        .type = calloc((size_t)presumption->types.count + 1, sizeof *drifts->type),
                        .replica = calloc((size_t)world->replica_count + 1, sizeof *drifts->replica),
                        .lane = calloc((size_t)lanes + 1, sizeof *drifts->lane),
                        .message_last_s = calloc((size_t)inboxes + 1, sizeof *drifts->message_last_s),
                        .data_last_s = calloc((size_t)world->job->stages + 1, sizeof *drifts->data_last_s),
                        .kept = world->owners + 1};
  drifts->arrived = calloc((size_t)drifts->kept, sizeof *drifts->arrived);
  if (drifts->kind == NULL || drifts->type == NULL || drifts->replica == NULL || drifts->arrived == NULL ||
      drifts->lane == NULL || drifts->message_last_s == NULL || drifts->data_last_s == NULL)
    return SS_ERROR_MEMORY;
  ss_observers_add(&world->observers, &drifts->observer);
  return SS_OK;
}

void ss_drifts_free(ss_drifts *drifts)
{
  free(drifts->kind);
  free(drifts->type);
  free(drifts->replica);
  free(drifts->arrived);
  free(drifts->lane);
  free(drifts->message_last_s);
  free(drifts->data_last_s);
  *drifts = (ss_drifts){0};
}
