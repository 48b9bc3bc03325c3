#include "sim/engine/observe/critical_path.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "sim/engine/core/observer.h"

/* Where the path back has come to, and what it has found. */
typedef struct walk {
  const ss_critical_path_log *log;
  const ss_critical_path_places *places;
  double begin_s;
  int32_t *latest; /* [replicas] the latest wait of each that may lie ahead */
  int32_t replica;
  double time_s, calls_s;
  double part_s[SS_PATH_KINDS];
  ss_critical_path_leg *visit; /* [visits] one after the other, changing place from each to the next */
  int64_t visits, capacity;
  bool incomplete;
} walk;

static int compare_numbers(int64_t a, int64_t b)
{
  return a < b ? -1 : a > b;
}

static int compare_places(const ss_critical_path_leg *a, const ss_critical_path_leg *b)
{
  int order = compare_numbers(a->from_stage, b->from_stage);
  if (order == 0) order = compare_numbers(a->to_stage, b->to_stage);
  return order != 0 ? order : compare_numbers(a->replica, b->replica);
}

/* Goes back to `from_s` at a place; the time that this takes. */
static double go_back(walk *w, ss_critical_path_leg leg, double from_s)
{
  const double to_s = ss_max(from_s, w->begin_s);
  leg.time_s = w->time_s - to_s;
  leg.visits = 1;
  if (leg.time_s <= 0.0) return 0.0;
  w->time_s = to_s;
  ss_critical_path_leg *last = w->visits > 0 ? &w->visit[w->visits - 1] : NULL;
  if (last != NULL && compare_places(last, &leg) == 0) {
    last->time_s += leg.time_s;
    return leg.time_s;
  }
  ss_critical_path_leg *visit = ss_critical_path_room(w->visit, w->visits, &w->capacity, sizeof *visit);
  w->incomplete = w->incomplete || visit == NULL;
  if (visit == NULL) return leg.time_s;
  w->visit = visit;
  visit[w->visits++] = leg;
  return leg.time_s;
}

static ss_critical_path_leg leg_at(const walk *w, int32_t replica)
{
  const ss_critical_path_place place = w->places->of(w->places->self, replica);
  return (ss_critical_path_leg){place.stage, place.stage, place.replica, place.gpu, 0.0, 0};
}

static ss_critical_path_leg leg_of(const walk *w, const ss_critical_path_arrival *sent)
{
  ss_critical_path_leg from = leg_at(w, sent->replica), to = leg_at(w, sent->to_replica);
  if (sent->kind == SS_PATH_data_s) {
    from.replica = SS_PATH_ALL_REPLICAS;
    return from;
  }
  if (from.from_stage == to.from_stage) return to;
  from.to_stage = to.to_stage;
  return from;
}

/* The last wait of the replica that had ended by now; NULL where there is none. None is met twice, so that the path
 * ends.
 */
static const ss_critical_path_wait *take_wait(walk *w)
{
  int32_t index = w->latest[w->replica];
  while (index >= 0 && w->log->wait[index].end_s > w->time_s) index = w->log->wait[index].earlier;
  w->latest[w->replica] = index >= 0 ? w->log->wait[index].earlier : -1;
  return index >= 0 ? &w->log->wait[index] : NULL;
}

/* The replica worked since a point in time: collectives of layers, as many as it spent, and kernels. */
static void pass_work(walk *w, double from_s, double calls_s)
{
  const double work_s = w->time_s - from_s;
  const double spent_s = ss_max(ss_min(w->calls_s - calls_s, work_s), 0.0);
  const double shown_s = go_back(w, leg_at(w, w->replica), from_s);
  const double calls_shown_s = shown_s < work_s ? spent_s * shown_s / work_s : spent_s;
  w->part_s[SS_PATH_calls_s] += calls_shown_s;
  w->part_s[SS_PATH_compute_s] += shown_s - calls_shown_s;
}

/* A transfer, those that it was queued behind, and the replica that asked for the first of them. */
static void pass_transfers(walk *w, int32_t index)
{
  for (bool queued = true; queued; index = w->log->sent[index].before) {
    const ss_critical_path_arrival *sent = &w->log->sent[index];
    queued = sent->queued;
    w->part_s[sent->kind] += go_back(w, leg_of(w, sent), sent->begin_s);
    w->replica = sent->replica;
    w->calls_s = sent->calls_s;
  }
}

static void go_to_the_beginning(walk *w)
{
  while (w->time_s > w->begin_s) {
    const ss_critical_path_wait *wait = take_wait(w);
    pass_work(w, wait != NULL ? wait->end_s : 0.0, wait != NULL ? wait->calls_s : 0.0);
    if (wait == NULL) return;
    w->calls_s = wait->calls_s;
    if (wait->transfer >= 0)
      pass_transfers(w, wait->transfer);
    else
      w->part_s[wait->transfer == SS_PAUSED_BY_HOST ? SS_PATH_host_s : SS_PATH_offload_s] +=
          go_back(w, leg_at(w, w->replica), wait->start_s);
  }
}

/* Visits of a place are added up in an order that depends on nothing else. */
static int compare_visits(const void *left, const void *right)
{
  const ss_critical_path_leg *a = left, *b = right;
  const int order = compare_places(a, b);
  if (order != 0) return order;
  return a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
}

static int compare_legs(const void *left, const void *right)
{
  const ss_critical_path_leg *a = left, *b = right;
  if (a->time_s != b->time_s) return a->time_s > b->time_s ? -1 : 1;
  return compare_places(a, b);
}

/* The visits one after the other, as steps. */
static bool list_steps(const walk *w, double end_s, ss_history *history)
{
  bool listed = true;
  double time_s = end_s;
  for (int64_t i = 0; history != NULL && listed && i < w->visits; ++i) {
    const ss_critical_path_leg *leg = &w->visit[i];
    const ss_history_step step = {leg->from_stage, leg->to_stage, leg->replica, time_s - leg->time_s, time_s};
    listed = ss_history_add_step(history, &step);
    time_s = step.start_s;
  }
  return listed;
}

/* Makes one leg of all visits of a place, the longest legs first; how many there are. */
static int64_t merge_visits(ss_critical_path_leg *visit, int64_t visits)
{
  int64_t legs = 0;
  qsort(visit, (size_t)visits, sizeof *visit, compare_visits);
  for (int64_t i = 0; i < visits; ++i) {
    ss_critical_path_leg *last = legs > 0 ? &visit[legs - 1] : NULL;
    if (last == NULL || compare_places(last, &visit[i]) != 0) {
      visit[legs++] = visit[i];
      continue;
    }
    last->time_s += visit[i].time_s;
    last->visits += visit[i].visits;
    if (visit[i].gpu < last->gpu) last->gpu = visit[i].gpu;
  }
  qsort(visit, (size_t)legs, sizeof *visit, compare_legs);
  return legs;
}

static void conclude(walk *w, ss_critical_path *out)
{
#define SS_PATH_PART(field, label, help) out->field = w->part_s[SS_PATH_##field];
  SS_PATH_LIST(SS_PATH_PART)
#undef SS_PATH_PART
  if (w->visits == 0) return;
  out->moves = w->visits - 1;
  const int64_t legs = merge_visits(w->visit, w->visits);
  out->legs = legs < SS_PATH_LEGS ? legs : SS_PATH_LEGS;
  memcpy(out->leg, w->visit, (size_t)out->legs * sizeof *out->leg);
}

ss_status ss_critical_path_find(const ss_critical_path_log *log, const ss_critical_path_end *end,
                                const ss_critical_path_places *places, ss_critical_path *out)
{
  *out = (ss_critical_path){0};
  SS_ASSERT(end->replica >= 0 && end->replica < log->replicas);
  walk w = {.log = log,
            .places = places,
            .begin_s = end->begin_s,
            .latest = malloc((size_t)log->replicas * sizeof *w.latest),
            .replica = end->replica,
            .time_s = end->end_s,
            .calls_s = end->calls_s,
            .incomplete = log->incomplete};
  if (w.latest != NULL && !w.incomplete) {
    memcpy(w.latest, log->latest, (size_t)log->replicas * sizeof *w.latest);
    go_to_the_beginning(&w);
    w.incomplete = w.incomplete || !list_steps(&w, end->end_s, places->history);
  }
  const ss_status status = w.latest == NULL || w.incomplete ? SS_ERROR_MEMORY : SS_OK;
  if (status == SS_OK) conclude(&w, out);
  free(w.latest);
  free(w.visit);
  return status;
}
