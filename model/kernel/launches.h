/* What the host of a GPU does: an eager framework launches each kernel from the CPU, which takes it some microseconds,
 * and does not wait for it; the GPU runs kernels in that order, none before it is launched. */
#ifndef STEPSIM_MODEL_KERNEL_LAUNCHES_H
#define STEPSIM_MODEL_KERNEL_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/kernel/activity.h"

/* Work that is launched, and run, one piece after the other. When the host comes to it at h, and the GPU at g, the GPU
 * is through at max(g + lag_s, h + start_s) + gpu_s, and the host at max(g + caught_s, h + host_s). Only where the host
 * waits for the GPU on the way, does g count for the host, and can the GPU wait for what the host does after that. */
typedef struct ss_launches {
  double host_s;   /* to launch it all */
  double caught_s; /* the host is through no earlier than so long after g; -infinity if it never waits */
  double start_s;  /* with the first piece no earlier than so long after h, none after it waits for its launch */
  double lag_s;    /* or so long after g; 0 if the host never waits */
  double gpu_s;    /* to run it all */
  double count;    /* of launches */
} ss_launches;

/* No work. */
ss_launches ss_launches_none(void);

/* A piece of so many launches, which starts when all are done. */
ss_launches ss_launches_one(double count, double host_s, double gpu_s);

/* The same, where the host first waits until the GPU is through with all before it. */
ss_launches ss_launches_synced(ss_launches piece);

/* `a`, and behind it `b`. */
ss_launches ss_launches_then(ss_launches a, ss_launches b);

/* How long the GPU waits for the host, when it comes to such work at `gpu_s` and the host at *host_s, which becomes
 * when the host is through. */
double ss_launches_wait(const ss_launches *launches, double gpu_s, double *host_s);

/* Launches of the kernels of an activity, forward or backward: one, unless a framework does it in several steps. */
int64_t ss_launch_count(ss_activity activity, bool backward);

/* The same of a softmax with its scale and mask where the fused kernel does not take the heads. */
int64_t ss_launch_count_softmax_unfused(bool backward);

#endif
