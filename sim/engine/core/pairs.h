/* A backward and a forward pass that run together (model/plan/pair_time.h): they take turns on the GPU of their
 * replica, which is in one of them while the other waits for its exchange between experts. */
#ifndef STEPSIM_SIM_ENGINE_CORE_PAIRS_H
#define STEPSIM_SIM_ENGINE_CORE_PAIRS_H

#include "sim/engine/core/stage_replica.h"

/* A replica starts a pass that is paired with the next one of its order. */
void ss_pair_begin(const ss_world *world, ss_stage_replica *replica);

/* What a replica does at a step of a pass of a pair. */
typedef enum ss_pair_turn {
  SS_PAIR_RUNS,  /* the step */
  SS_PAIR_MOVES, /* it is elsewhere now: at the next step, or in the other pass */
  SS_PAIR_WAITS  /* for SS_WAITS_EXCHANGE or SS_WAITS_HOST */
} ss_pair_turn;

/* Starts an exchange that the replica has come to, once it is launched; or leaves the GPU to the other pass, or waits,
 * where the step needs an exchange that is not over. */
ss_pair_turn ss_pair_at_step(ss_world *world, ss_stage_replica *replica, const ss_step *step);

/* The same at the end of a block, which is over when its exchanges are. */
ss_pair_turn ss_pair_at_block_end(ss_world *world, ss_stage_replica *replica);

/* The same at the end of a pass: SS_PAIR_RUNS once both have come to theirs, backward first. */
ss_pair_turn ss_pair_at_end(ss_world *world, ss_stage_replica *replica);

/* The message of a pass has left: moves to the end of the forward pass, or ends the pair. */
ss_pair_turn ss_pair_sent(ss_stage_replica *replica);

#endif
