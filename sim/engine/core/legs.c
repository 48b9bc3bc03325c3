#include "sim/engine/core/legs.h"

#include <math.h>

/* A collective begins or ends. */
static void share(ss_leg_walk *walk, double rate)
{
  if (!walk->kernel.active || rate == walk->kernel.rate) return;
  walk->kernel.left_s = fmax(walk->kernel.left_s - (walk->time_s - walk->kernel.since_s) * walk->kernel.rate, 0.0);
  walk->kernel.rate = rate;
  walk->kernel.since_s = walk->time_s;
  walk->kernel.due_s = walk->time_s + walk->kernel.left_s / rate;
}

static void begin_kernel(ss_leg_walk *walk, double alone_s)
{
  walk->kernel.active = true;
  walk->kernel.left_s = walk->kernel.alone_s = alone_s;
  walk->kernel.rate = 1.0;
  walk->kernel.since_s = walk->kernel.start_s = walk->time_s;
  walk->kernel.due_s = walk->time_s + alone_s;
}

static void end_kernel(ss_leg_walk *walk, double end_s)
{
  walk->kernel.active = false;
  walk->slowed_s += fmax(end_s - walk->kernel.start_s - walk->kernel.alone_s, 0.0);
}

/* The kernel ends before the leg does, or both at once: its timer was set before that of the leg, so that it is the
 * first to ring. (The same with flows, which are alone on their links and end by an alarm.) */
static void end_until_now(ss_leg_walk *walk)
{
  if (!walk->kernel.active || walk->kernel.due_s >= walk->time_s + walk->tie_s) return;
  const bool at_once = walk->time_s < walk->kernel.due_s + walk->tie_s;
  if (at_once) walk->time_s = fmax(walk->time_s, walk->kernel.due_s);
  end_kernel(walk, at_once ? walk->time_s : walk->kernel.due_s);
}

void ss_leg_walk_beside(ss_leg_walk *walk, const ss_leg *leg)
{
  if (leg->beside & SS_LEG_KERNEL) begin_kernel(walk, leg->kernel_s);
  if (leg->beside & SS_LEG_CALL_BEGINS) share(walk, leg->rate);
  walk->time_s += leg->time_s;
  end_until_now(walk);
  if (leg->beside & SS_LEG_CALL_ENDS) share(walk, 1.0);
  if (!(leg->beside & SS_LEG_JOINS) || !walk->kernel.active) return;
  walk->time_s = walk->kernel.due_s;
  end_kernel(walk, walk->time_s);
}
