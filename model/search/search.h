/* The search: every strategy and placement on a number of GPUs, by the closed form. */
#ifndef STEPSIM_MODEL_SEARCH_SEARCH_H
#define STEPSIM_MODEL_SEARCH_SEARCH_H

#include "model/input/machine.h"
#include "model/kernel/cost.h"
#include "model/plan/check/refusals.h"
#include "model/search/shortlist.h"
#include "model/search/space.h"

/* How far a search is. How many candidates some sizes of groups have turns out where they are tried. */
typedef struct ss_search_progress {
  int64_t done, count; /* sizes of groups that are done, of all */
  int64_t candidates;  /* that have been tried */
  bool is_over;        /* nothing more is tried */
} ss_search_progress;

typedef struct ss_search_options {
  int64_t gpus;
  unsigned tensors;  /* tensor layouts: a set of SS_TENSOR_BIT */
  ss_knob_set knobs; /* what is varied, too */
  unsigned pins;     /* sizes that are not: a set of SS_SIZE_BIT */
  ss_cost cost;
  ss_objective objective;
  ss_tariff tariff; /* as in ss_shortlist_rule, like the next two */
  int64_t top;
  bool pareto;
  const ss_free_gpus *free_gpus; /* GPUs that may be used; NULL: all; borrowed */
  bool exhaustive;       /* estimate every candidate, also below the bound: for measurements, with the same result */
  int64_t slice, slices; /* of the sizes i, only those with i mod `slices` = `slice`; 0 slices: all */
  /* Called now and then, by any thread, one at a time; or NULL. */
  void (*progress)(const ss_search_progress *progress);
  bool (*is_over)(
      const void *context); /* called like that: the search ends with what it has found, `stopped`; or NULL */
  const void *context;      /* of the last one */
} ss_search_options;

typedef struct ss_search {
  int64_t gpus;
  int64_t candidates, feasible;
  int64_t too_large;                 /* do not fit in memory */
  int64_t refused[SS_REFUSAL_TOTAL]; /* by the first row of refusals.def that refuses them */
  ss_strategy *top;                  /* [count] what is kept: ss_shortlist_rule; owned */
  int64_t count;
  bool stopped;              /* before all was tried */
  int64_t sizes_done, sizes; /* of groups: that were tried to the end, of all */
} ss_search;

/* Estimates all candidates and keeps the best ones, or the front of time and memory, as ss_shortlist_rule says. On as
 * many threads as OpenMP has, with the same result on any number of them. The workload needs to have passed
 * ss_workload_check_values only, and names no rank file; the machine has `gpus` GPUs at least. SS_ERROR_MEMORY. Release
 * with ss_search_free. */
ss_status ss_search_run(ss_search *search, const ss_workload *workload, const ss_machine *machine,
                        const ss_search_options *options, ss_error *error);

/* Releases the strategies; zeroed is fine. */
void ss_search_free(ss_search *search);

/* Adds to `all` what a search of other slices by the same options has found. SS_ERROR_MEMORY, with `all` unchanged. */
ss_status ss_search_merge(ss_search *all, const ss_search *one, const ss_search_options *options);

#endif
