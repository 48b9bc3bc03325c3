/* What the host of a GPU does: an eager framework launches each kernel from the CPU, which takes it some microseconds,
 * and does not wait for it; the GPU runs kernels in that order, none before it is launched. */
#ifndef STEPSIM_MODEL_KERNEL_LAUNCHES_H
#define STEPSIM_MODEL_KERNEL_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/kernel/activity.h"

/* Work that is launched, and run, one piece after the other. When the host comes to it at h, and the GPU at g, the GPU
 * is through at max(g, h + start_s) + gpu_s, and the host at h + host_s. */
typedef struct ss_launches {
  double host_s;  /* to launch it all */
  double start_s; /* with the first piece no earlier than so long after h, none after it waits for its launch */
  double gpu_s;   /* to run it all */
  double count;   /* of launches */
} ss_launches;

/* No work. */
ss_launches ss_launches_none(void);

/* A piece of so many launches, which starts when all are done. */
ss_launches ss_launches_one(double count, double host_s, double gpu_s);

/* `a`, and behind it `b`. */
ss_launches ss_launches_then(ss_launches a, ss_launches b);

/* Launches of the kernels of an activity, forward or backward: one, unless a framework does it in several steps. */
int64_t ss_launch_count(ss_activity activity, bool backward);

/* The same of a softmax with its scale and mask where the fused kernel does not take the heads. */
int64_t ss_launch_count_softmax_unfused(bool backward);

#endif
