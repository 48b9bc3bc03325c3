#include "model/estimate/pipeline_walk.h"

#include <stdlib.h>

#include "model/base/number.h"
#include "model/estimate/pipeline.h"
#include "model/estimate/pipeline_drift.h"
#include "model/estimate/pipeline_steady.h"
#include "model/estimate/walk_cache.h"
#include "model/estimate/walk_run.h"

static ss_inbox_ring *inbox_of(const ss_pipeline_state *p, int64_t stage, int64_t chunk, ss_pass direction)
{
  return &p->stage[stage].inbox[chunk * SS_DIRECTIONS + direction];
}

/* The messages that the passes of a stage send. With mean ones, every pass is charged one. */
static void list_hops(const ss_pipeline_state *p, int64_t stage)
{
  int64_t to = SS_NO_STAGE;
  ss_cargo cargo = SS_CARGO_STATES;
  const ss_stage_hop *hop = NULL;
  for (int direction = 0; direction < SS_DIRECTIONS; ++direction)
    for (int64_t chunk = 0; chunk < p->job->chunks; ++chunk) {
      ss_chunk receiver;
      if (!ss_job_receiver(p->job, (ss_chunk){stage, chunk}, (ss_pass)direction, &receiver)) {
        if (!p->hops.mean) continue;
        receiver.stage = stage;
      }
      const ss_cargo own = ss_job_cargo(p->job, (ss_chunk){stage, chunk}, (ss_pass)direction);
      if (receiver.stage != to || own != cargo)
        hop = ss_stage_hop_between(&p->hops, p->job, own, stage, receiver.stage);
      to = receiver.stage;
      cargo = own;
      p->stage[stage].hop[chunk * SS_DIRECTIONS + direction] = hop;
    }
}

static bool enter_run(ss_walk *w)
{
  w->turn = 0;
  w->runs++;
  return ss_order_next(&w->order, &w->turns);
}

/* Kernels that are slowed down by the collectives of their own layer take longer from the start. */
static void start_stage(const ss_pipeline_state *p, int64_t stage)
{
  const ss_job *job = p->job;
  ss_piped_stage *s = &p->stage[stage];
  s->hop = &p->hop[stage * job->chunks * SS_DIRECTIONS];
  s->inbox = &p->inbox[stage * job->chunks * SS_DIRECTIONS];
  list_hops(p, stage);
  ss_walk_init(&s->walk, job, stage, job->micro_batches);
  for (unsigned left = job->counts[stage].kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int pass = 0; pass < SS_PASSES; ++pass)
      ss_walk_kind_time(&s->walk, kind)->run_s[pass] += job->slowed_s[kind][pass];
  }
  ss_walk_start(&s->walk, 0.0);
  s->done = !enter_run(&s->walk);
}

static void start_pipeline(ss_pipeline_state *p, const ss_job *job)
{
  const size_t stages = (size_t)job->stages, slots = stages * (size_t)job->chunks * SS_DIRECTIONS;
  *p = (ss_pipeline_state){.job = job, .hops = ss_stage_hops_of(job), .beat_turns = 1};
  p->stage = calloc(stages, sizeof *p->stage);
  p->hop = calloc(slots, sizeof *p->hop);
  p->inbox = calloc(slots, sizeof *p->inbox);
  SS_ASSERT(p->stage != NULL && p->hop != NULL && p->inbox != NULL);
  for (int64_t i = 0; i < job->stages; ++i) start_stage(p, i);
  p->in_rounds = ss_order_round(&p->stage[0].walk.order) > 0;
  if (p->in_rounds) p->beat_turns = ss_order_round(&p->stage[0].walk.order);
}

static void free_pipeline(ss_pipeline_state *p)
{
  for (int64_t i = 0; i < p->job->stages; ++i) {
    ss_walk_free(&p->stage[i].walk);
    ss_numbers_free(&p->stage[i].lead);
    ss_numbers_free(&p->stage[i].lead_before);
  }
  for (int64_t i = 0; i < p->job->stages * p->job->chunks * SS_DIRECTIONS; ++i) ss_inbox_ring_free(&p->inbox[i]);
  free(p->stage);
  free(p->hop);
  free(p->inbox);
  ss_numbers_free(&p->note.numbers);
  ss_numbers_free(&p->note.ahead_s);
  for (int i = 0; i < SS_BEATS_NOTED; ++i) {
    ss_numbers_free(&p->beat[i].place);
    ss_numbers_free(&p->beat[i].time_s);
  }
}

/* The stage whose message a pass of a stage waits for; SS_NO_STAGE where it can start. */
static int64_t work_waits_for(const ss_pipeline_state *p, int64_t stage, const ss_work *work)
{
  ss_chunk sender;
  if (!ss_job_sender(p->job, (ss_chunk){stage, work->chunk}, work->pass, &sender)) return SS_NO_STAGE;
  return inbox_of(p, stage, work->chunk, work->pass)->count > 0 ? SS_NO_STAGE : sender.stage;
}

/* The same of the next pass, or pair. */
static int64_t waits_for(const ss_pipeline_state *p, int64_t stage)
{
  const ss_piped_stage *s = &p->stage[stage];
  const ss_work *work = &s->walk.turns.work[s->pass];
  const int64_t first = work_waits_for(p, stage, work);
  return first == SS_NO_STAGE && work->paired ? work_waits_for(p, stage, work + 1) : first;
}

/* Until the other stage has sent, a wait is the pipeline's bubble. */
static void receive(const ss_pipeline_state *p, int64_t stage, const ss_work *work)
{
  ss_piped_stage *s = &p->stage[stage];
  ss_chunk sender;
  if (!ss_job_sender(p->job, (ss_chunk){stage, work->chunk}, work->pass, &sender)) return;
  const ss_sent message = ss_inbox_ring_take(inbox_of(p, stage, work->chunk, work->pass));
  const double from_s = s->walk.compute_s, sent_s = ss_max(message.sent_s, from_s);
  ss_numbers_add(&s->lead, message.sent_s - from_s);
  ss_numbers_add(&s->lead, message.there_s - from_s);
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
static void send(const ss_pipeline_state *p, int64_t stage, const ss_work *work)
{
  static const ss_stage_hop at_once = {0};
  if (work->pass == SS_PASS_WEIGHT) return;
  ss_piped_stage *s = &p->stage[stage];
  const ss_stage_hop *listed = s->hop[work->chunk * SS_DIRECTIONS + work->pass],
                     *hop = listed != NULL ? listed : &at_once;
  double *compute_s = &s->walk.compute_s, *sending_s = &s->sending_s[work->pass];
  ss_chunk to;
  const bool goes = ss_job_receiver(p->job, (ss_chunk){stage, work->chunk}, work->pass, &to);
  if (goes && to.stage != stage && p->job->host.active) ss_walk_launch_message(&s->walk);
  *compute_s += hop->slowed_s;
  const bool stays = goes && to.stage == stage && p->job->overlaps_messages; /* is there at once */
  const double sent_s = stays ? *compute_s : ss_max(*compute_s, *sending_s), there_s = sent_s + hop->time_s;
  if (!stays) ss_numbers_add(&s->lead, *sending_s - *compute_s);
  if (!stays) *sending_s = there_s;
  if (goes) ss_inbox_ring_put(inbox_of(p, to.stage, to.index, work->pass), (ss_sent){sent_s, there_s});
  if (p->job->overlaps_messages) return;
  s->course.messages_s += there_s - *compute_s;
  *compute_s = there_s;
}

static void next_pass(ss_piped_stage *s)
{
  ss_walk *w = &s->walk;
  if (++s->pass < w->turns.passes) return;
  s->pass = 0;
  s->turns++;
  if (++w->turn == w->turns.count) s->done = !enter_run(w);
}

/* Where backward is whole, its message waits for the weight pass. */
static void send_when_whole(const ss_pipeline_state *p, int64_t stage, const ss_work *work)
{
  ss_piped_stage *s = &p->stage[stage];
  if (work->whole)
    s->owed = work;
  else
    send(p, stage, work);
  if (work->pass != SS_PASS_WEIGHT || s->owed == NULL) return;
  send(p, stage, s->owed);
  s->owed = NULL;
}

static void run_pass(const ss_pipeline_state *p, int64_t stage)
{
  ss_piped_stage *s = &p->stage[stage];
  const ss_work *work = &s->walk.turns.work[s->pass];
  const bool paired = work->paired;
  receive(p, stage, work);
  if (paired) receive(p, stage, work + 1);
  if (s->turns == 0 && s->pass == 0) begin_iteration(p, s);
  if (paired)
    s->course.hidden_s += ss_walk_pair(&s->walk, work, work + 1);
  else
    ss_walk_pass(&s->walk, work);
  send_when_whole(p, stage, work);
  if (paired) send(p, stage, work + 1);
  if (paired) next_pass(s);
  next_pass(s);
}

/* Runs the next pass of a stage, and before that those passes of others that it waits for. */
static void bring_on(const ss_pipeline_state *p, int64_t stage)
{
  for (int64_t at = stage, sender;;) {
    SS_ASSERT(!p->stage[at].done);
    sender = waits_for(p, at);
    if (sender != SS_NO_STAGE) {
      p->stage[sender].asked_by = at;
      at = sender;
      continue;
    }
    run_pass(p, at);
    if (at == stage) return;
    at = p->stage[at].asked_by;
  }
}

/* Brings all stages to the end of a beat, as far as there is something to do. Returns how many have nothing left. */
static int64_t bring_all_on(const ss_pipeline_state *p, int64_t beat)
{
  int64_t done = 0;
  for (int64_t i = 0; i < p->job->stages; ++i) {
    const ss_piped_stage *s = &p->stage[i];
    while (!s->done && s->turns < beat * p->beat_turns) bring_on(p, i);
  }
  for (int64_t i = 0; i < p->job->stages; ++i) done += p->stage[i].done;
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
    p->beats = 0;
    p->note.beat = 0;
    p->note.next = beat;
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
  start_pipeline(&p, job);
  if (cache == NULL || !ss_walk_cache_recall(cache, &p, course)) {
    walk_through(&p, course);
    if (cache != NULL) ss_walk_cache_keep(cache, &p, course);
  }
  free_pipeline(&p);
}
