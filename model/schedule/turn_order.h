/* Orders in which the passes of both chunks of a stage take turns: what they hold is counted along the order. */
#ifndef STEPSIM_MODEL_SCHEDULE_TURN_ORDER_H
#define STEPSIM_MODEL_SCHEDULE_TURN_ORDER_H

#include "model/schedule/row.h"

/* Members of ss_order_methods for such an order. Within a run of turns what a stage holds goes up or down evenly, so
 * the moments are those after each pass of the first and of the last turn of a run. */
int64_t ss_turn_order_round(const ss_pipeline_shape *shape);
ss_moments ss_turn_order_moments(const ss_pipeline_shape *shape, int64_t stage);
bool ss_turn_order_moment(const ss_pipeline_shape *shape, ss_moments *moments, ss_moment *moment);
ss_in_flight ss_turn_order_held(const ss_pipeline_shape *shape, const ss_moment *moment, int64_t chunk);

/* The method `depth` of its row: the most that is held whole, and what is held in all at most beyond that. */
ss_in_flight ss_turn_order_depth(const ss_pipeline_shape *shape, int64_t stage);

/* Adds a pass to turns that begin where the order is, as far as there are micro-batches left for it. One that is paired
 * with a forward pass that is not there runs by itself. */
void ss_turn_order_add(const ss_order *order, const ss_work *pass, ss_turns *turns);

/* Goes on by the turns, when all their passes are in. */
void ss_turn_order_take(ss_order *order, const ss_turns *turns);

/* Turns of a phase: how many, and passes in them. */
typedef struct ss_phase_turns {
  int64_t count, passes;
  ss_work work[SS_TURN_PASSES]; /* the micro-batches follow from the order */
} ss_phase_turns;

/* The next turns of an order that comes in phases: `phase_of` says what the phase `order->phase` is; false past the
 * last one. Phases may be of more micro-batches than there are: passes of those are left out. */
bool ss_phase_order_next(ss_order *order, ss_turns *turns, bool (*phase_of)(const ss_order *, ss_phase_turns *));

#endif
