/* One point of a sweep: its inputs, the strategy that is chosen for it, and the replays. */
#ifndef STEPSIM_SIM_SESSION_SWEEP_POINT_H
#define STEPSIM_SIM_SESSION_SWEEP_POINT_H

#include "sim/options/options.h"
#include "sim/session/session.h"

/* What all points of a sweep have in common. */
typedef struct ss_point_plan {
  const ss_options *options;
  const ss_session *base; /* inputs, with what --set changes */
  const ss_sweep *sweep;
  unsigned pins;     /* sizes that are varied, and so not chosen */
  ss_knob_set knobs; /* that are chosen */
} ss_point_plan;

/* What a point comes to, as plain bytes: the same as ss_sweep_point. */
typedef struct ss_point_outcome {
  bool refused, too_large;
  bool searched; /* where it is refused, by a search that found nothing */
  char refusal[SS_ERROR_TEXT_SIZE];
  char platform[SS_NAME_SIZE];
  ss_calibration calibration;
  ss_replayed_set only_replayed;
  ss_interval interval;
  int64_t gpus;
  double dollars;
  ss_tariff tariff;
  int64_t count, best;
  ss_strategy top[]; /* [count] with room for ss_point_contest */
} ss_point_outcome;

/* How many strategies of a point are kept, at least 1. */
int64_t ss_point_contest(const ss_sweep_options *options);

/* Bytes of an outcome with room for that many. */
size_t ss_point_outcome_size(const ss_sweep_options *options);

/* Refuses what is wrong at every point: names that do not exist, values that they never take, and what is varied as
 * well as chosen. SS_ERROR_INPUT. */
ss_status ss_point_check(const ss_point_plan *plan, ss_error *error);

/* What a point depends on beside the options: its inputs, begun, and the number of GPUs that is asked for, 0 for none.
 * Release the session with ss_session_close in any case. Errors as from ss_machine_load and ss_override. */
ss_status ss_point_inputs(const ss_point_plan *plan, int64_t point, ss_session *session, int64_t *gpus,
                          ss_error *error);

/* Works a point out into an outcome that is all zero. Input that this point refuses is part of the outcome; errors are
 * those of the replay and SS_ERROR_MEMORY. */
ss_status ss_point_work(const ss_point_plan *plan, int64_t point, ss_point_outcome *outcome, ss_error *error);

#endif
