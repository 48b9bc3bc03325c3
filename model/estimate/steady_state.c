#include "model/estimate/steady_state.h"

#include <math.h>

#include "model/base/number.h"

/* How far behind compute something is; what is not behind does not matter. */
static double lag_of(const ss_walk *w, double time_s)
{
  return ss_max(time_s - w->compute_s, 0.0);
}

/* What is requested but not read for starts when it was requested, or later. */
void ss_walk_mark_take(const ss_walk *w, ss_walk_mark *m)
{
  const int64_t gathers = w->gather != NULL ? w->gather->steps : w->fetches;
  const int64_t reads = w->read != NULL ? w->read->steps : w->fetches;
  const int64_t requests = w->read != NULL ? w->requests : w->fetches;
  *m = (ss_walk_mark){.valid = true,
                      .compute_s = w->compute_s,
                      .data_s = lag_of(w, w->data_s),
                      .write_s = lag_of(w, w->write_s),
                      .gathers = gathers - w->fetches,
                      .requests = requests - w->fetches,
                      .reads = reads - w->fetches,
                      .lag_s = m->lag_s,
                      .exposed = w->exposed};
  m->lag_s[m->lags++] = requests > reads ? w->read_s - w->compute_s : lag_of(w, w->read_s);
  for (int64_t i = w->fetches; i < gathers; ++i) m->lag_s[m->lags++] = lag_of(w, w->gathered_s[i & w->mask]);
  for (int64_t i = w->fetches; i < reads; ++i) m->lag_s[m->lags++] = lag_of(w, w->read_done_s[i & w->mask]);
  for (int64_t i = reads; i < requests; ++i) m->lag_s[m->lags++] = w->requested_s[i & w->mask] - w->compute_s;
}

/* All but how far the data and the write stream are behind. */
bool ss_walk_mark_is_same(const ss_walk_mark *a, const ss_walk_mark *b, double tolerance_s)
{
  if (!a->valid || a->lags != b->lags) return false;
  if (a->gathers != b->gathers || a->requests != b->requests || a->reads != b->reads) return false;
  for (int64_t i = 0; i < a->lags; ++i)
    if (fabs(a->lag_s[i] - b->lag_s[i]) > tolerance_s) return false;
  return true;
}

static void swap_marks(ss_walk_mark **a, ss_walk_mark **b)
{
  ss_walk_mark *old = *a;
  *a = *b;
  *b = old;
}

void ss_walk_mark_next(ss_walk *w)
{
  swap_marks(&w->round_before, &w->round_now);
  ss_walk_mark_take(w, w->round_now);
}

void ss_walk_delay(ss_walk *w, double by_s)
{
  double *clock_s[] = {&w->compute_s, &w->data_s, &w->read_s, &w->write_s, &w->host_s};
  for (size_t i = 0; i < sizeof clock_s / sizeof clock_s[0]; ++i) *clock_s[i] += by_s;
  for (int64_t i = 0; i <= w->mask && w->job->data.gathers_each_pass; ++i) w->gathered_s[i] += by_s;
  for (int64_t i = 0; i <= w->mask && w->job->offload.active; ++i) {
    w->requested_s[i] += by_s;
    w->read_done_s[i] += by_s;
  }
  for (int64_t i = 0; i <= w->ops.first; ++i) w->first_s[i] += by_s;
  w->whole_s += by_s;
}

/* Notes what each of so many micro-batches that are skipped adds, if they are many. A stream that is caught up with
 * does not add less than nothing. */
static void note_growth(ss_walk *w, const ss_walk_mark *before, const ss_walk_mark *now, double turns,
                        int64_t micro_batches)
{
  if (micro_batches <= w->long_skip) return;
  const double share = turns / (double)micro_batches;
  w->growth = ss_exposure_add(w->growth, share, now->exposed, before->exposed);
  const double data_s = ss_max(now->data_s - before->data_s, 0.0);
  w->growth.tail_s += share * data_s;
  if (w->job->offload.gradients) w->growth.offload_s += share * ss_max(now->write_s - before->write_s - data_s, 0.0);
  w->to_settle--;
}

double ss_walk_drifts(double drift_s, double margin_s, double tolerance_s)
{
  if (fabs(drift_s) <= tolerance_s) return INFINITY;
  if (margin_s <= 0.0) return 0.0;
  return drift_s < 0.0 ? floor(margin_s / -drift_s) : INFINITY;
}

/* The last of the turns reduce what only the last micro-batch does. */
static bool end_reducing(const ss_walk *w)
{
  const ss_data_plan *plan = &w->job->data;
  bool ends = false;
  for (int64_t i = 0; i < w->turns.passes && plan->active && !plan->reduces_each_pass; ++i) {
    const ss_work *work = &w->turns.work[i];
    ends = ends || (work->pass == plan->reducing_pass && work->micro_batch + w->turns.count == w->copy_batches);
  }
  return ends;
}

/* The pass of a kind in the turns of a run; NULL without. */
static const ss_work *find_pass(const ss_turns *turns, ss_pass pass)
{
  for (int64_t i = 0; i < turns->passes; ++i)
    if (turns->work[i].pass == pass) return &turns->work[i];
  return NULL;
}

int64_t ss_walk_turns_ahead(const ss_walk *w)
{
  int64_t left = w->turns.count - w->turn - end_reducing(w);
  if (!ss_pass_fetches(w->turns.work[0].pass)) return left;
  const ss_fetcher *fetchers[] = {w->gather, w->read};
  for (size_t i = 0; i < sizeof fetchers / sizeof fetchers[0]; ++i) {
    if (fetchers[i] == NULL) continue;
    if (fetchers[i]->runs != w->runs) return 0;
    const int64_t ahead = w->turns.count - 1 - fetchers[i]->turn;
    if (ahead < left) left = ahead;
  }
  return left;
}

/* Turns for which offloaded activations are written and read as in the last one. */
static double written_ahead(const ss_walk *w, double turn_s, double drift_s, double tolerance_s)
{
  if (w->written == NULL) return INFINITY;
  const ss_work *forward = find_pass(&w->turns, SS_PASS_FORWARD), *backward = find_pass(&w->turns, SS_PASS_BACKWARD);
  if (forward != NULL && !ss_write_log_paces(&w->written[forward->chunk], turn_s + drift_s, tolerance_s)) return 0.0;
  if (backward == NULL) return INFINITY;
  const bool put = forward != NULL && forward->chunk == backward->chunk;
  return ss_write_log_steady(&w->written[backward->chunk], put, turn_s, w->written_margin_s, tolerance_s);
}

/* How many turns will be like the last one, which led from one mark to the next: nothing has changed but that
 * the data and the write stream may be further behind, or less, which did not matter. */
static int64_t like_turns(const ss_walk *w, int64_t most)
{
  const double tolerance_s = SS_SAME_TIME * w->compute_s;
  if (!ss_walk_mark_is_same(w->before, w->now, tolerance_s)) return 0;
  const double data_s = w->now->data_s - w->before->data_s, write_s = w->now->write_s - w->before->write_s;
  const double data_margin_s = w->job->data.gathers_each_pass ? 0.0 : w->data_margin_s;
  double turns = ss_min((double)most, ss_walk_drifts(data_s, data_margin_s, tolerance_s));
  turns = ss_min(turns, ss_walk_drifts(write_s, w->write_margin_s, tolerance_s));
  turns = ss_min(turns, written_ahead(w, w->now->compute_s - w->before->compute_s, write_s, tolerance_s));
  return (int64_t)turns;
}

/* What shows, and how far streams are behind, that often as between the last two marks. */
static void repeat(ss_walk *w, const ss_walk_mark *before, const ss_walk_mark *now, double times)
{
  w->exposed = ss_exposure_add(w->exposed, times, now->exposed, before->exposed);
  w->data_s += times * (now->data_s - before->data_s);
  w->write_s += times * (now->write_s - before->write_s);
}

/* What the data stream loses to passes in a lap between two marks, if it is busy all along. */
static double lost_in_lap_s(const ss_walk_mark *before, const ss_walk_mark *now)
{
  if (before->data_s <= 0.0 || now->data_s <= 0.0) return 0.0;
  return ss_max(now->compute_s - before->compute_s + now->data_s - before->data_s, 0.0);
}

/* When something that is gathered at the start is there, seen from a clock that stands still for `ago_s`, while the
 * data stream loses so much: as long as that is not there, it is later by what is lost. */
static double due_then_s(const ss_walk *w, double due_s, double ago_s, double lost_s)
{
  const double left_s = due_s - w->compute_s, gone_s = ago_s - lost_s;
  if (lost_s <= 0.0 || left_s <= 0.0) return due_s - ago_s;
  return due_s - ago_s + lost_s * (left_s < gone_s ? left_s / gone_s : 1.0);
}

/* The clock stands still, so all that was before is longer ago. */
void ss_walk_skip_turns(ss_walk *w, const ss_walk_mark *before, const ss_walk_mark *now, int64_t times, int64_t turns)
{
  const double many = (double)times, turn_s = now->compute_s - before->compute_s, ago_s = many * turn_s;
  const double write_s = now->write_s - before->write_s;
  const ss_work *forward = find_pass(&w->turns, SS_PASS_FORWARD), *backward = find_pass(&w->turns, SS_PASS_BACKWARD);
  const int64_t skipped = times * turns;
  repeat(w, before, now, many);
  const double lost_s = many * lost_in_lap_s(before, now);
  for (int64_t i = 0; i <= w->ops.first && w->job->data.gathers_at_start; ++i)
    w->first_s[i] = due_then_s(w, w->first_s[i], ago_s, lost_s);
  if (w->job->data.gathers_at_start) w->whole_s = due_then_s(w, w->whole_s, ago_s, lost_s);
  for (int64_t i = 0; i < w->job->chunks && w->written != NULL; ++i)
    ss_write_log_skip(&w->written[i], forward != NULL && forward->chunk == i ? skipped : 0,
                      backward != NULL && backward->chunk == i ? skipped : 0, turn_s + write_s, ago_s);
  for (int64_t i = 0; i < w->turns.passes; ++i) {
    const int64_t chunk = w->turns.work[i].chunk;
    if (ss_pass_fetches(w->turns.work[i].pass))
      w->last -= skipped * (ss_walk_first_block(w, chunk + 1) - ss_walk_first_block(w, chunk));
  }
  w->turn += skipped;
  if (w->gather != NULL) w->gather->turn += skipped;
  if (w->read != NULL) w->read->turn += skipped;
}

/* Whether the first pass of a block is among these turns: it waits for what is gathered at the start. */
static bool waits_for_start(const ss_walk *w)
{
  const ss_work *forward = find_pass(&w->turns, SS_PASS_FORWARD);
  return forward != NULL && ss_pass_needs_first(w->job, forward);
}

static void begin_turn(ss_walk *w)
{
  w->data_margin_s = w->write_margin_s = w->written_margin_s = INFINITY;
}

void ss_steady_start(ss_walk *w)
{
  w->before->valid = false;
  w->runs++;
  w->turn = 0;
  begin_turn(w);
  if (!waits_for_start(w) && ss_walk_turns_ahead(w) > 1) ss_walk_mark_take(w, w->before);
}

void ss_steady_turns(ss_walk *w)
{
  const int64_t most = ss_walk_turns_ahead(w);
  w->round_margin_s = ss_min(w->round_margin_s, w->data_margin_s);
  if (most > 0) {
    ss_walk_mark_take(w, w->now);
    const int64_t turns = like_turns(w, most);
    if (turns > 0) {
      note_growth(w, w->before, w->now, (double)turns, turns);
      w->round_margin_s =
          ss_min(w->round_margin_s, w->data_margin_s + (double)turns * (w->now->data_s - w->before->data_s));
      ss_walk_skip_turns(w, w->before, w->now, turns, 1);
    }
    w->now->valid = turns == 0;
  } else {
    w->now->valid = false;
  }
  swap_marks(&w->before, &w->now);
  begin_turn(w);
}

/* Turns of an order, so many rounds further on. */
static void skip_order(ss_order *order, ss_turns *turns, int64_t rounds)
{
  const int64_t micro_batches = rounds * ss_order_round(order) / order->shape.chunks;
  ss_order_skip(order, rounds);
  for (int64_t i = 0; i < turns->passes; ++i) turns->work[i].micro_batch += micro_batches;
}

void ss_walk_skip_rounds(ss_walk *w, const ss_walk_mark *before, const ss_walk_mark *now, int64_t times, int64_t rounds)
{
  const int64_t skipped = times * rounds;
  repeat(w, before, now, (double)times);
  w->last -= 2 * skipped * ss_order_round(&w->order) / w->job->chunks * w->blocks;
  skip_order(&w->order, &w->turns, skipped);
  if (w->gather != NULL) skip_order(&w->gather->order, &w->gather->turns, skipped);
  if (w->read != NULL) skip_order(&w->read->order, &w->read->turns, skipped);
}

int64_t ss_walk_rounds_ahead(const ss_walk *w)
{
  int64_t most = w->order.count[SS_PASS_FORWARD];
  if (w->gather != NULL && w->gather->order.count[SS_PASS_FORWARD] > most)
    most = w->gather->order.count[SS_PASS_FORWARD];
  if (w->read != NULL && w->read->order.count[SS_PASS_FORWARD] > most) most = w->read->order.count[SS_PASS_FORWARD];
  return ss_order_rounds_after(&w->order, most);
}

/* All chunks have been written and read in the last round as in the one before. */
static bool written_repeats(ss_walk *w, double tolerance_s)
{
  bool repeats = true;
  for (int64_t i = 0; i < w->job->chunks && w->written != NULL; ++i)
    repeats = ss_write_log_repeats(&w->written[i], w->compute_s, tolerance_s) && repeats;
  return repeats;
}

/* How many rounds will be like the last one. */
static int64_t like_rounds(ss_walk *w)
{
  const double tolerance_s = SS_SAME_TIME * w->compute_s;
  const bool repeats = written_repeats(w, tolerance_s);
  const ss_walk_mark *before = w->round_before, *now = w->round_now;
  if (!repeats || !ss_walk_mark_is_same(before, now, tolerance_s) || fabs(now->write_s - before->write_s) > tolerance_s)
    return 0;
  const double data_margin_s = w->job->data.gathers_each_pass ? 0.0 : w->round_margin_s;
  return (int64_t)ss_min((double)ss_walk_rounds_ahead(w),
                         ss_walk_drifts(now->data_s - before->data_s, data_margin_s, tolerance_s));
}

void ss_steady_rounds(ss_walk *w)
{
  const int64_t round = ss_order_round(&w->order), micro_batches = round / w->job->chunks;
  if (round == 0 || w->order.count[SS_PASS_BACKWARD] % round != 0 || ss_walk_rounds_ahead(w) == 0) return;
  if (w->order.count[SS_PASS_FORWARD] < w->order.most.whole) return;
  ss_walk_mark_take(w, w->round_now);
  const int64_t rounds = like_rounds(w);
  if (rounds > 0) {
    note_growth(w, w->round_before, w->round_now, (double)rounds, rounds * micro_batches);
    ss_walk_skip_rounds(w, w->round_before, w->round_now, rounds, 1);
  }
  w->round_now->valid = rounds == 0;
  w->round_margin_s = INFINITY;
  swap_marks(&w->round_before, &w->round_now);
}
