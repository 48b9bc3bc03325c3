/* A candidate with its time and memory. */
#ifndef STEPSIM_MODEL_SEARCH_STRATEGY_H
#define STEPSIM_MODEL_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"
#include "model/result/prediction.h"
#include "model/search/space.h"

/* A candidate that fits. */
typedef struct ss_strategy {
  ss_candidate candidate;
  ss_breakdown estimate;
  ss_memory memory;       /* of the fullest stage */
  int64_t sizes, variant; /* place in the order of enumeration */
  double model_flop;      /* of an iteration: forward and backward of the model, nothing twice, over all GPUs */
  double peak_flop_per_s; /* of the matrix units of all these GPUs */
  double tokens;          /* of an iteration */
  double parameters;      /* of the model */
  bool simulated;         /* the next two are filled: not by the search */
  ss_breakdown simulation;
  ss_shortcuts shortcuts; /* of the replay */
} ss_strategy;

/* The iteration by the replay where there is one, else by the closed form. */
double ss_strategy_time_s(const ss_strategy *strategy);

/* Fills in the memory of a job of this strategy, which does not depend on the placement. */
void ss_strategy_weigh(ss_strategy *strategy, const ss_job *job);

/* Fills in the time of the closed form of a job of this strategy, which depends on the placement. */
void ss_strategy_time(ss_strategy *strategy, const ss_job *job);

/* Fills in the flop, their peak rate, tokens and parameters, which do not depend on the placement. That goes through
 * all layers: a search does it only for what it keeps. */
void ss_strategy_count_flop(ss_strategy *strategy, const ss_job *job);

#endif
