#include "model/run/slow.h"

#include <math.h>

static const struct {
  const char *label, *key, *property;
  bool of_node;
} kinds[SS_SLOW_KINDS] = {
#define SLOW_ROW(id, label, key, property, of_node) {label, key, property, of_node},
    SS_SLOW_LIST(SLOW_ROW)
#undef SLOW_ROW
};

const char *ss_slow_label(ss_slow_kind kind)
{
  return kinds[kind].label;
}

const char *ss_slow_key(ss_slow_kind kind)
{
  return kinds[kind].key;
}

const char *ss_slow_property(ss_slow_kind kind)
{
  return kinds[kind].property;
}

bool ss_slow_is_of_node(ss_slow_kind kind)
{
  return kinds[kind].of_node;
}

static bool is_found(const ss_slow *slow)
{
  return slow->detection_s > 0.0 && slow->mean_s > 0.0;
}

double ss_slow_stays_s(const ss_slow *slow)
{
  return slow->mean_s * (is_found(slow) ? -expm1(-slow->detection_s / slow->mean_s) : 1.0);
}

bool ss_slow_matters(const ss_slow *slow)
{
  return ss_slow_is_of_node(slow->kind) || slow->speed < 1.0;
}

double ss_slow_out_per_s(const ss_slow *slow)
{
  if (!is_found(slow) || !ss_slow_is_of_node(slow->kind)) return 0.0;
  return slow->rate_per_s * exp(-slow->detection_s / slow->mean_s);
}

/* A state that parts of a list are in: slow, or switched off. */
typedef struct state {
  double well, speed; /* the share of the time in which no part is in it; of the job while one is */
} state;

/* Adds a state, the slowest first. */
static void add_state(state *states, int *count, state added)
{
  int at = (*count)++;
  for (; at > 0 && states[at - 1].speed > added.speed; --at) states[at] = states[at - 1];
  states[at] = added;
}

/* The mean over the states of a kind: the slowest one counts that some part is in. */
static double mean_of(const state *states, int count)
{
  double speed = 0.0, faster = 1.0;
  for (int i = 0; i < count; ++i) {
    speed += faster * (1.0 - states[i].well) * states[i].speed;
    faster *= states[i].well;
  }
  return speed + faster;
}

double ss_slow_mean_speed(const ss_slow *slow, int count)
{
  state states[2 * SS_SLOW_MOST];
  double speed = 1.0;
  for (int i = 0; i < count;) {
    const ss_slow_kind kind = slow[i].kind;
    int of_kind = 0;
    for (; i < count && slow[i].kind == kind; ++i) {
      const double stays_s = ss_slow_stays_s(&slow[i]);
      if (!ss_slow_matters(&slow[i])) continue;
      add_state(states, &of_kind, (state){exp(-slow[i].rate_per_s * stays_s), slow[i].speed});
      if (is_found(&slow[i]) && !ss_slow_is_of_node(kind))
        add_state(states, &of_kind, (state){exp(-slow[i].rate_per_s * (slow[i].mean_s - stays_s)), slow[i].off_speed});
    }
    speed *= mean_of(states, of_kind);
  }
  return speed;
}
