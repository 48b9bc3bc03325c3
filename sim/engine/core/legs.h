/* Goes through the legs of a quiet run (step.h) at the times that events would come to, to the last bit: sums are those
 * of ss_kernels_share and of transfers, in their order. Only where a collective ends hardly more than tie_s before the
 * kernel beside it may they be apart, by less than tie_s: the kernel's timer as it was until then is an event, too. */
#ifndef STEPSIM_SIM_ENGINE_CORE_LEGS_H
#define STEPSIM_SIM_ENGINE_CORE_LEGS_H

#include "sim/engine/core/step.h"

/* Begins with time_s and tie_s, all else zero. */
typedef struct ss_leg_walk {
  double time_s; /* the end of the last leg */
  double tie_s;  /* what is less than this apart is simultaneous */
  struct {
    bool active;
    double left_s, rate, since_s, due_s, start_s, alone_s; /* as in ss_kernel_run */
  } kernel;                                                /* that has collectives beside it */
  double slowed_s;                                         /* what these cost kernels so far */
} ss_leg_walk;

/* Goes to the end of a leg that has a kernel beside it. */
void ss_leg_walk_beside(ss_leg_walk *walk, const ss_leg *leg);

/* Goes to the end of a leg. */
static inline void ss_leg_walk_go(ss_leg_walk *walk, const ss_leg *leg)
{
  if (leg->beside == 0)
    walk->time_s += leg->time_s;
  else
    ss_leg_walk_beside(walk, leg);
}

/* The same where its kernels take so much longer. */
static inline void ss_leg_walk_go_longer(ss_leg_walk *walk, const ss_leg *leg, double longer_s)
{
  if (leg->beside == 0) {
    walk->time_s += leg->time_s + longer_s;
    return;
  }
  ss_leg drawn = *leg;
  *(leg->beside & SS_LEG_KERNEL ? &drawn.kernel_s : &drawn.time_s) += longer_s;
  ss_leg_walk_beside(walk, &drawn);
}

#endif
