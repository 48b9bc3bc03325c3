#include "model/estimate/plain_pipeline.h"

#include "model/base/number.h"
#include "model/estimate/walk_run.h"
#include "model/schedule/schedule.h"

bool ss_plain_pipeline_is(const ss_job *job)
{
  return job->stages > 1 && job->chunks == 1 && job->shape.schedule->one_each && !job->overlaps_messages &&
         !job->shape.pairs && !job->host.active && !ss_job_moves_each_pass(job);
}

/* What a stage waits for those after it, which take `after_s` for a turn each, on the chain through its turns. */
static double wait_s(const ss_job *job, int64_t stage, const ss_stage_time *t, double after_s)
{
  const int64_t n = job->stages - 1 - stage, m = job->micro_batches;
  if (m >= n + 2) return 2.0 * after_s - (double)n * t->busy_s;
  return after_s - (double)(m - 1) * ss_min(t->on_s[SS_PASS_FORWARD], t->on_s[SS_PASS_BACKWARD]);
}

/* Chains through stages of a run with as many turns to the end are as long; only whether they go there twice or once
 * differs. */
double ss_plain_pipeline_least_s(const ss_job *job, const ss_stage_runs *runs)
{
  double before_s = 0.0, after_s = runs->fills_s, longest_s = 0.0;
  for (const ss_stage_run *run = runs->run; run < runs->run + runs->count; ++run) {
    const ss_stage_time *t = run->time;
    const double turns_s = (double)job->micro_batches * t->busy_s;
    const double others_s = before_s + (double)(run->end - 1 - run->first) * t->busy_s;
    const double behind_s = run + 1 < runs->run + runs->count ? after_s - run->fills_s : 0.0;
    const double first_s = wait_s(job, run->first, t, after_s - t->busy_s);
    longest_s = ss_max(longest_s, before_s + turns_s + first_s);
    longest_s = ss_max(longest_s, others_s + turns_s + wait_s(job, run->end - 1, t, behind_s));
    before_s += run->fills_s;
    after_s = behind_s;
  }
  return longest_s;
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
static bool all_wait_long(const ss_job *job, const ss_stage_run *run, const passes *p, double behind_s)
{
  const int64_t last = run->end - 1, turn = job->stages - job->micro_batches;
  const double turn_s = run->time->busy_s;
  bool wait = waits_long(job, last, p, behind_s);
  wait = wait && waits_long(job, run->first, p, behind_s + (double)(last - run->first) * turn_s);
  if (turn > run->first && turn < last)
    wait = wait && waits_long(job, turn, p, behind_s + (double)(last - turn) * turn_s);
  return wait;
}

static bool is_exact(const ss_job *job, const ss_stage_runs *runs)
{
  passes p = {{0.0, 0.0}};
  double behind_s = runs->fills_s;
  bool wait = true;
  for (int64_t i = 0; wait && i < runs->count; ++i) {
    const ss_stage_run *run = &runs->run[i];
    behind_s = i + 1 < runs->count ? behind_s - run->fills_s : 0.0;
    for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass)
      p.longest_s[pass] = ss_max(p.longest_s[pass], run->time->on_s[pass]);
    wait = all_wait_long(job, run, &p, behind_s);
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
} sums;

/* Adds the stages of a run, from `e` on, of a stage like them, or from the beginning. Leaves what the ends add to the
 * first one in `*first`, and to the last in `*e`. */
static void add_run(const ss_job *job, const ss_stage_run *run, ends *e, sums *s, ends *first)
{
  const ss_stage_time *t = run->time;
  bool known = run->like_before || !job->data.active;
  for (int64_t stage = run->first; stage < run->end; known = true) {
    if (known && s->lead_s >= e->there_s) e->first_s = 0.0;
    if (!known || e->first_s > 0.0) *e = ends_of(job, stage, s->lead_s);
    if (stage == run->first) *first = *e;
    const int64_t alike = e->first_s > 0.0 ? 1 : run->end - stage;
    const double last_s = e->last_s + lost_s(e, t);
    s->lead_s += (double)alike * (t->on_s[SS_PASS_FORWARD] + e->first_s);
    s->drain_s += (double)alike * (t->on_s[SS_PASS_BACKWARD] + last_s);
    s->ends_s += (double)alike * (e->first_s + last_s);
    stage += alike;
  }
}

/* The course of a stage, but that its bubble lacks what all stages take together. */
static ss_course course_of(const ss_job *job, const ss_stage_time *t, const ends *e, const sums *before)
{
  const double m = (double)job->micro_batches, lost = lost_s(e, t), back_s = t->sends_s[SS_PASS_BACKWARD];
  ss_course course = {.start_s = before->lead_s,
                      .bubble_s = -before->drain_s - m * t->busy_s - e->first_s - e->last_s - lost,
                      .messages_s = m * (t->sends_s[SS_PASS_FORWARD] + back_s) + lost,
                      .exposed = e->exposed};
  course.exposed.tail_s = ss_max(e->behind_s - back_s, 0.0) + e->rest_s;
  return course;
}

bool ss_plain_pipeline_courses(const ss_job *job, const ss_stage_runs *runs, ss_course *course)
{
  if (!is_exact(job, runs)) return false;
  sums s = {0.0, 0.0, 0.0};
  ends e = {.first_s = 0.0};
  for (int64_t i = 0; i < runs->count; ++i) {
    const sums before = s;
    ends first = e;
    add_run(job, &runs->run[i], &e, &s, &first);
    if (!runs->run[i].like_before) course[i] = course_of(job, runs->run[i].time, &first, &before);
  }
  const double longest_s = ss_plain_pipeline_least_s(job, runs) + s.ends_s;
  for (int64_t i = 0; i < runs->count; ++i)
    if (!runs->run[i].like_before) course[i].bubble_s = ss_max(longest_s + course[i].bubble_s, 0.0);
  return true;
}
