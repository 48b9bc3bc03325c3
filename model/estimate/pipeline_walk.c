#include "model/estimate/pipeline_walk.h"

#include "model/base/number.h"
#include "model/estimate/pipeline.h"
#include "model/estimate/pipeline_drift.h"
#include "model/estimate/pipeline_steady.h"
#include "model/estimate/shared_links.h"
#include "model/estimate/walk_cache.h"
#include "model/estimate/walk_run.h"
#include "model/plan/groups.h"

static ss_inbox_ring *inbox_of(const ss_pipeline_state *p, int64_t stage, int64_t chunk, ss_pass direction)
{
  return &p->stage[stage].inbox[chunk * SS_DIRECTIONS + direction];
}

/* What the message of a pass takes. With mean ones, every pass is charged one. */
static ss_stage_hop hop_of(const ss_pipeline_state *p, ss_chunk chunk, ss_pass direction, const ss_chunk *receiver)
{
  const ss_stage_hop at_once = {0};
  if (receiver == NULL && !p->hops.mean) return at_once;
  const ss_cargo cargo = ss_job_cargo(p->job, chunk, direction);
  const ss_stage_hop *hop =
      ss_stage_hop_between(&p->hops, p->job, cargo, chunk.stage, receiver != NULL ? receiver->stage : chunk.stage);
  return hop != NULL ? *hop : at_once;
}

static ss_piped_leg leg_of(const ss_pipeline_state *p, ss_chunk chunk, ss_pass direction)
{
  ss_chunk sender, receiver;
  const bool waits = ss_job_sender(p->job, chunk, direction, &sender);
  const bool goes = ss_job_receiver(p->job, chunk, direction, &receiver);
  const bool leaves = goes && receiver.stage != chunk.stage;
  return (ss_piped_leg){.from = waits ? inbox_of(p, chunk.stage, chunk.index, direction) : NULL,
                        .to = goes ? inbox_of(p, receiver.stage, receiver.index, direction) : NULL,
                        .sender = waits ? &p->stage[sender.stage] : NULL,
                        .hop = hop_of(p, chunk, direction, goes ? &receiver : NULL),
                        .comes_s = waits ? hop_of(p, sender, direction, &chunk).shared_s : 0.0,
                        .direction = (int32_t)direction,
                        .launched = leaves && p->job->host.active,
                        .stays = goes && !leaves && p->job->overlaps_messages};
}

static void list_legs(const ss_pipeline_state *p, int64_t stage)
{
  for (int64_t chunk = 0; chunk < p->job->chunks; ++chunk)
    for (int direction = 0; direction < SS_DIRECTIONS; ++direction)
      p->stage[stage].leg[chunk * SS_DIRECTIONS + direction] = leg_of(p, (ss_chunk){stage, chunk}, (ss_pass)direction);
}

/* Comes to the next turns; they repeat, and with them what their passes wait for and send. */
static bool enter_run(ss_piped_stage *s)
{
  ss_walk *w = &s->walk;
  w->turn = 0;
  w->runs++;
  if (!ss_order_next(&w->order, &w->turns)) return false;
  for (int64_t i = 0; i < w->turns.passes; ++i) {
    const ss_work *work = &w->turns.work[i];
    const bool silent = work->pass == SS_PASS_WEIGHT;
    s->of_turn[i] = (ss_piped_pass){work, silent ? NULL : &s->leg[work->chunk * SS_DIRECTIONS + (int64_t)work->pass]};
  }
  return true;
}

static void start_stage(const ss_pipeline_state *p, int64_t stage)
{
  const ss_job *job = p->job;
  ss_piped_stage *s = &p->stage[stage];
  const ss_walk *like = stage > 0 && ss_groups_repeat(job, stage) ? &s[-1].walk : NULL;
  list_legs(p, stage);
  ss_walk_init(&s->walk, job, stage, job->micro_batches, like);
  s->walk.knows = true;
  if (like == NULL) ss_walk_slow_down(&s->walk);
  ss_walk_start(&s->walk, 0.0);
  s->done = !enter_run(s);
  s->next = s->of_turn;
}

/* Lists and rings without anything in them, of the job's scratch. */
static void start_lists(ss_pipeline_state *p)
{
  ss_scratch *scratch = p->job->scratch;
  const size_t stages = (size_t)p->job->stages, slots = stages * (size_t)p->job->chunks * SS_DIRECTIONS;
  ss_inbox_ring *inbox = ss_scratch_take(scratch, slots * sizeof *inbox);
  ss_piped_leg *leg = ss_scratch_take(scratch, slots * sizeof *leg);
  p->stage = ss_scratch_take(scratch, stages * sizeof *p->stage);
  for (size_t i = 0; i < slots; ++i) inbox[i] = (ss_inbox_ring){.scratch = scratch};
  for (size_t i = 0; i < stages; ++i) {
    const size_t first = i * slots / stages;
    p->stage[i] = (ss_piped_stage){
        .leg = &leg[first], .inbox = &inbox[first], .lead = {.scratch = scratch}, .lead_before = {.scratch = scratch}};
  }
  p->note.numbers.scratch = p->note.ahead_s.scratch = scratch;
  for (int i = 0; i < SS_BEATS_NOTED; ++i) p->beat[i].place.scratch = p->beat[i].time_s.scratch = scratch;
}

static void start_pipeline(ss_pipeline_state *p, const ss_job *job)
{
  *p = (ss_pipeline_state){.job = job, .hops = ss_stage_hops_of(job), .beat_turns = 1};
  start_lists(p);
  for (int64_t i = 0; i < job->stages; ++i) start_stage(p, i);
  p->in_rounds = ss_order_round(&p->stage[0].walk.order) > 0;
  if (p->in_rounds) p->beat_turns = ss_order_round(&p->stage[0].walk.order);
}

/* The stage whose message a pass waits for; NULL where it can start. */
static inline ss_piped_stage *leg_waits_for(const ss_piped_leg *leg)
{
  return leg == NULL || leg->from == NULL || ss_inbox_ring_count(leg->from) > 0 ? NULL : leg->sender;
}

/* The same of the next pass of a stage, or pair. */
static inline ss_piped_stage *waits_for(const ss_piped_stage *s)
{
  ss_piped_stage *first = leg_waits_for(s->next->leg);
  return first == NULL && s->next->work->paired ? leg_waits_for(s->next[1].leg) : first;
}

/* Passes lose time to a message that comes beside them: to as much of it as has come before the stage waits for it. */
static void meet_coming(ss_piped_stage *s, const ss_piped_leg *leg, const ss_sent *message)
{
  const double before_s = s->walk.compute_s - message->sent_s, message_s = message->there_s - message->sent_s;
  const double lost_s = leg->comes_s * ss_min(ss_max(before_s / message_s, 0.0), 1.0);
  double *lead_s = ss_numbers_extend(&s->lead, 2);
  lead_s[0] = -before_s;
  lead_s[1] = message_s - before_s;
  s->walk.compute_s += lost_s;
  s->course.messages_s += lost_s;
}

/* Until the other stage has sent, a wait is the pipeline's bubble. */
static inline void receive(ss_piped_stage *s, const ss_piped_leg *leg)
{
  if (leg == NULL || leg->from == NULL) return;
  const ss_sent message = ss_inbox_ring_take(leg->from);
  if (leg->comes_s > 0.0) meet_coming(s, leg, &message);
  const double from_s = s->walk.compute_s, sent_s = ss_max(message.sent_s, from_s);
  double *lead_s = ss_numbers_extend(&s->lead, 2);
  lead_s[0] = message.sent_s - from_s;
  lead_s[1] = message.there_s - from_s;
  s->course.bubble_s += sent_s - from_s;
  s->course.messages_s += ss_max(message.there_s - sent_s, 0.0);
  s->walk.compute_s = ss_max(message.there_s, from_s);
}

/* Where stages run into the next iteration, what comes before the first pass belongs to the one before. */
static void begin_iteration(const ss_pipeline_state *p, ss_piped_stage *s)
{
  s->course.start_s = s->walk.compute_s;
  if (p->job->shape.schedule->runs_into_next) s->course.bubble_s = s->course.messages_s = 0.0;
}

/* Messages of a direction leave one after the other. */
static inline void send(const ss_pipeline_state *p, ss_piped_stage *s, const ss_piped_leg *leg)
{
  double *compute_s = &s->walk.compute_s, *sending_s = &s->sending_s[leg->direction];
  if (leg->launched) ss_walk_launch_message(&s->walk);
  *compute_s += leg->hop.slowed_s + leg->hop.shared_s;
  const double sent_s = leg->stays ? *compute_s : ss_max(*compute_s, *sending_s);
  const double lost_s = ss_share_with_message(&s->walk, leg->hop.nic_s);
  const double there_s = sent_s + leg->hop.time_s + lost_s;
  if (!leg->stays) {
    ss_numbers_add(&s->lead, *sending_s - *compute_s);
    *sending_s = there_s;
  }
  if (leg->to != NULL) ss_inbox_ring_put(leg->to, (ss_sent){sent_s, there_s});
  if (p->job->overlaps_messages) return;
  s->course.messages_s += there_s - *compute_s;
  *compute_s = there_s;
}

static inline void next_pass(ss_piped_stage *s)
{
  ss_walk *w = &s->walk;
  if (++s->pass == w->turns.passes) {
    s->pass = 0;
    s->turns++;
    if (++w->turn == w->turns.count) s->done = !enter_run(s);
  }
  s->next = &s->of_turn[s->pass];
}

/* Where backward is whole, its message waits for the weight pass. */
static inline void send_when_whole(const ss_pipeline_state *p, ss_piped_stage *s)
{
  const ss_piped_leg *leg = s->next->leg;
  if (s->next->work->whole)
    s->owed = leg;
  else if (leg != NULL)
    send(p, s, leg);
  if (leg != NULL || s->owed == NULL) return;
  send(p, s, s->owed);
  s->owed = NULL;
}

/* A backward pass together with the forward pass behind it, when the message of the first is there. */
static void run_pair(const ss_pipeline_state *p, ss_piped_stage *s)
{
  const ss_piped_pass *backward = s->next, *forward = s->next + 1;
  receive(s, forward->leg);
  s->course.hidden_s += ss_walk_pair(&s->walk, backward->work, forward->work);
  send_when_whole(p, s);
  send(p, s, forward->leg);
  next_pass(s);
}

static inline void run_pass(const ss_pipeline_state *p, ss_piped_stage *s)
{
  receive(s, s->next->leg);
  if (s->turns == 0 && s->pass == 0) begin_iteration(p, s);
  if (s->next->work->paired) {
    run_pair(p, s);
  } else {
    ss_walk_pass(&s->walk, s->next->work);
    send_when_whole(p, s);
  }
  next_pass(s);
}

/* Runs the next pass of a stage, and before that those passes of others that it waits for. */
static void bring_on(const ss_pipeline_state *p, ss_piped_stage *stage)
{
  for (ss_piped_stage *at = stage, *sender;;) {
    SS_ASSERT(!at->done);
    sender = waits_for(at);
    if (sender != NULL) {
      sender->asked_by = at;
      at = sender;
      continue;
    }
    run_pass(p, at);
    if (at == stage) return;
    at = at->asked_by;
  }
}

/* Brings all stages to the end of a beat, as far as there is something to do. Returns how many have nothing left. */
static int64_t bring_all_on(const ss_pipeline_state *p, int64_t beat)
{
  const ss_piped_stage *end = p->stage + p->job->stages;
  const int64_t turns = beat * p->beat_turns;
  int64_t done = 0;
  for (ss_piped_stage *s = p->stage; s < end; ++s)
    while (!s->done && s->turns < turns) bring_on(p, s);
  for (const ss_piped_stage *s = p->stage; s < end; ++s) done += s->done;
  return done;
}

/* What was noted before beats were skipped says nothing of the time after. */
static void skip(ss_pipeline_state *p, int64_t beat)
{
  if (!p->in_rounds && !ss_pipeline_can_repeat(p)) {
    ss_pipeline_pass_beat(p, beat);
    ss_pipeline_pass_drift(p);
  } else if (ss_pipeline_skip(p, beat)) {
    p->beats = 0;
  } else if (ss_pipeline_skip_drift(p, beat)) {
    p->note.beat = 0;
    p->note.next = beat;
  } else {
    ss_pipeline_note_beat(p, beat);
  }
}

static void walk_through(ss_pipeline_state *p, ss_course *course)
{
  for (int64_t beat = 1, done = 0; done < p->job->stages; ++beat) {
    done = bring_all_on(p, beat);
    if (done == 0) skip(p, beat);
  }
  for (int64_t i = 0; i < p->job->stages; ++i) {
    ss_walk_finish(&p->stage[i].walk);
    course[i] = p->stage[i].course;
    course[i].exposed = p->stage[i].walk.exposed;
  }
}

void ss_pipeline_walk(const ss_job *job, ss_course *course)
{
  ss_walk_cache *cache = job->options.walks;
  ss_pipeline_state p;
  const ss_scratch_mark before = ss_scratch_now(job->scratch);
  start_pipeline(&p, job);
  if (cache == NULL || !ss_walk_cache_recall(cache, &p, course)) {
    walk_through(&p, course);
    if (cache != NULL) ss_walk_cache_keep(cache, &p, course);
  }
  for (int64_t i = 0; i < job->stages; ++i) ss_walk_free(&p.stage[i].walk);
  ss_scratch_return(job->scratch, before);
}
