#include "sim/engine/core/pairs.h"

#include "sim/engine/core/calls.h"
#include "sim/engine/core/host.h"
#include "sim/engine/core/stage.h"

static ss_pass_place place_of(const ss_stage_replica *replica)
{
  return (ss_pass_place){.phase = replica->phase,
                         .pass = replica->pass,
                         .position = replica->position,
                         .step = replica->step,
                         .work = replica->work,
                         .data_needed = replica->data_needed,
                         .exchange = replica->exchange};
}

static void swap(ss_stage_replica *replica)
{
  const ss_pass_place next = replica->pair.other;
  replica->pair.other = place_of(replica);
  replica->phase = next.phase;
  replica->pass = next.pass;
  replica->position = next.position;
  replica->step = next.step;
  replica->work = next.work;
  replica->data_needed = next.data_needed;
  replica->exchange = next.exchange;
}

static bool is_in_block(const ss_stage_replica *replica)
{
  return replica->phase == SS_PHASE_STEP || replica->phase == SS_PHASE_BLOCK_END;
}

/* Lets the other pass go on. A trace shows the turns of both as passes of their own. */
static void leave(ss_world *world, ss_stage_replica *replica)
{
  if (is_in_block(replica)) SS_TELL(&world->observers, block_end, replica);
  SS_TELL(&world->observers, pass_end, replica);
  swap(replica);
  SS_TELL(&world->observers, pass_begin, replica);
  if (is_in_block(replica)) SS_TELL(&world->observers, block_begin, replica);
}

void ss_pair_begin(const ss_world *world, ss_stage_replica *replica)
{
  const ss_work *other = &world->stage[replica->stage].order[replica->pass + 1];
  const bool is_empty = ss_job_block_count(world->job, (ss_chunk){replica->stage, other->chunk}) == 0;
  replica->exchange = (ss_exchange){.state = SS_EXCHANGE_NONE};
  replica->pair = (ss_pair){.active = true,
                            .other = {.phase = is_empty ? SS_PHASE_PASS_END : SS_PHASE_BLOCK_BEGIN,
                                      .pass = replica->pass + 1,
                                      .work = *other}};
}

/* Goes on only if the exchange that the pass has started is over, and not before the other pass has had its turn. */
static ss_pair_turn settle(ss_world *world, ss_stage_replica *replica)
{
  ss_exchange *exchange = &replica->exchange;
  if (exchange->state == SS_EXCHANGE_NONE) return SS_PAIR_RUNS;
  if (replica->pair.over == 0 && !exchange->left) {
    exchange->left = true;
    leave(world, replica);
    return SS_PAIR_MOVES;
  }
  if (exchange->state != SS_EXCHANGE_DONE) {
    (void)ss_replica_wait(world, replica, SS_WAITS_EXCHANGE);
    return SS_PAIR_WAITS;
  }
  *exchange = (ss_exchange){.state = SS_EXCHANGE_NONE};
  return SS_PAIR_RUNS;
}

ss_pair_turn ss_pair_at_step(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  const ss_pair_turn turn = step->late ? SS_PAIR_RUNS : settle(world, replica);
  if (turn != SS_PAIR_RUNS || !step->exchanges) return turn;
  if (!ss_host_launch(world, replica, step)) return SS_PAIR_WAITS;
  const ss_block_kind kind = ss_replica_block_kind(world, replica);
  const ss_task *task = &ss_job_tasks(world->job, kind, replica->work.pass)->task[step->first];
  replica->exchange = (ss_exchange){.state = SS_EXCHANGE_QUEUED, .at = {task, 0, kind, replica->work.pass}};
  if (replica->pair.other.exchange.state != SS_EXCHANGE_QUEUED &&
      replica->pair.other.exchange.state != SS_EXCHANGE_RUNS)
    ss_exchange_start(world, replica, &replica->exchange);
  replica->step++;
  return SS_PAIR_MOVES;
}

ss_pair_turn ss_pair_at_block_end(ss_world *world, ss_stage_replica *replica)
{
  return settle(world, replica);
}

ss_pair_turn ss_pair_at_end(ss_world *world, ss_stage_replica *replica)
{
  if (replica->pair.over == SS_PAIR_LANES) return SS_PAIR_RUNS;
  if (++replica->pair.over < SS_PAIR_LANES) {
    leave(world, replica);
    return SS_PAIR_MOVES;
  }
  SS_TELL(&world->observers, pass_end, replica);
  if (replica->pass > replica->pair.other.pass) swap(replica);
  return SS_PAIR_RUNS;
}

ss_pair_turn ss_pair_sent(ss_stage_replica *replica)
{
  if (replica->pass < replica->pair.other.pass) {
    swap(replica);
    return SS_PAIR_MOVES;
  }
  replica->pair.active = false;
  return SS_PAIR_RUNS;
}
