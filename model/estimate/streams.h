/* The compute and the data stream of a stage while blocks are gone through. */
#ifndef STEPSIM_MODEL_ESTIMATE_STREAMS_H
#define STEPSIM_MODEL_ESTIMATE_STREAMS_H

#include "model/base/number.h"
#include "model/estimate/walk.h"

/* On their own, so that they stay in registers. */
typedef struct ss_streams {
  double compute_s, data_s, data_margin_s; /* as in ss_walk */
} ss_streams;

static inline ss_streams ss_streams_of(const ss_walk *w)
{
  const ss_streams streams = {w->compute_s, w->data_s, w->data_margin_s};
  return streams;
}

static inline void ss_streams_keep(const ss_streams *s, ss_walk *w)
{
  w->compute_s = s->compute_s;
  w->data_s = s->data_s;
  w->data_margin_s = s->data_margin_s;
}

/* Runs a collective when the data stream is free. */
static inline void ss_streams_run(ss_streams *s, double time_s)
{
  s->data_margin_s = ss_min(s->data_margin_s, s->data_s - s->compute_s);
  s->data_s = ss_max(s->data_s, s->compute_s) + time_s;
}

/* What a pass of a block loses to the data stream, and the other way round. */
typedef struct ss_loss {
  double slowed_s; /* kernels */
  double shared_s; /* collectives on the same links */
  double delay_s;  /* the data stream to these */
} ss_loss;

/* The same of one that starts now, while the data stream is busy; `shares`: ss_walk.shares_links. */
static inline ss_loss ss_streams_loss(ss_streams *s, const ss_kind_time *time, ss_pass pass, bool shares)
{
  ss_loss lost = {time->loss_s[pass], shares ? time->shared_s[pass] : 0.0, shares ? time->delay_s[pass] : 0.0};
  const ss_loss nothing = {0.0, 0.0, 0.0};
  if (lost.slowed_s <= 0.0 && lost.shared_s <= 0.0) return nothing;
  const double busy_s = ss_max(s->data_s - s->compute_s, 0.0);
  s->data_margin_s = ss_min(s->data_margin_s, busy_s - time->beside_s[pass]);
  if (busy_s <= 0.0) return nothing;
  if (busy_s < time->beside_s[pass]) {
    const double share = busy_s * time->per_beside[pass];
    lost.slowed_s *= share;
    if (shares) lost.shared_s *= share;
    if (shares) lost.delay_s *= share;
  }
  if (shares) s->data_s += lost.delay_s;
  return lost;
}

/* Lets compute wait until `ready_s`; returns how long that is. */
static inline double ss_streams_wait(ss_streams *s, double ready_s)
{
  if (ready_s <= s->compute_s) return 0.0;
  const double wait_s = ready_s - s->compute_s;
  s->compute_s += wait_s;
  return wait_s;
}

#endif
