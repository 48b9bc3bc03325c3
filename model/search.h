/* The search: every strategy and placement on a number of GPUs, by the closed form. */
#ifndef STEPSIM_MODEL_SEARCH_H
#define STEPSIM_MODEL_SEARCH_H

#include "model/cost.h"
#include "model/machine.h"
#include "model/prediction.h"
#include "model/refusals.h"
#include "model/space.h"

/* What is best: X(enumerator, "word", "what is least"). */
#define SS_OBJECTIVE_LIST(X)                                                                                           \
  X(SS_OBJECTIVE_TIME, "time", "time of an iteration")                                                                 \
  X(SS_OBJECTIVE_MEMORY, "memory", "bytes on the fullest GPU")                                                         \
  X(SS_OBJECTIVE_GPU_HOURS, "gpu-hours", "time times GPUs")

typedef enum ss_objective {
#define SS_OBJECTIVE_ID(id, word, help) id,
  SS_OBJECTIVE_LIST(SS_OBJECTIVE_ID)
#undef SS_OBJECTIVE_ID
      SS_OBJECTIVE_COUNT
} ss_objective;

const char *ss_objective_word(ss_objective objective);

/* The objective with this name. False when there is none. */
bool ss_objective_find(const char *word, ss_objective *objective);

typedef struct ss_search_options {
  int64_t gpus;
  unsigned tensors;  /* tensor layouts: a set of SS_TENSOR_BIT */
  ss_knob_set knobs; /* what is varied, too */
  ss_cost cost;
  ss_objective objective;
  int64_t top;                    /* how many of the best are kept */
  void (*progress)(double share); /* called now and then, by any thread, one at a time; or NULL */
} ss_search_options;

/* A candidate that fits. */
typedef struct ss_strategy {
  ss_candidate candidate;
  ss_breakdown estimate;
  ss_memory memory;      /* of the fullest stage */
  int64_t trunk, branch; /* place in the order of enumeration */
  bool simulated;        /* the next one is filled: not by the search */
  ss_breakdown simulation;
} ss_strategy;

typedef struct ss_search {
  int64_t gpus;
  int64_t candidates, feasible;
  int64_t too_large;                 /* do not fit in memory */
  int64_t refused[SS_REFUSAL_TOTAL]; /* by the first row of refusals.def that refuses them */
  ss_strategy *top;                  /* [count] the best, best first; owned */
  int64_t count;
} ss_search;

/* Estimates all candidates and keeps the best ones; of equals the faster, then the first of the order of enumeration.
 * Of those that differ in knobs only and come out with the same time and memory, the first is kept. On as many threads
 * as OpenMP has, with the same result on any number of them. The workload needs to have passed ss_workload_check_values
 * only, and names no rank file; the machine has `gpus` GPUs at least. SS_ERROR_MEMORY. Release with ss_search_free. */
ss_status ss_search_run(ss_search *search, const ss_workload *workload, const ss_machine *machine,
                        const ss_search_options *options, ss_error *error);
void ss_search_free(ss_search *search);

/* What an objective makes least, of a strategy on so many GPUs: seconds, bytes or hours. */
double ss_strategy_value(const ss_strategy *strategy, ss_objective objective, int64_t gpus);

#endif
