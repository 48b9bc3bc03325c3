#include "sim/campaign/trial.h"

#include <math.h>
#include <stdbool.h>

#include "model/base/number.h"
#include "model/base/random.h"
#include "model/run/spares.h"
#include "sim/campaign/clock.h"
#include "sim/campaign/due.h"

/* Slow parts of a list: when the next one is, when all that nobody takes out are well or switched off, when those that
 * are switched off are mended, and when others are taken out. A part that is to be switched off is slow until then, and
 * no part of its list is faster than it is slow: so times of both hold for all of them. */
typedef struct slow_parts {
  double next_s, until_s, off_until_s;
  ss_due out;
} slow_parts;

typedef struct trial {
  const ss_whole_run *run;
  uint64_t key, draws;
  ss_whole_run_clock clock;
  ss_whole_run_time time;
  double now_s, failure_s; /* now, and the next interruption */
  double speed, grow_s;    /* by the replicas that there are; when there are more */
  slow_parts slow[SS_SLOW_MOST];
  ss_due back;         /* when nodes in repair are back */
  ss_outages *outages; /* listed here; NULL: nobody asks */
  bool complete;       /* there has been memory for all that is due, and listed */
} trial;

static double uniform(trial *t)
{
  return ss_random_uniform(ss_random_key(t->key, t->draws++));
}

/* A time until something that happens at this rate; infinite where it never does. */
static double wait_s(trial *t, double rate_per_s)
{
  return rate_per_s > 0.0 ? -log(uniform(t)) / rate_per_s : INFINITY;
}

static void lose_node(trial *t)
{
  if (!ss_due_add(&t->back, t->now_s - log(uniform(t)) * t->run->repair_s)) t->complete = false;
}

static void take_back(trial *t)
{
  while (ss_due_first_s(&t->back) <= t->now_s) ss_due_drop(&t->back);
}

/* The job stands until then, and nothing of it breaks or becomes slow; what is repaired goes on. */
static void stand_until(trial *t, double time_s)
{
  t->failure_s += time_s - t->now_s;
  for (int i = 0; i < t->run->slows; ++i) t->slow[i].next_s += time_s - t->now_s;
  t->now_s = time_s;
}

/* Lets the time pass until there are nodes for the job to run on. */
static void wait_for_node(trial *t)
{
  const int64_t most = ss_whole_run_most_away(t->run);
  while (t->back.count > most) {
    const double first_s = ss_due_first_s(&t->back);
    t->time.waiting_s += first_s - t->now_s;
    stand_until(t, first_s);
    take_back(t);
  }
}

/* Nodes for the job, or as many as there are. */
static void find_nodes(trial *t)
{
  take_back(t);
  wait_for_node(t);
  const double lacking = (double)(t->back.count - t->run->spares);
  t->speed = ss_whole_run_speed(t->run, ss_spares_replicas(lacking, t->run->replica_nodes));
  t->grow_s = lacking > 0.0 ? ss_due_first_s(&t->back) : INFINITY;
}

/* A node is back: it is taken in. */
static void grow(trial *t)
{
  stand_until(t, t->now_s + t->run->growth_s);
  find_nodes(t);
}

/* An interruption: what is done until the work goes on. */
static double begin_recovery_s(trial *t)
{
  const ss_breakage *breakage = &t->run->breakage;
  const bool node = uniform(t) < breakage->lasting;
  ++t->time.interruptions;
  if (node) lose_node(t);
  find_nodes(t);
  return node ? breakage->node_recovery_s : breakage->recovery_s;
}

/* An interruption, and the recovery, which may be interrupted. */
static void recover(trial *t)
{
  const ss_breakage *breakage = &t->run->breakage;
  const double off_s = t->now_s;
  t->time.lost_s += t->clock.done_s - t->clock.kept_s;
  ss_whole_run_clock_restart(&t->clock);
  double next_s, recovery_s;
  do {
    recovery_s = begin_recovery_s(t);
    next_s = breakage->quiet_recovery ? INFINITY : wait_s(t, breakage->rate_per_s);
    const double spent_s = fmin(next_s, recovery_s);
    t->now_s += spent_s;
    t->time.recovery_s += spent_s;
  } while (next_s < recovery_s);
  t->failure_s = t->now_s + wait_s(t, breakage->rate_per_s);
  if (t->outages != NULL && !ss_outages_add(t->outages, (ss_outage){off_s, t->now_s})) t->complete = false;
}

static void switch_off(trial *t, const ss_slow *slow, double lasts_s, slow_parts *parts)
{
  parts->until_s = fmax(parts->until_s, t->now_s + slow->detection_s);
  parts->off_until_s = fmax(parts->off_until_s, t->now_s + lasts_s);
}

static void become_slow(trial *t, int list)
{
  const ss_slow *slow = &t->run->slow[list];
  slow_parts *parts = &t->slow[list];
  const double lasts_s = -log(uniform(t)) * slow->mean_s;
  const bool out = slow->detection_s > 0.0 && slow->detection_s < lasts_s;
  if (out && !ss_slow_is_of_node(slow->kind))
    switch_off(t, slow, lasts_s, parts);
  else if (!out)
    parts->until_s = fmax(parts->until_s, t->now_s + lasts_s);
  else if (!ss_due_add(&parts->out, t->now_s + slow->detection_s))
    t->complete = false;
  parts->next_s += wait_s(t, slow->rate_per_s);
}

/* Slow parts that were found are taken out with their nodes, one after the other, while all wait. */
static void exclude(trial *t, int list)
{
  ss_due *out = &t->slow[list].out;
  while (ss_due_first_s(out) <= t->now_s) {
    ss_due_drop(out);
    lose_node(t);
    find_nodes(t);
    stand_until(t, t->now_s + t->run->slow[list].exclusion_s);
  }
}

/* Now, by the parts of a list. */
static double speed_by(const trial *t, int list)
{
  const slow_parts *parts = &t->slow[list];
  const ss_slow *slow = &t->run->slow[list];
  if (parts->out.count > 0 || parts->until_s > t->now_s) return slow->speed;
  return parts->off_until_s > t->now_s ? slow->off_speed : 1.0;
}

/* Now, by all parts that are slow: of each kind, by those with which the job is slowest. */
static double speed_of(const trial *t)
{
  double speed = t->speed;
  for (int i = 0; i < t->run->slows;) {
    const ss_slow_kind kind = t->run->slow[i].kind;
    double slowest = 1.0;
    for (; i < t->run->slows && t->run->slow[i].kind == kind; ++i) slowest = fmin(slowest, speed_by(t, i));
    speed *= slowest;
  }
  return speed;
}

/* When a part of a list is slow, well, mended, or taken out next. */
static double next_slow_s(const trial *t, int list)
{
  const slow_parts *parts = &t->slow[list];
  const double well_s = parts->until_s > t->now_s ? parts->until_s : INFINITY;
  const double mended_s = parts->off_until_s > t->now_s ? parts->off_until_s : INFINITY;
  return fmin(fmin(fmin(parts->next_s, well_s), mended_s), ss_due_first_s(&parts->out));
}

static double next_event_s(const trial *t)
{
  double next_s = fmin(t->failure_s, t->grow_s);
  for (int i = 0; i < t->run->slows; ++i) next_s = fmin(next_s, next_slow_s(t, i));
  return next_s;
}

/* What happens to slow parts at this time: the first of it; where they are well there is nothing to do. */
static void change_slow(trial *t, double time_s)
{
  for (int i = 0; i < t->run->slows; ++i)
    if (time_s == t->slow[i].next_s) {
      become_slow(t, i);
      return;
    }
  for (int i = 0; i < t->run->slows; ++i)
    if (time_s == ss_due_first_s(&t->slow[i].out)) {
      exclude(t, i);
      return;
    }
}

/* Goes on to the next event, and lets it happen. */
static void go_on(trial *t)
{
  const double next_s = next_event_s(t);
  t->now_s += ss_whole_run_clock_advance(&t->clock, fmax(0.0, next_s - t->now_s), speed_of(t));
  if (t->clock.stage == SS_WHOLE_RUN_IS_DONE) return;
  t->now_s = fmax(t->now_s, next_s);
  if (next_s == t->failure_s)
    recover(t);
  else if (next_s == t->grow_s)
    grow(t);
  else
    change_slow(t, next_s);
}

static ss_whole_run_time time_of(const trial *t)
{
  const ss_whole_run *run = t->run;
  ss_whole_run_time time = t->time;
  time.total_s = t->now_s;
  time.work_s = run->work_s - run->stalled_s;
  time.stalled_s = run->stalled_s;
  time.paused_s = t->clock.paused_s;
  time.slowed_s =
      ss_left_of(t->now_s, t->now_s - run->work_s - time.paused_s - time.lost_s - time.recovery_s - time.waiting_s);
  return time;
}

ss_status ss_campaign_trial(const ss_whole_run *run, uint64_t key, ss_whole_run_time *time, ss_outages *outages)
{
  trial t = {.run = run,
             .key = key,
             .outages = outages,
             .speed = 1.0,
             .grow_s = INFINITY,
             .clock = {.rhythm = run->rhythm, .work_s = run->work_s},
             .complete = true};
  ss_whole_run_clock_restart(&t.clock);
  t.failure_s = wait_s(&t, run->breakage.rate_per_s);
  for (int i = 0; i < run->slows; ++i)
    t.slow[i].next_s = ss_slow_matters(&run->slow[i]) ? wait_s(&t, run->slow[i].rate_per_s) : INFINITY;
  while (t.complete && t.clock.stage != SS_WHOLE_RUN_IS_DONE) go_on(&t);
  *time = time_of(&t);
  ss_due_free(&t.back);
  for (int i = 0; i < run->slows; ++i) ss_due_free(&t.slow[i].out);
  return t.complete ? SS_OK : SS_ERROR_MEMORY;
}
