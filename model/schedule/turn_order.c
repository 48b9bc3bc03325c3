#include "model/schedule/turn_order.h"

#include <stddef.h>

int64_t ss_turn_order_round(const ss_pipeline_shape *shape)
{
  (void)shape;
  return 0;
}

/* What a chunk holds after a pass more of it, or, `times` times. */
static void hold(ss_moment *moment, const ss_work *work, int64_t times)
{
  ss_in_flight *held = &moment->held[work->chunk];
  if (work->pass != SS_PASS_WEIGHT) held->whole += work->pass == SS_PASS_FORWARD ? times : -times;
  if (work->pass != SS_PASS_FORWARD) held->halves += work->pass == SS_PASS_BACKWARD ? times : -times;
}

ss_moments ss_turn_order_moments(const ss_pipeline_shape *shape, int64_t stage)
{
  return (ss_moments){.stage = stage, .order = {.shape = *shape, .stage = stage}};
}

/* Comes to the next turn to look at: the last one of its run, or the first one of the next run. */
static bool next_turn(const ss_pipeline_shape *shape, ss_moments *m)
{
  ss_turns *turns = &m->turns;
  m->pass = 0;
  m->last_turn = !m->last_turn && turns->count > 1;
  if (!m->last_turn) return shape->schedule->order->next(&m->order, turns);
  for (int64_t i = 0; i < turns->passes; ++i) hold(&m->moment, &turns->work[i], turns->count - 2);
  return true;
}

/* Of a pair, forward has begun before backward lets go of what it holds. */
static int64_t held_at(const ss_moments *m)
{
  const ss_work *work = &m->turns.work[m->pass];
  if (work->paired) return m->pass + 1;
  return m->pass > 0 && work[-1].paired ? m->pass - 1 : m->pass;
}

bool ss_turn_order_moment(const ss_pipeline_shape *shape, ss_moments *moments, ss_moment *moment)
{
  if (moments->pass == moments->turns.passes && !next_turn(shape, moments)) return false;
  const ss_work *work = &moments->turns.work[moments->pass];
  hold(&moments->moment, &moments->turns.work[held_at(moments)], 1);
  moments->pass++;
  *moment = moments->moment;
  moment->paired = work->paired;
  moment->backward_chunk = work->chunk;
  moment->forward_chunk = work->paired ? work[1].chunk : work->chunk;
  return true;
}

ss_in_flight ss_turn_order_held(const ss_pipeline_shape *shape, const ss_moment *moment, int64_t chunk)
{
  ss_in_flight held = moment->held[chunk];
  if (!shape->schedule->splits_backward) held.halves = 0;
  return held;
}

ss_in_flight ss_turn_order_depth(const ss_pipeline_shape *shape, int64_t stage)
{
  ss_moments moments = ss_turn_order_moments(shape, stage);
  int64_t most = 0, most_whole = 0;
  for (ss_moment moment; ss_turn_order_moment(shape, &moments, &moment);) {
    int64_t whole = 0, all = 0;
    for (int64_t chunk = 0; chunk < shape->chunks; ++chunk) {
      const ss_in_flight held = ss_turn_order_held(shape, &moment, chunk);
      whole += held.whole;
      all += held.whole + held.halves;
    }
    if (whole > most_whole) most_whole = whole;
    if (all > most) most = all;
  }
  return (ss_in_flight){.whole = most_whole, .halves = most - most_whole};
}

void ss_turn_order_add(const ss_order *order, const ss_work *pass, ss_turns *turns)
{
  const int64_t done = order->done[pass->chunk][pass->pass];
  const int64_t left = ss_shape_copy_batches(&order->shape) - done;
  ss_work *before = turns->passes > 0 ? &turns->work[turns->passes - 1] : NULL;
  if (before != NULL) before->paired = before->paired && left > 0 && pass->pass == SS_PASS_FORWARD;
  if (left <= 0) return;
  ss_work *work = &turns->work[turns->passes++];
  *work = *pass;
  work->micro_batch = done;
  if (left < turns->count) turns->count = left;
}

void ss_turn_order_take(ss_order *order, const ss_turns *turns)
{
  for (int64_t i = 0; i < turns->passes; ++i) order->done[turns->work[i].chunk][turns->work[i].pass] += turns->count;
}

bool ss_phase_order_next(ss_order *order, ss_turns *turns, bool (*phase_of)(const ss_order *, ss_phase_turns *))
{
  for (ss_phase_turns phase; phase_of(order, &phase); order->phase++, order->turn = 0) {
    turns->passes = 0;
    turns->count = phase.count - order->turn;
    if (turns->count <= 0) continue;
    for (int64_t i = 0; i < phase.passes; ++i) ss_turn_order_add(order, &phase.work[i], turns);
    if (turns->passes == 0) continue;
    ss_turn_order_take(order, turns);
    order->turn += turns->count;
    return true;
  }
  return false;
}
