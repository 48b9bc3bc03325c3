/* Options of every replay. */
#ifndef STEPSIM_SIM_OPTIONS_REPLAY_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_REPLAY_OPTIONS_H

#include "sim/engine/replay.h"
#include "sim/options/option.h"

typedef struct ss_replay_choice {
  ss_flow_mode flows;
  ss_fold fold;
  int64_t seed;
  bool has_seed;    /* it was given */
  ss_budget budget; /* of the machine that this runs on */
} ss_replay_choice;

/* The rows, of which the last one has no name. */
extern const ss_option ss_replay_option_rows[];

/* What the options say of a replay, for ss_replay. */
ss_replay_options ss_replay_options_of(const ss_replay_choice *choice);

#endif
