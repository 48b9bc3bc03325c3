/* Options of what `search` and `sweep` choose from, and of what is best. */
#ifndef STEPSIM_SIM_OPTIONS_CHOICE_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_CHOICE_OPTIONS_H

#include "model/search/search.h"
#include "sim/options/option.h"

/* In model/search/sweep.h. */
typedef struct ss_sweep ss_sweep;

enum {
  SS_MAX_SIZES = 64,
  SS_MAX_TOP = 1000 /* strategies that are listed or replayed */
};

typedef struct ss_choice_options {
  int64_t gpus[SS_MAX_SIZES]; /* none for all that the platform has */
  int64_t gpus_count;
  double budget;     /* dollars for the GPUs; 0 for any number of them */
  unsigned tensors;  /* a set of SS_TENSOR_BIT; 0 for the layout of the workload */
  ss_knob_set knobs; /* that are named */
  bool has_knobs;    /* it was given: exactly these */
  bool all_knobs;    /* and the word all: the others, too, but for those that --set fixes */
  ss_objective objective;
  bool has_objective; /* it was given */
} ss_choice_options;

/* The rows, of which the last one has no name. */
extern const ss_option ss_choice_option_rows[];

/* The knobs of --knobs for this workload; none without it. */
ss_knob_set ss_choice_named_knobs(const ss_choice_options *options, const ss_workload *workload);

/* The knobs of a search of this workload on this machine: those of --knobs, with segment and what is a framework's, or,
 * without it, those that are varied by themselves, which are none with the costs of a paper. */
ss_knob_set ss_choice_knobs(const ss_choice_options *options, const ss_workload *workload, const ss_machine *machine,
                            ss_cost cost);

/* Refuses a choice of what --set has fixed in the workload, and knobs that are named and would do nothing, whatever the
 * other knobs and the axes of a sweep are (NULL: there is none). SS_ERROR_INPUT. */
ss_status ss_choice_check(const ss_choice_options *options, const ss_workload *workload, const ss_sweep *sweep,
                          ss_error *error);

/* Whether anything is asked about money. */
bool ss_choice_asks_prices(const ss_choice_options *options);

#endif
