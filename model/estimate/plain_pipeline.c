#include "model/estimate/plain_pipeline.h"

#include "model/base/number.h"
#include "model/estimate/walk_run.h"
#include "model/schedule/schedule.h"

/* A first stage of which nothing is trained waits for no gradient. */
static bool gradients_come_back(const ss_job *job)
{
  ss_chunk to;
  return ss_job_receiver(job, (ss_chunk){.stage = 1}, SS_PASS_BACKWARD, &to);
}

bool ss_plain_pipeline_is(const ss_job *job)
{
  return job->stages > 1 && job->chunks == 1 && gradients_come_back(job) && job->shape.schedule->one_each &&
         !job->overlaps_messages && !job->shape.pairs && !job->host.active && !ss_job_moves_each_pass(job);
}

/* What a stage waits for those after it, which take `after_s` for a turn each, on the chain through its turns. */
static double wait_s(const ss_job *job, int64_t stage, const ss_stage_time *t, double after_s)
{
  const int64_t n = job->stages - 1 - stage, m = job->micro_batches;
  if (m >= n + 2) return 2.0 * after_s - (double)n * t->busy_s;
  return after_s - (double)(m - 1) * ss_min(t->on_s[SS_PASS_FORWARD], t->on_s[SS_PASS_BACKWARD]);
}

/* On the way through the runs: of a stretch whose runs come more than twice, the first and the last time, as what is
 * between grows from one to the other with each. */
typedef struct spot {
  const ss_stage_run *run;
  int64_t first, last;        /* of its stages, this time */
  double before_s, behind_s;  /* turns of the stages before it, and of those behind it */
  const ss_stage_stretch *in; /* NULL: before the first one */
  int64_t time;               /* of its stretch, from 0 on */
} spot;

/* Comes to the first run of the stretch, or to that of its last time. */
static void begin_time(spot *s, int64_t time)
{
  const int64_t between = time > 0 ? time - 1 - s->time : 0;
  s->before_s += (double)between * s->in->fills_s;
  s->behind_s -= (double)between * s->in->fills_s;
  s->time = time;
  s->run = s->in->run;
}

/* Goes to the next run. Returns false when there is none. */
static bool next_spot(const ss_stage_runs *runs, spot *s)
{
  const bool begins = s->in == NULL;
  if (!begins) s->before_s += s->run->fills_s;
  if (begins) {
    *s = (spot){.in = runs->stretch, .run = runs->stretch->run, .behind_s = runs->fills_s};
  } else if (++s->run == s->in->run + s->in->count) {
    if (s->time + 1 < s->in->times) {
      begin_time(s, s->in->times - 1);
    } else {
      if (++s->in == runs->stretch + runs->stretches) return false;
      begin_time(s, 0);
    }
  }
  const int64_t shift = s->time * s->in->stages;
  s->first = s->run->first + shift;
  s->last = s->run->end - 1 + shift;
  s->behind_s = s->run + 1 < runs->run + runs->count ? s->behind_s - s->run->fills_s : 0.0;
  return true;
}

/* The longest passes of the stages so far, with their messages. */
typedef struct passes {
  double longest_s[SS_PASS_WEIGHT];
} passes;

/* A stage has done what it does meanwhile when its first gradient comes, and when its last one does. */
static bool waits_long(const ss_job *job, int64_t stage, const passes *p, double after_s)
{
  const int64_t n = job->stages - 1 - stage, most = job->micro_batches - 1;
  const double longest_s = ss_max(p->longest_s[SS_PASS_FORWARD], p->longest_s[SS_PASS_BACKWARD]);
  return (double)(n < most ? n : most) * longest_s <= after_s;
}

/* The same of all stages of a run: what a stage does meanwhile grows with the stages after it, up to all micro-batches.
 */
static bool all_wait_long(const ss_job *job, const spot *s, const passes *p)
{
  const int64_t turn = job->stages - job->micro_batches;
  const double turn_s = s->run->time->busy_s;
  bool wait = waits_long(job, s->last, p, s->behind_s);
  wait = wait && waits_long(job, s->first, p, s->behind_s + (double)(s->last - s->first) * turn_s);
  if (turn > s->first && turn < s->last)
    wait = wait && waits_long(job, turn, p, s->behind_s + (double)(s->last - turn) * turn_s);
  return wait;
}

/* Chains through stages of a run with as many turns to the end are as long; only whether they go there twice or once
 * differs. */
static double longest_of(const ss_job *job, const spot *s)
{
  const ss_stage_time *t = s->run->time;
  const double turns_s = (double)job->micro_batches * t->busy_s, others_s = (double)(s->last - s->first) * t->busy_s;
  const double first_s = s->before_s + turns_s + wait_s(job, s->first, t, s->behind_s + others_s);
  if (s->first == s->last) return first_s;
  return ss_max(first_s, s->before_s + others_s + turns_s + wait_s(job, s->last, t, s->behind_s));
}

double ss_plain_pipeline_least_s(const ss_job *job, const ss_stage_runs *runs)
{
  double longest_s = 0.0;
  for (spot s = {.in = NULL}; next_spot(runs, &s);) longest_s = ss_max(longest_s, longest_of(job, &s));
  return longest_s;
}

/* The same, and whether it is exact: else less than that. */
static bool is_exact(const ss_job *job, const ss_stage_runs *runs, double *longest_s)
{
  passes p = {{0.0, 0.0}};
  bool wait = true;
  *longest_s = 0.0;
  for (spot s = {.in = NULL}; wait && next_spot(runs, &s);) {
    for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass)
      p.longest_s[pass] = ss_max(p.longest_s[pass], s.run->time->on_s[pass]);
    wait = all_wait_long(job, &s, &p);
    *longest_s = ss_max(*longest_s, longest_of(job, &s));
  }
  return wait;
}

/* What the ends of an iteration add to a stage, but for its last message. */
typedef struct ends {
  double first_s;  /* to its first forward pass: waiting for its weights, and beside gathers */
  double there_s;  /* that gathers of all of these take: who starts later has lost nothing */
  double last_s;   /* to its last backward pass: beside reductions */
  double behind_s; /* that reductions are under way when that is over */
  double nic;      /* share of this that they move bytes on NICs */
  double rest_s;   /* of reductions that wait for all passes */
  ss_exposure exposed;
} ends;

static double shown_s(const ss_walk *w)
{
  return w->exposed.data_s + w->exposed.slowed_s;
}

/* Goes through the first forward and the last backward pass of a stage that starts `lead_s` after its gathers. All
 * weights are there when the first pass is over, so that it does not matter what is between the two. */
static ends ends_of(const ss_job *job, int64_t stage, double lead_s)
{
  const ss_work forward = {.pass = SS_PASS_FORWARD}, backward = {.pass = SS_PASS_BACKWARD};
  const ss_scratch_mark before = ss_scratch_now(job->scratch);
  ss_walk w;
  ss_walk_init(&w, job, stage, 1, NULL);
  ss_walk_slow_down(&w);
  ss_walk_start(&w, lead_s);
  ends e = {.there_s = w.whole_s + lead_s, .nic = w.data_nic};
  ss_walk_pass(&w, &forward);
  e.first_s = shown_s(&w);
  ss_walk_pass(&w, &backward);
  e.last_s = shown_s(&w) - e.first_s;
  e.behind_s = ss_max(w.data_s - w.compute_s, 0.0);
  ss_walk_finish(&w);
  e.rest_s = w.exposed.tail_s - e.behind_s;
  e.exposed = w.exposed;
  ss_walk_free(&w);
  ss_scratch_return(job->scratch, before);
  return e;
}

/* That the last message of a stage and its reductions lose to one another (ss_share_with_message). */
static double lost_s(const ends *e, const ss_stage_time *t)
{
  return e->nic * ss_min(e->behind_s, t->back_nic_s);
}

/* On the way through the stages. */
typedef struct sums {
  double lead_s;  /* until the next stage starts */
  double drain_s; /* that it is done with its passes earlier than the first one */
  double ends_s;  /* what the ends add to all so far */
  ends last;      /* of the last stage; zeroed before the first one */
} sums;

/* The course of a stage whose ends are known already, but that its bubble lacks what all stages take together. */
static ss_course course_of(const ss_job *job, const ss_stage_time *t, const sums *before)
{
  const ends *e = &before->last;
  const double m = (double)job->micro_batches, lost = lost_s(e, t), back_s = t->sends_s[SS_PASS_BACKWARD];
  ss_course course = {.start_s = before->lead_s,
                      .bubble_s = -before->drain_s - m * t->busy_s - e->first_s - e->last_s - lost,
                      .messages_s = m * (t->sends_s[SS_PASS_FORWARD] + back_s) + lost,
                      .exposed = e->exposed};
  course.exposed.tail_s = ss_max(e->behind_s - back_s, 0.0) + e->rest_s;
  return course;
}

/* Adds the stages of a run that comes so many times in a row; if each has to be looked at, it comes once, so many
 * stages behind its own. Leaves the course of its first stage in `*course`, if that is not like the one before. */
static void add_run(const ss_job *job, const ss_stage_run *run, int64_t times, int64_t shift, sums *s,
                    ss_course *course)
{
  const ss_stage_time *t = run->time;
  ends *e = &s->last;
  bool known = run->like_before || !job->data.active;
  for (int64_t stage = run->first; stage < run->end; known = true) {
    if (known && s->lead_s >= e->there_s) e->first_s = 0.0;
    if (!known || e->first_s > 0.0) *e = ends_of(job, stage + shift, s->lead_s);
    if (stage == run->first && !run->like_before) *course = course_of(job, t, s);
    const int64_t alike = e->first_s > 0.0 ? 1 : run->end - stage;
    const double last_s = e->last_s + lost_s(e, t), stages = (double)(times * alike);
    s->lead_s += stages * (t->on_s[SS_PASS_FORWARD] + e->first_s);
    s->drain_s += stages * (t->on_s[SS_PASS_BACKWARD] + last_s);
    s->ends_s += stages * (e->first_s + last_s);
    stage += alike;
  }
}

/* The same of a stretch. The runs of one that comes more than once are like those before: when its weights are there at
 * its first stage, they are at all others. */
static void add_stretch(const ss_job *job, const ss_stage_stretch *stretch, sums *s, ss_course *course)
{
  for (int64_t done = 0, times; done < stretch->times; done += times) {
    times = s->last.first_s <= 0.0 || s->lead_s >= s->last.there_s ? stretch->times - done : 1;
    for (int64_t i = 0; i < stretch->count; ++i)
      add_run(job, &stretch->run[i], times, done * stretch->stages, s, &course[i]);
  }
}

bool ss_plain_pipeline_courses(const ss_job *job, const ss_stage_runs *runs, ss_course *course)
{
  double longest_s;
  if (!is_exact(job, runs, &longest_s)) return false;
  sums s = {.lead_s = 0.0};
  for (const ss_stage_stretch *stretch = runs->stretch; stretch < runs->stretch + runs->stretches; ++stretch)
    add_stretch(job, stretch, &s, &course[stretch->run - runs->run]);
  longest_s += s.ends_s;
  for (int64_t i = 0; i < runs->count; ++i)
    if (!runs->run[i].like_before) course[i].bubble_s = ss_max(longest_s + course[i].bubble_s, 0.0);
  return true;
}
