#include "sim/campaign/trial.h"

#include <math.h>
#include <stdbool.h>

#include "model/base/random.h"
#include "model/run/spares.h"
#include "sim/campaign/clock.h"

/* Nodes that can be in repair, and GPUs that can be slow, at once; there are no more. */
enum { MOST = 1024 };

typedef struct trial {
  const ss_whole_run *run;
  uint64_t key, draws;
  ss_whole_run_clock clock;
  ss_whole_run_time time;
  double now_s, failure_s, slow_s; /* now, and the next interruption and slow GPU */
  double speed, grow_s;            /* by the replicas that there are; when there are more */
  double back_s[MOST];             /* [away] when nodes are back */
  double well_s[MOST];             /* [slow] when slow GPUs are well, or out */
  bool out[MOST];                  /* [slow] they are taken out then */
  int64_t away, slow;
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
  if (uniform(t) >= t->run->lasting || t->away == MOST) return;
  t->back_s[t->away++] = t->now_s - log(uniform(t)) * t->run->repair_s;
}

static void take_back(trial *t)
{
  int64_t left = 0;
  for (int64_t i = 0; i < t->away; ++i)
    if (t->back_s[i] > t->now_s) t->back_s[left++] = t->back_s[i];
  t->away = left;
}

static double first_back_s(const trial *t)
{
  double first_s = INFINITY;
  for (int64_t i = 0; i < t->away; ++i) first_s = fmin(first_s, t->back_s[i]);
  return first_s;
}

/* Lets the time pass until there are spares again. */
static void wait_for_node(trial *t)
{
  while (t->away > t->run->spares) {
    const double first_s = first_back_s(t);
    t->time.waiting_s += first_s - t->now_s;
    t->now_s = first_s;
    take_back(t);
  }
}

/* Nodes for the job, or as many as there are. */
static void find_nodes(trial *t)
{
  take_back(t);
  if (!t->run->shrinks) {
    wait_for_node(t);
    return;
  }
  const double lacking = (double)(t->away - t->run->spares);
  t->speed = ss_whole_run_speed(t->run, ss_spares_replicas(lacking, t->run->replica_nodes));
  t->grow_s = lacking > 0.0 ? first_back_s(t) : INFINITY;
}

/* A node is back: it is taken in. */
static void grow(trial *t)
{
  t->now_s += t->run->growth_s;
  find_nodes(t);
}

/* An interruption, and the recovery, which may be interrupted. */
static void recover(trial *t)
{
  const ss_breakage *breakage = &t->run->breakage;
  t->time.lost_s += t->clock.done_s - t->clock.kept_s;
  ss_whole_run_clock_restart(&t->clock);
  double next_s, spent_s;
  do {
    ++t->time.interruptions;
    lose_node(t);
    find_nodes(t);
    next_s = breakage->quiet_recovery ? INFINITY : wait_s(t, breakage->rate_per_s);
    spent_s = fmin(next_s, breakage->recovery_s);
    t->now_s += spent_s;
    t->time.recovery_s += spent_s;
  } while (next_s < breakage->recovery_s);
  t->failure_s = t->now_s + wait_s(t, breakage->rate_per_s);
}

static void become_slow(trial *t)
{
  const ss_slow *slow = &t->run->slow;
  const double lasts_s = -log(uniform(t)) * slow->mean_s;
  const bool out = slow->detection_s > 0.0 && slow->detection_s < lasts_s;
  if (t->slow < MOST) {
    t->out[t->slow] = out;
    t->well_s[t->slow++] = t->now_s + (out ? slow->detection_s : lasts_s);
  }
  t->slow_s += wait_s(t, slow->rate_per_s);
}

/* Slow GPUs whose time has come are well, or taken out, while all wait. */
static void become_well(trial *t)
{
  int64_t left = 0, out = 0;
  for (int64_t i = 0; i < t->slow; ++i)
    if (t->well_s[i] > t->now_s) {
      t->out[left] = t->out[i];
      t->well_s[left++] = t->well_s[i];
    } else if (t->out[i]) {
      ++out;
    }
  t->slow = left;
  t->now_s += (double)out * t->run->slow.exclusion_s;
}

static double next_well_s(const trial *t)
{
  double first_s = INFINITY;
  for (int64_t i = 0; i < t->slow; ++i) first_s = fmin(first_s, t->well_s[i]);
  return first_s;
}

/* Goes on to the next event, and lets it happen. */
static void go_on(trial *t)
{
  const double speed = t->speed * (t->slow > 0 ? t->run->slow.speed : 1.0);
  const double next_s = fmin(fmin(t->failure_s, t->grow_s), fmin(t->slow_s, next_well_s(t)));
  t->now_s += ss_whole_run_clock_advance(&t->clock, fmax(0.0, next_s - t->now_s), speed);
  if (t->clock.stage == SS_WHOLE_RUN_IS_DONE) return;
  t->now_s = fmax(t->now_s, next_s);
  if (next_s == t->failure_s)
    recover(t);
  else if (next_s == t->grow_s)
    grow(t);
  else if (next_s == t->slow_s)
    become_slow(t);
  else
    become_well(t);
}

ss_whole_run_time ss_campaign_trial(const ss_whole_run *run, uint64_t key)
{
  trial t = {.run = run,
             .key = key,
             .speed = 1.0,
             .grow_s = INFINITY,
             .clock = {.rhythm = run->rhythm, .work_s = run->work_s}};
  ss_whole_run_clock_restart(&t.clock);
  t.failure_s = wait_s(&t, run->breakage.rate_per_s);
  t.slow_s = wait_s(&t, run->slow.rate_per_s);
  while (t.clock.stage != SS_WHOLE_RUN_IS_DONE) go_on(&t);
  ss_whole_run_time *time = &t.time;
  time->total_s = t.now_s;
  time->work_s = run->work_s;
  time->paused_s = t.clock.paused_s;
  time->slowed_s = t.now_s - run->work_s - time->paused_s - time->lost_s - time->recovery_s - time->waiting_s;
  return *time;
}
