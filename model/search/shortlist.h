/* What a search keeps of the strategies that it goes through: the best few, or the front of time and memory. */
#ifndef STEPSIM_MODEL_SEARCH_SHORTLIST_H
#define STEPSIM_MODEL_SEARCH_SHORTLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/run/tariff.h"
#include "model/search/strategy.h"

/* What a search minimises: X(enumerator, "word", "what it is"). */
#define SS_OBJECTIVE_LIST(X)                                                                                           \
  X(SS_OBJECTIVE_TIME, "time", "time of an iteration")                                                                 \
  X(SS_OBJECTIVE_MEMORY, "memory", "bytes on the fullest GPU")                                                         \
  X(SS_OBJECTIVE_GPU_HOURS, "gpu-hours", "time times GPUs")                                                            \
  X(SS_OBJECTIVE_COST, "cost", "dollars for GPUs, their part of the fabric and energy in that time")                   \
  X(SS_OBJECTIVE_ENERGY, "energy", "joules at the meter")

typedef enum ss_objective {
#define SS_OBJECTIVE_ID(id, word, help) id,
  SS_OBJECTIVE_LIST(SS_OBJECTIVE_ID)
#undef SS_OBJECTIVE_ID
      SS_OBJECTIVE_COUNT
} ss_objective;

/* The word of an objective; static text. */
const char *ss_objective_word(ss_objective objective);

/* What is kept. The best are those with the least value of the objective, of equals the faster, then the first of the
 * order of enumeration; of those that differ in knobs only and come out with the same time and memory, the first. The
 * front has every strategy that no other beats in both time and memory, of equals the first. */
typedef struct ss_shortlist_rule {
  ss_objective objective;
  int64_t gpus;
  ss_tariff tariff; /* for SS_OBJECTIVE_COST and SS_OBJECTIVE_ENERGY */
  int64_t top;      /* how many of the best are kept, from 1 */
  bool pareto;      /* the front instead, all of it */
} ss_shortlist_rule;

typedef struct ss_shortlist {
  ss_shortlist_rule rule;
  ss_strategy *top; /* [count] best first, or of the front fastest first; owned */
  int64_t count, capacity;
} ss_shortlist;

/* The value of a strategy that the objective minimises: seconds, bytes, hours, dollars or joules. */
double ss_strategy_value(const ss_strategy *strategy, const ss_shortlist_rule *rule);

/* Makes an empty list. SS_ERROR_MEMORY. Release with ss_shortlist_free in any case. */
ss_status ss_shortlist_init(ss_shortlist *list, const ss_shortlist_rule *rule);

/* Releases the list; zeroed is fine. */
void ss_shortlist_free(ss_shortlist *list);

/* Keeps a strategy if it belongs in the list, and drops those that then no longer do. The list does not depend on the
 * order in which strategies are offered, nor on the lists that they pass through. SS_ERROR_MEMORY. */
ss_status ss_shortlist_offer(ss_shortlist *list, const ss_strategy *strategy);

/* Offers everything that `one` has kept by the same rule to `all`. SS_ERROR_MEMORY. */
ss_status ss_shortlist_merge(ss_shortlist *all, const ss_shortlist *one);

/* Whether a strategy that takes at least this time, with exactly this memory, could be kept, if only as an equal of
 * another one. If not, its time need not be computed. */
bool ss_shortlist_takes(const ss_shortlist *list, double least_time_s, double memory_bytes);

#endif
