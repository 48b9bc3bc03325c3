/* The replays of `run` beside its first: more trials, the machine without each of its slow parts, and better machines.
 */
#ifndef STEPSIM_SIM_SESSION_TRIALS_H
#define STEPSIM_SIM_SESSION_TRIALS_H

#include "model/estimate/upgrade.h"
#include "model/input/slow_parts.h"
#include "model/result/trials.h"
#include "sim/options/options.h"
#include "sim/session/session.h"

typedef struct ss_variants {
  ss_trials trials; /* filled for several trials */
  ss_slow_parts slow_parts;
  bool upgraded; /* replayed on all better machines, too */
  double upgraded_s[SS_UPGRADES];
} ss_variants;

/* Refuses several trials, and a seed, where nothing is random. SS_ERROR_INPUT. */
ss_status ss_variants_check(const ss_session *session, const ss_options *options, ss_error *error);

/* What they all have in common; `first` is the replay that has run: the first trial, on the machine with all its slow
 * parts. */
typedef struct ss_variant_plan {
  const ss_session *session;
  const ss_options *options;
  const ss_job *co_scheduled; /* another job on the machine; or NULL */
  const ss_replay_result *first;
  bool upgrades; /* replays on better machines, too, unless they would take long or exceed the budget; of the first
                    process of a job */
} ss_variant_plan;

/* Runs them all, on all cores, and points the prediction to what came out. Errors as from ss_replay and ss_crew_run.
 * Free in any case; the variants must stay where they are. */
ss_status ss_variants_run(ss_variants *variants, const ss_variant_plan *plan, ss_prediction *prediction,
                          ss_error *error);
void ss_variants_free(ss_variants *variants);

#endif
