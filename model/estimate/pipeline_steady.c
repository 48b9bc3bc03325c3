#include "model/estimate/pipeline_steady.h"

#include <math.h>

#include "model/base/number.h"
#include "model/estimate/steady_state.h"

/* Goes through the numbers of a note: takes them down, or compares. */
typedef struct reader {
  ss_numbers *numbers;
  bool takes;
  int64_t at;
  double clock_s, tolerance_s;
} reader;

/* Whether a number is as it was; one that is taken down is. */
static bool see(reader *r, double number)
{
  ss_numbers *n = r->numbers;
  if (!r->takes) return r->at < n->count && fabs(n->number[r->at++] - number) <= r->tolerance_s;
  ss_numbers_add(n, number);
  return true;
}

/* Where a stage is in its order of work, counted from the beat. With rounds, that repeats after one. */
static bool see_place(reader *r, const ss_pipeline_state *p, const ss_piped_stage *s, int64_t beat)
{
  const ss_walk *w = &s->walk;
  bool same = see(r, (double)(s->turns - beat * p->beat_turns)) && see(r, (double)s->pass);
  same = same && see(r, p->in_rounds ? (double)w->turn : (double)w->runs);
  if (!p->in_rounds) return same;
  same = same && see(r, (double)w->turns.passes);
  for (int64_t i = 0; same && i < w->turns.passes; ++i)
    same = see(r, (double)w->turns.work[i].chunk) && see(r, (double)w->turns.work[i].pass);
  return same;
}

static bool see_messages(reader *r, const ss_pipeline_state *p, const ss_piped_stage *s)
{
  bool same = true;
  for (int i = 0; i < SS_DIRECTIONS; ++i) same = same && see(r, ss_max(s->sending_s[i] - s->walk.compute_s, 0.0));
  for (int64_t i = 0; same && i < p->job->chunks * SS_DIRECTIONS; ++i) {
    const ss_inbox_ring *inbox = &s->inbox[i];
    same = see(r, (double)ss_inbox_ring_count(inbox));
    for (int64_t k = 0; same && k < ss_inbox_ring_count(inbox); ++k) {
      const ss_sent message = ss_inbox_ring_at(inbox, k);
      same = see(r, message.sent_s - r->clock_s) && see(r, message.there_s - r->clock_s);
    }
  }
  return same;
}

/* The streams of a stage; how far data is behind matters only as far as a skip goes. */
static bool see_streams(reader *r, ss_walk *w)
{
  if (!see(r, w->compute_s - r->clock_s)) return false;
  if (w->job->host.active && !see(r, w->host_s - r->clock_s)) return false;
  ss_walk_mark_take(w, w->now);
  if (!r->takes) return ss_walk_mark_is_same(w->before, w->now, r->tolerance_s);
  ss_walk_mark *before = w->before;
  w->before = w->now;
  w->now = before;
  w->data_margin_s = INFINITY;
  return true;
}

/* Whether the clocks of stages are where they were. */
static bool clocks_are_same(const ss_pipeline_state *p)
{
  const double clock_s = p->stage[0].walk.compute_s, tolerance_s = SS_SAME_TIME * clock_s;
  bool same = p->note.ahead_s.count == p->job->stages;
  for (int64_t i = 0; same && i < p->job->stages; ++i)
    same = fabs(p->note.ahead_s.number[i] - (p->stage[i].walk.compute_s - clock_s)) <= tolerance_s;
  return same;
}

static bool see_all(ss_pipeline_state *p, int64_t beat, bool takes)
{
  const double clock_s = p->stage[0].walk.compute_s;
  reader r = {.numbers = &p->note.numbers, .takes = takes, .clock_s = clock_s, .tolerance_s = SS_SAME_TIME * clock_s};
  bool same = true;
  for (ss_piped_stage *s = p->stage; same && s < p->stage + p->job->stages; ++s)
    same = see_place(&r, p, s, beat) && see_streams(&r, &s->walk) && see_messages(&r, p, s);
  return same;
}

/* A note without numbers is like nothing. */
static void start_note(ss_pipeline_state *p, int64_t beat)
{
  p->note.numbers.count = p->note.ahead_s.count = 0;
  p->note.beat = beat;
  p->note.next = beat + (beat + 1) / 2;
}

static void take_note(ss_pipeline_state *p, int64_t beat)
{
  start_note(p, beat);
  (void)see_all(p, beat, true);
  double *ahead_s = ss_numbers_extend(&p->note.ahead_s, p->job->stages);
  for (int64_t i = 0; i < p->job->stages; ++i) ahead_s[i] = p->stage[i].walk.compute_s - p->stage[0].walk.compute_s;
  for (int64_t i = 0; i < p->job->stages; ++i) p->stage[i].noted = ss_course_sums_of(&p->stage[i].course);
}

/* Beats that the order of work of a stage lets be skipped. */
static int64_t left_of(const ss_pipeline_state *p, const ss_walk *w)
{
  if (p->in_rounds) return ss_walk_rounds_ahead(w);
  const int64_t left = w->turns.count - w->turn - 1;
  if (left <= 0) return left;
  const int64_t ahead = ss_walk_turns_ahead(w);
  return ahead < left ? ahead : left;
}

bool ss_pipeline_can_repeat(const ss_pipeline_state *p)
{
  bool can = true;
  for (const ss_piped_stage *s = p->stage; can && s < p->stage + p->job->stages; ++s) can = left_of(p, &s->walk) > 0;
  return can;
}

int64_t ss_pipeline_repeats(const ss_pipeline_state *p, const ss_walk *w, const ss_lap *lap)
{
  const double data_margin_s = p->job->data.gathers_each_pass ? 0.0 : w->data_margin_s;
  const double tolerance_s = SS_SAME_TIME * p->stage[0].walk.compute_s;
  const double drifts = ss_walk_drifts(lap->now->data_s - lap->before->data_s, data_margin_s, tolerance_s);
  const int64_t left = left_of(p, w), whole = left / lap->beats;
  return left <= 0 ? 0 : (int64_t)ss_min((double)whole, drifts);
}

void ss_pipeline_repeat(const ss_pipeline_state *p, ss_piped_stage *s, const ss_lap *lap, int64_t times)
{
  const ss_course_sums *before = lap->course;
  if (p->in_rounds)
    ss_walk_skip_rounds(&s->walk, lap->before, lap->now, times, lap->beats);
  else
    ss_walk_skip_turns(&s->walk, lap->before, lap->now, times, lap->beats);
  const double many = (double)times, gain_s = 0.5 * many * (many + 1.0) * lap->bubble_gain_s;
  s->course.bubble_s += many * (s->course.bubble_s - before->bubble_s) + gain_s;
  s->course.messages_s += many * (s->course.messages_s - before->messages_s) - gain_s;
  s->course.hidden_s += many * (s->course.hidden_s - before->hidden_s);
}

/* What a stage has done since the note. */
static ss_lap lap_of(const ss_piped_stage *s, int64_t beats)
{
  return (ss_lap){s->walk.before, s->walk.now, &s->noted, beats, 0.0};
}

/* How often all stages can go on for so many beats as they did since the note. */
static int64_t repeats_of(const ss_pipeline_state *p, int64_t beats)
{
  int64_t times = INT64_MAX;
  for (const ss_piped_stage *s = p->stage; times > 0 && s < p->stage + p->job->stages; ++s) {
    const ss_lap lap = lap_of(s, beats);
    const int64_t repeats = ss_pipeline_repeats(p, &s->walk, &lap);
    if (repeats < times) times = repeats;
  }
  return times;
}

void ss_pipeline_pass_beat(ss_pipeline_state *p, int64_t beat)
{
  if (ss_walk_writes(&p->stage[0].walk) || beat < p->note.next) return;
  start_note(p, beat);
  for (int64_t i = 0; i < p->job->stages; ++i) p->stage[i].walk.data_margin_s = INFINITY;
}

bool ss_pipeline_skip(ss_pipeline_state *p, int64_t beat)
{
  int64_t times = 0;
  if (ss_walk_writes(&p->stage[0].walk)) return false;
  if (p->note.beat > 0 && clocks_are_same(p) && see_all(p, beat, false)) {
    const int64_t beats = beat - p->note.beat;
    times = repeats_of(p, beats);
    for (ss_piped_stage *s = p->stage; times > 0 && s < p->stage + p->job->stages; ++s) {
      const ss_lap lap = lap_of(s, beats);
      ss_pipeline_repeat(p, s, &lap, times);
    }
  }
  if (times > 0) take_note(p, beat);
  return times > 0;
}

void ss_pipeline_note_beat(ss_pipeline_state *p, int64_t beat)
{
  if (!ss_walk_writes(&p->stage[0].walk) && beat >= p->note.next) take_note(p, beat);
}
