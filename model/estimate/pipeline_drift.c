#include "model/estimate/pipeline_drift.h"

#include <math.h>
#include <string.h>

#include "model/base/number.h"
#include "model/estimate/pipeline_steady.h"
#include "model/estimate/steady_state.h"

/* Where a stage is in its order of work, counted from the beat, and how many messages it has not come to. A run has its
 * passes once; in rounds, they tell runs apart. */
static void note_place(const ss_pipeline_state *p, const ss_piped_stage *s, int64_t beat, ss_numbers *place)
{
  const ss_walk *w = &s->walk;
  const int64_t inboxes = p->job->chunks * SS_DIRECTIONS, passes = p->in_rounds ? w->turns.passes : 0;
  double *next = ss_numbers_extend(place, 4 + 2 * passes + inboxes);
  *next++ = (double)(s->turns - beat * p->beat_turns);
  *next++ = (double)s->pass;
  *next++ = p->in_rounds ? (double)w->turn : (double)w->runs;
  *next++ = (double)passes;
  for (int64_t i = 0; i < passes; ++i) {
    *next++ = (double)w->turns.work[i].chunk;
    *next++ = (double)w->turns.work[i].pass;
  }
  for (int64_t i = 0; i < inboxes; ++i) *next++ = (double)ss_inbox_ring_count(&s->inbox[i]);
}

/* The clock of a stage, until when it sends, and its messages. The streams of a stage go with its clock. */
static void note_times(const ss_pipeline_state *p, const ss_piped_stage *s, ss_numbers *time_s)
{
  const int64_t inboxes = p->job->chunks * SS_DIRECTIONS;
  int64_t messages = 0;
  for (int64_t i = 0; i < inboxes; ++i) messages += ss_inbox_ring_count(&s->inbox[i]);
  double *next = ss_numbers_extend(time_s, 1 + SS_DIRECTIONS + 2 * messages);
  *next++ = s->walk.compute_s;
  for (int i = 0; i < SS_DIRECTIONS; ++i) *next++ = s->sending_s[i];
  for (int64_t i = 0; i < inboxes; ++i)
    for (int64_t k = 0; k < ss_inbox_ring_count(&s->inbox[i]); ++k) {
      const ss_sent message = ss_inbox_ring_at(&s->inbox[i], k);
      *next++ = message.sent_s;
      *next++ = message.there_s;
    }
}

static bool is_same_place(const ss_pipeline_beat *a, const ss_pipeline_beat *b)
{
  const ss_numbers *one = &a->place, *other = &b->place;
  return one->count == other->count &&
         memcmp(one->number, other->number, (size_t)one->count * sizeof *one->number) == 0;
}

/* The beats that are noted move on by one. Where stages are elsewhere in their orders of work, it is the first one. */
static void note_beat(ss_pipeline_state *p, int64_t beat)
{
  ss_pipeline_beat now = p->beat[SS_BEATS_NOTED - 1];
  for (int i = SS_BEATS_NOTED - 1; i > 0; --i) p->beat[i] = p->beat[i - 1];
  now.place.count = now.time_s.count = 0;
  for (int64_t i = 0; i < p->job->stages; ++i) {
    note_place(p, &p->stage[i], beat, &now.place);
    note_times(p, &p->stage[i], &now.time_s);
  }
  p->beat[0] = now;
  p->beats = p->beats > 0 && is_same_place(&p->beat[0], &p->beat[1]) ? p->beats + 1 : 1;
}

/* All times have grown in the last beat as in the one before. */
static bool grows_alike(const ss_pipeline_state *p, double tolerance_s)
{
  const ss_pipeline_beat *now = &p->beat[0], *before = &p->beat[1], *first = &p->beat[2];
  bool alike = p->beats >= SS_BEATS_NOTED;
  for (int64_t i = 0; alike && i < now->time_s.count; ++i) {
    const double last_s = now->time_s.number[i] - before->time_s.number[i];
    alike = fabs(last_s - (before->time_s.number[i] - first->time_s.number[i])) <= tolerance_s;
  }
  return alike;
}

/* The streams of all stages are where they were a beat ago, seen from the clock of their stage. */
static bool streams_go_along(ss_pipeline_state *p, double tolerance_s)
{
  bool same = true;
  for (ss_piped_stage *s = p->stage; same && s < p->stage + p->job->stages; ++s)
    same = ss_walk_mark_is_same(s->walk.round_before, s->walk.round_now, tolerance_s);
  return same;
}

/* Beats until the earlier of two times is the later one, of all that are noted. `*changes`: by how much one leads the
 * other changes where that matters, as the second is the later one. */
static double beats_to_cross(const ss_numbers *now, const ss_numbers *before, double tolerance_s, bool *changes)
{
  double beats = now->count == before->count ? INFINITY : 0.0;
  for (int64_t i = 0; i < now->count && beats >= 1.0; ++i) {
    const double lead_s = now->number[i], gain_s = lead_s - before->number[i];
    if (fabs(gain_s) <= tolerance_s) continue;
    if ((lead_s > 0.0) != (before->number[i] > 0.0)) return 0.0;
    if (lead_s * gain_s < 0.0) beats = ss_min(beats, floor(-lead_s / gain_s));
    *changes = *changes || lead_s > 0.0;
  }
  return beats;
}

/* Whether passes take as long whatever is waited for between them: nothing moves beside them. */
static bool takes_waits(const ss_pipeline_state *p, const ss_walk *w)
{
  const ss_walk_mark *before = w->round_before;
  return !ss_job_moves_each_pass(p->job) && before->compute_s >= w->whole_s && before->data_s <= 0.0;
}

/* Beats until a stage waits for something else. It may wait longer for one message each time, and shorter for another.
 */
static double beats_to_choose(const ss_pipeline_state *p, const ss_piped_stage *s, double tolerance_s)
{
  bool waits_change = false;
  const double beats = beats_to_cross(&s->lead, &s->lead_before, tolerance_s, &waits_change);
  return waits_change && !takes_waits(p, &s->walk) ? 0.0 : beats;
}

/* The last beat of a stage. Where waits change, its bubble does as much in each, and since all of the beat takes as
 * long, messages make up for that. */
static ss_lap lap_of(const ss_piped_stage *s, double tolerance_s)
{
  const ss_course_sums *before = &s->beats_before[0];
  const double gain_s = (s->course.bubble_s - before->bubble_s) - (before->bubble_s - s->beats_before[1].bubble_s);
  return (ss_lap){s->walk.round_before, s->walk.round_now, before, 1, fabs(gain_s) > tolerance_s ? gain_s : 0.0};
}

/* How often all stages can go on as in the last beat. */
static int64_t repeats_of(const ss_pipeline_state *p, double tolerance_s)
{
  double times = INFINITY;
  for (const ss_piped_stage *s = p->stage; times >= 1.0 && s < p->stage + p->job->stages; ++s) {
    times = ss_min(times, beats_to_choose(p, s, tolerance_s));
    const ss_lap lap = lap_of(s, tolerance_s);
    times = ss_min(times, (double)ss_pipeline_repeats(p, &s->walk, &lap));
  }
  return (int64_t)times;
}

/* Clocks stand still, so that stages which are slower than the first one come to be behind, and others ahead: returns
 * by how much a time that is noted at `*at`, which moves on. */
static double behind_s(const ss_pipeline_state *p, int64_t times, int64_t *at)
{
  const double *now_s = p->beat[0].time_s.number, *before_s = p->beat[1].time_s.number;
  const int64_t i = (*at)++;
  return (double)times * ((now_s[i] - before_s[i]) - (now_s[0] - before_s[0]));
}

/* In the order of note_times. */
static void move_times(const ss_pipeline_state *p, ss_piped_stage *s, int64_t times, int64_t *at)
{
  ss_walk_delay(&s->walk, behind_s(p, times, at));
  for (int i = 0; i < SS_DIRECTIONS; ++i) s->sending_s[i] += behind_s(p, times, at);
  for (int64_t i = 0; i < p->job->chunks * SS_DIRECTIONS; ++i)
    for (int64_t k = 0; k < ss_inbox_ring_count(&s->inbox[i]); ++k) {
      ss_sent *message = ss_inbox_ring_slot(&s->inbox[i], k);
      message->sent_s += behind_s(p, times, at);
      message->there_s += behind_s(p, times, at);
    }
}

/* Afterwards, places are those of the last note, and so are times but for what they have moved. */
static void skip(ss_pipeline_state *p, int64_t times, double tolerance_s)
{
  int64_t at = 0;
  for (ss_piped_stage *s = p->stage; s < p->stage + p->job->stages; ++s) {
    move_times(p, s, times, &at);
    const ss_lap lap = lap_of(s, tolerance_s);
    ss_pipeline_repeat(p, s, &lap, times);
  }
  for (int64_t i = 0, next = 0; i < at; ++i) p->beat[0].time_s.number[i] += behind_s(p, times, &next);
  p->beats = 1;
}

/* What a stage notes of a beat for the next one. */
static void end_beat(ss_piped_stage *s)
{
  const ss_numbers lead = s->lead_before;
  s->lead_before = s->lead;
  s->lead = lead;
  s->lead.count = 0;
  s->beats_before[1] = s->beats_before[0];
  s->beats_before[0] = ss_course_sums_of(&s->course);
}

void ss_pipeline_pass_drift(ss_pipeline_state *p)
{
  p->beats = 0;
  for (ss_piped_stage *s = p->stage; s < p->stage + p->job->stages; ++s) s->lead.count = 0;
}

bool ss_pipeline_skip_drift(ss_pipeline_state *p, int64_t beat)
{
  const double tolerance_s = SS_SAME_TIME * p->stage[0].walk.compute_s;
  if (ss_walk_writes(&p->stage[0].walk) || p->job->host.active) return false;
  note_beat(p, beat);
  for (int64_t i = 0; i < p->job->stages && p->beats > 1; ++i) ss_walk_mark_next(&p->stage[i].walk);
  int64_t times = 0;
  if (grows_alike(p, tolerance_s) && streams_go_along(p, tolerance_s)) times = repeats_of(p, tolerance_s);
  if (times > 0) skip(p, times, tolerance_s);
  for (int64_t i = 0; i < p->job->stages; ++i) end_beat(&p->stage[i]);
  return times > 0;
}
